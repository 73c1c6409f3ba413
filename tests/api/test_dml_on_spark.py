"""What the local lane leaves to Spark in DELETE and UPDATE, Spark's errors, and the two against each other."""

from __future__ import annotations

import math

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake

import headwater as hw
from tests.api.oracle import check

ROWS = [
    {"k": 1, "f": math.nan, "s": "hello", "l": [1, 2], "p": {"a": 1}},
    {"k": 2, "f": -0.0, "s": None, "l": None, "p": None},
    {"k": 3, "f": 6.5, "s": "World", "l": [3], "p": {"a": None}},
    {"k": None, "f": None, "s": "", "l": [], "p": {"a": 5}},
]
TYPES = {"k": "int", "f": "double", "s": "string", "l": "array<int>", "p": "struct<a:int>"}


@pytest.fixture
def made(lake):
    def make(name: str = "t"):
        found = lake.create_table(name, TYPES)
        found.append(ROWS)
        return found

    return make


CONDITIONS = (
    "k = 1",
    "k <=> NULL",
    "f > 5",
    "f = 'NaN'",
    "f = 0.0",
    "f >= 0",
    "f <> 6.5",
    "s RLIKE '^h'",
    "s ILIKE 'W%'",
    "k > '1'",
    "POWER(k, 2) > 3",
    "EXISTS(l, x -> x > k)",
    "p.a = 1",
    "t.p.a = 5 OR SIZE(l) = 1",
    "ARRAY_CONTAINS(l, k)",
    "SUBSTRING(s, -2, 2) = 'lo'",
    "UPPER(s) = 'WORLD'",
    "LENGTH(s) = 0",
    "k + 1 IN (2, 4)",
    "CASE WHEN k = 0 THEN 1 / k = 1 ELSE k = 2 END",
)


def test_deletes_are_those_of_spark(lake, made, spark):
    frame = spark.createDataFrame(pa.table({name: pa.array([row[name] for row in ROWS]) for name in TYPES}))
    frame.createOrReplaceTempView("t")
    found = made()
    for condition in CONDITIONS:
        expected = spark.sql(f"SELECT k FROM t WHERE NOT COALESCE(({condition}), FALSE)").toArrow()
        for lane in ("auto", "spark"):
            lake._wanted_lane = lane
            found.delete()
            found.append(ROWS)
            found.delete(condition)
            assert sorted(map(str, found.arrow().column("k").to_pylist())) == sorted(
                map(str, expected.column("k").to_pylist())
            ), (condition, lane)


@pytest.mark.parametrize("lane", ["auto", "spark"])
def test_values_by_spark(lake, made, lane):
    lake._wanted_lane = lane
    found = made()
    found.update({"f": "POWER(k, 2)", "s": "CONCAT(s, '!')", "l": "TRANSFORM(l, x -> x + k)"}, where="k IN (2, 3)")
    rows = {row["k"]: row for row in found.arrow().to_pylist()}
    assert rows[3]["f"] == 9.0 and rows[3]["s"] == "World!" and rows[3]["l"] == [6]
    assert rows[2]["f"] == 4.0 and rows[2]["s"] is None
    assert rows[1]["l"] == [1, 2]


@pytest.mark.parametrize(
    ("updates", "where", "named"),
    [
        ({"k": "1 / 0"}, "k = 1", "DIVIDE_BY_ZERO"),
        ({"k": "k + 2147483647"}, "k = 3", "OVERFLOW"),
        ({"k": "CAST(s AS INT)"}, "k = 1", "CAST_INVALID_INPUT"),
        ({"s": "s"}, "1 / (k - 1) > 0", "DIVIDE_BY_ZERO"),
        ({"k": "'text'"}, None, "is of type string"),
        ({"k": "TRUE"}, None, "is of type boolean"),
        ({"k": "p"}, None, "struct"),
        ({"k": "NO_SUCH_FUNCTION(k)"}, None, "NO_SUCH_FUNCTION"),
        ({"k": "1"}, "k = TRUE", "DATATYPE_MISMATCH"),
        ({"k": "1"}, "p.zz = 1", "FIELD_NOT_FOUND"),
    ],
)
def test_errors_are_sparks(lake, made, updates, where, named):
    found = made()
    with pytest.raises(hw.HeadwaterError) as refused:
        found.update(updates, where=where)
    assert refused.value.key == "data.predicate"
    assert named in str(refused.value)
    assert "DataFusion" not in str(refused.value) and "\n" not in str(refused.value)
    assert found.version == 1


def test_an_error_that_no_row_reaches_is_none(lake, made):
    found = made()
    assert found.update({"k": "1 / 0"}, where="k = 99") == 1


def test_views_follow_updates_exactly(lake):
    t = lake.create_table("t", [{"k": 1, "v": 1}, {"k": 2, "v": 1}, {"k": 2, "v": 1}, {"k": 3, "v": 2}])
    view = lake.create_view("counts", "SELECT k, COUNT(*) AS n FROM t GROUP BY k", policy="strict")
    for change in (
        lambda: t.update({"k": "k+1"}, where="v=1"),
        lambda: t.update({"k": "3"}),
        lambda: DeltaTable(t.path).update(updates={"v": "k"}, predicate="k = 3"),
        lambda: DeltaTable(t.path).update(updates={"v": "1", "k": "v"}),
    ):
        change()
        assert view.refresh().strategy == "incremental"
        check(lake, view)


FRACTIONS = ("f > 100", "f = double('NaN')", "f <> 1.0", "NOT (f <= 100)", "f = 0.0D", "f >= 0.0D", "f IN (0.0D, 7D)")


@pytest.mark.parametrize("by", ["rows", "spark", "outside"])
def test_no_filter_misses_nan_or_negative_zero(lake, spark, by):
    rows = pa.table({"id": [1, 2, 3], "f": [math.nan, 1.0, -0.0]})
    zero = pa.table({"id": [4, 5], "f": [-0.0, -0.0]})
    found = lake.create_table("n", {"id": "bigint", "f": "double"})
    for part in (rows, zero):
        if by == "outside":
            write_deltalake(found.path, part, mode="append")
        else:
            found.append(spark.createDataFrame(part).coalesce(1) if by == "spark" else part)
    assert all(file.exact == (by != "outside") for file in found._folder.files(found.version))
    expected = {
        condition: spark.createDataFrame(pa.concat_tables([rows, zero])).where(condition).count()
        for condition in FRACTIONS
    }
    for condition in FRACTIONS:
        sql = f"SELECT id FROM n WHERE {condition}"
        assert lake.sql(sql).count() == expected[condition], condition
        assert found.df().where(condition).count() == expected[condition], condition
    view = lake.create_view("v", "SELECT id FROM n WHERE f > 100 OR f = 0.0D")
    assert sorted(view.arrow().column("id").to_pylist()) == [1, 3, 4, 5]
    assert view.verify().ok
