"""What `lake.sql` runs, and that nothing else can write into a table, a view or a folder of Spark's own."""

from __future__ import annotations

import os

import pytest

import headwater as hw


@pytest.fixture
def shop(lake, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lake.create_table("t", [{"x": 1}, {"x": 2}])
    lake.create_view("v", "SELECT sum(x) AS s FROM t")
    lake.sql("SELECT * FROM t").collect()
    lake.sql("SELECT * FROM v").collect()
    return lake


@pytest.mark.parametrize(
    ("text", "method"),
    [
        ("INSERT OVERWRITE t VALUES (9)", "append"),
        ("INSERT OVERWRITE v VALUES (9)", "append"),
        ("INSERT INTO t VALUES (9)", "append"),
        ("WITH n AS (SELECT 9 AS x) INSERT INTO t SELECT * FROM n", "append"),
        ("FROM t INSERT INTO t SELECT x INSERT INTO t SELECT x", "append"),
        ("-- why\n/* how */ DELETE FROM t", ".delete(where)"),
        ("UPDATE t SET x = 1", ".update("),
        ("MERGE INTO t USING t AS s ON s.x = t.x WHEN MATCHED THEN DELETE", "upsert"),
        ("TRUNCATE TABLE t", ".delete()"),
        ("DROP TABLE t", "lake.drop_table"),
        ("DROP TABLE IF EXISTS t", "lake.drop_table"),
        ("CREATE TABLE n AS SELECT 1 AS x", "lake.create_table"),
        ("CREATE OR REPLACE TEMPORARY VIEW n AS SELECT * FROM t", "lake.create_view"),
        ("CREATE VIEW n AS SELECT 1 AS x", "CREATE MATERIALIZED VIEW"),
        ("DROP VIEW v", "lake.view(name).drop()"),
        ("ALTER TABLE t ADD COLUMN y INT", "lake.create_table"),
        ("CACHE TABLE t", "lake.spark.sql"),
        ("SET spark.sql.ansi.enabled = false", "lake.spark.sql"),
        ("EXPLAIN INSERT INTO t VALUES (9)", "EXPLAIN takes a query"),
        ("BEGIN SELECT 1; END", "lake.spark.sql"),
    ],
)
def test_what_would_write_is_refused_with_the_method_to_use(shop, tmp_path, text, method):
    before = shop.table("t").arrow(), shop.view("v").arrow(), sorted(os.listdir(tmp_path))
    with pytest.raises(hw.HeadwaterError) as refused:
        shop.sql(text)
    assert refused.value.key == "sql.not_run"
    assert method in str(refused.value)
    assert (shop.table("t").arrow(), shop.view("v").arrow(), sorted(os.listdir(tmp_path))) == before
    assert shop.view("v").verify().ok


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("SELECT x FROM t ORDER BY x", [(1,), (2,)]),
        ("(SELECT max(x) FROM t)", [(2,)]),
        ("FROM t SELECT x WHERE x > 1", [(2,)]),
        ("FROM t |> WHERE x > 1", [(2,)]),
        ("TABLE v", [(3,)]),
        ("VALUES (1)", [(1,)]),
        ("WITH a AS (SELECT x FROM t) SELECT count(*) FROM a, v", [(2,)]),
        ("DESCRIBE t", [("x", "bigint", None)]),
        ("DESC QUERY SELECT s FROM v", [("s", "bigint", None)]),
        ("SHOW COLUMNS IN t", [("x",)]),
        ("SHOW TABLES", [("t", "table"), ("v", "materialized view")]),
        ("SHOW TABLES LIKE 'T*';", [("t", "table")]),
        ("SHOW VIEWS", [("v", "materialized view")]),
    ],
)
def test_what_only_reads_is_run(shop, text, rows):
    assert [tuple(row) for row in shop.sql(text).collect()] == rows


def test_a_plan_is_explained(shop):
    assert "Scan parquet" in shop.sql("EXPLAIN SELECT x FROM t").collect()[0][0]


def test_a_result_is_read_when_it_is_asked_for_and_stays_as_it_was(shop):
    result = shop.sql("SELECT count(*) AS n FROM t")
    shop.table("t").append([{"x": 3}])
    assert result.collect()[0].n == 2
    assert shop.sql("SELECT count(*) AS n FROM t").collect()[0].n == 3


def test_no_name_outlives_its_statement(shop):
    for left in shop.spark.catalog.listTables():  # by tests that share this Spark
        shop.spark.catalog.dropTempView(left.name)
    shop.sql("SELECT count(*) FROM t").collect()
    assert shop.spark.catalog.listTables() == []
    with pytest.raises(Exception, match="TABLE_OR_VIEW_NOT_FOUND"):
        shop.spark.sql("SELECT count(*) FROM t")
    shop.view("v").drop()
    shop.drop_table("t")
    with pytest.raises(hw.HeadwaterError) as refused:
        shop.sql("SELECT * FROM t")
    assert refused.value.key == "sql.invalid"


def test_views_of_the_session_are_there_as_before(shop):
    own = shop.spark.createDataFrame([(7,)], "x INT")
    own.createOrReplaceTempView("t")
    own.createOrReplaceTempView("mine")
    cached = shop.table("t").df().cache()
    try:
        cached.count()
        assert shop.sql("SELECT count(*) FROM t, mine").collect()[0][0] == 2
        assert [row.x for row in shop.spark.sql("SELECT x FROM t").collect()] == [7]
        assert cached.storageLevel.useMemory
    finally:
        cached.unpersist()
        shop.spark.catalog.dropTempView("t")
        shop.spark.catalog.dropTempView("mine")


@pytest.mark.parametrize(
    ("text", "key", "position"),
    [
        ("SELEC x", "sql.syntax", (1, 1)),
        ("  (\n  SELEC a, b FROM t", "sql.syntax", (2, 3)),
        ("SELECT nope FROM t", "sql.invalid", (1, 8)),
        ("SELECT x,\n nope FROM t", "sql.invalid", (2, 2)),
        ("SELECT (x FROM t", "sql.invalid", (1, 11)),
        ("SELECT CAST(x AS FOO) FROM t", "sql.invalid", (1, 18)),
    ],
)
def test_positions_count_from_one(shop, text, key, position):
    with pytest.raises(hw.HeadwaterError) as refused:
        shop.sql(text)
    assert refused.value.key == key
    assert (refused.value.position.line, refused.value.position.column) == position


def test_a_refusal_says_what_spark_says(shop):
    with pytest.raises(hw.HeadwaterError) as refused:
        shop.sql("SELECT (x FROM t")
    assert "Syntax error at or near 'FROM'" in str(refused.value)
    assert "PARSE_SYNTAX_ERROR" in str(refused.value)
    with pytest.raises(hw.HeadwaterError) as refused:
        shop.sql("SELECT count(*) + FROM t WHERE (")
    assert ": ." not in str(refused.value)


@pytest.mark.parametrize("text", [None, 7, b"SELECT 1"])
def test_sql_is_text(shop, text):
    for action in (lambda: shop.sql(text), lambda: shop.create_view("w", text)):
        with pytest.raises(hw.HeadwaterError) as refused:
            action()
        assert refused.value.key == "sql.not_text"
