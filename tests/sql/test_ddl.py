"""The statements of the DDL as values."""

from __future__ import annotations

import pytest

from headwater.errors import HeadwaterError
from headwater.sql.ddl import CreateView, DropView, ExplainView, RefreshView, read_statement

SELECT = "SELECT k FROM a"


@pytest.mark.parametrize(
    ("text", "statement"),
    [
        (f"CREATE MATERIALIZED VIEW v AS {SELECT}", CreateView("v", SELECT)),
        (f"create or replace materialized view V as {SELECT};", CreateView("V", SELECT, replace=True)),
        (f"CREATE MATERIALIZED VIEW IF NOT EXISTS v AS {SELECT}", CreateView("v", SELECT, if_not_exists=True)),
        (f"CREATE MATERIALIZED VIEW `my view` AS {SELECT}", CreateView("my view", SELECT)),
        (f"CREATE MATERIALIZED VIEW v REFRESH POLICY FULL AS {SELECT}", CreateView("v", SELECT, "full")),
        (f"CREATE MATERIALIZED VIEW v REFRESH POLICY INCREMENTAL AS {SELECT}", CreateView("v", SELECT, "incremental")),
        (
            f"CREATE MATERIALIZED VIEW v\nREFRESH POLICY INCREMENTAL  STRICT\nAS {SELECT}",
            CreateView("v", SELECT, "strict"),
        ),
        (f"-- why\n/* and how */ CREATE MATERIALIZED VIEW v AS {SELECT}", CreateView("v", SELECT)),
        (
            f"CREATE MATERIALIZED VIEW v AS -- why\n/* and AS how */ {SELECT}",
            CreateView("v", f"-- why\n/* and AS how */ {SELECT}"),
        ),
        (f"CREATE MATERIALIZED VIEW v AS/**/{SELECT}", CreateView("v", f"/**/{SELECT}")),
        ("CREATE MATERIALIZED VIEW v AS (SELECT 1 AS x FROM a)", CreateView("v", "(SELECT 1 AS x FROM a)")),
        (
            "CREATE MATERIALIZED VIEW v AS WITH x AS (SELECT 1 AS y FROM a) SELECT y AS z FROM x",
            CreateView("v", "WITH x AS (SELECT 1 AS y FROM a) SELECT y AS z FROM x"),
        ),
        ("CREATE MATERIALIZED VIEW v AS SELECT ';' AS x FROM a", CreateView("v", "SELECT ';' AS x FROM a")),
        ("REFRESH MATERIALIZED VIEW v", RefreshView("v")),
        ("refresh materialized view v full;", RefreshView("v", full=True)),
        ("DROP MATERIALIZED VIEW v", DropView("v")),
        ("DROP MATERIALIZED VIEW IF EXISTS `my view`", DropView("my view", if_exists=True)),
        ("EXPLAIN MATERIALIZED VIEW v", ExplainView(name="v")),
        (f"EXPLAIN CREATE MATERIALIZED VIEW v AS {SELECT}", ExplainView(create=CreateView("v", SELECT))),
    ],
)
def test_statements(text, statement):
    assert read_statement(text) == statement


@pytest.mark.parametrize(
    "text",
    [
        SELECT,
        "CREATE TABLE t (a INT)",
        "EXPLAIN SELECT 1",
        "DROP VIEW v",
        "REFRESH TABLE t",
        "",
        "CREATE VIEW v AS SELECT 1",
    ],
)
def test_the_rest_is_sparks(text):
    assert read_statement(text) is None


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("CREATE MATERIALIZED VIEW v", "begins as"),
        ("CREATE MATERIALIZED VIEW AS SELECT 1", "begins as"),
        (f"CREATE MATERIALIZED VIEW v REFRESH POLICY SOMETIMES AS {SELECT}", "REFRESH POLICY SOMETIMES"),
        (f"CREATE MATERIALIZED VIEW v PARTITIONED BY (k) AS {SELECT}", "PARTITIONED BY"),
        ("REFRESH MATERIALIZED VIEW", "begins as"),
        ("REFRESH MATERIALIZED VIEW v QUICKLY", "begins as"),
        ("DROP MATERIALIZED VIEW a b", "begins as"),
        ("EXPLAIN CREATE MATERIALIZED VIEW v", "begins as"),
    ],
)
def test_what_is_not_understood_is_named(text, why):
    with pytest.raises(HeadwaterError) as refused:
        read_statement(text)
    assert refused.value.key == "sql.ddl"
    assert why in str(refused.value)
