"""Refusals that concern Spark frames and views."""

from __future__ import annotations

import shutil

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake

import headwater as hw
from tests.api.test_refusals import refusal


@pytest.mark.parametrize("by", [None, "k"])
def test_not_null_holds_for_spark_frames(lake, spark, by):
    t = lake.create_table("t", {"k": "int NOT NULL", "v": "int NOT NULL", "s": "string"}, partition_by=by)
    good = spark.sql("SELECT 1 AS k, 2 AS v, CAST(NULL AS STRING) AS s")
    t.append(good)
    for column in ("k", "v"):
        bad = spark.sql(
            f"SELECT {'NULL' if column == 'k' else '3'} AS k, {'NULL' if column == 'v' else '3'} AS v, 'a' AS s"
        )
        bad = bad.selectExpr("CAST(k AS INT)", "CAST(v AS INT)", "s").unionAll(good)
        error = refusal(lambda bad=bad: t.append(bad))
        assert (error.key, error.params["column"], error.params["count"]) == ("data.null", column, 1)
    assert t.rows == 1


def test_constraints_hold_for_spark_frames(lake, spark):
    t = lake.create_table("t", {"k": "int"})
    DeltaTable(t.path).alter.add_constraint({"positive": "k > 0"})
    t.append(spark.sql("SELECT 1 AS k"))
    assert refusal(lambda: t.append(spark.sql("SELECT -1 AS k UNION ALL SELECT 2"))).key == "data.rule"
    assert t.arrow().to_pylist() == [{"k": 1}]


@pytest.mark.parametrize(
    ("sql", "type_"),
    [
        ("SELECT INTERVAL 1 DAY AS k", "interval day"),
        ("SELECT PARSE_JSON('{}') AS k", "variant"),
        ("SELECT NULL AS k", "void"),
        ("SELECT ARRAY(NULL) AS k", "array<void>"),
    ],
)
def test_spark_types_that_no_table_holds(lake, spark, sql, type_):
    error = refusal(lambda: lake.create_table("t", spark.sql(sql)))
    assert (error.key, error.params["type"]) == ("data.unstorable", type_)
    assert lake.create_table("t", {"k": "int"}).version == 0


def test_writes_to_a_view(lake):
    lake.create_table("t", [{"k": 1}])
    lake.create_view("v", "SELECT k FROM t")
    before = lake.view("v").version
    for write in (lambda: lake.table("v").append([{"k": 2}]), lambda: lake.table("V").delete()):
        assert refusal(write).key == "table.view_readonly"
    assert lake.view("v").version == before
    error = refusal(lambda: lake.view("v").changes(99))
    assert error.params["version"] == 99 and "Table" not in str(error)


@pytest.fixture
def watched(lake, tmp_path):
    for n in range(4):
        write_deltalake(str(tmp_path / "out"), pa.table({"k": [n]}), mode="append")
    lake.attach("out", tmp_path / "out")
    return lake.create_view("v", "SELECT k FROM out")


def test_a_view_over_a_missing_table_names_it(lake, watched, tmp_path):
    shutil.rmtree(tmp_path / "out")
    rows = watched.arrow()
    for action in (watched.refresh, watched.verify, lambda: lake.sql("SELECT * FROM out")):
        error = refusal(action)
        assert (error.key, error.params["name"]) == ("table.gone", "out")
    assert watched.arrow() == rows


def test_a_view_over_a_table_made_anew_at_a_lower_version(lake, spark, watched, tmp_path):
    shutil.rmtree(tmp_path / "out")
    write_deltalake(str(tmp_path / "out"), pa.table({"k": [7]}))
    rows = watched.arrow()
    with hw.connect(lake.path, spark=spark) as again:
        for view in (watched, again.view("v")):
            for action in (view.refresh, view.verify):
                error = refusal(action)
                assert (error.key, error.params["name"]) == ("table.recreated", "out")
            assert view.arrow() == rows
