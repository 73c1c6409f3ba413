"""A definition: checked, planned, or refused with its reason; and the same after it was kept in the catalog."""

from __future__ import annotations

import json

import pytest

from headwater.algebra.nodes import Column
from headwater.algebra.statistics import TableStatistics
from headwater.errors import HeadwaterError
from headwater.refresh import definition as definitions
from headwater.refresh.definition import Definition, define
from tests.delta.harness import TABLES, Database, queries

STATISTICS = {"a": TableStatistics(100, {"k": 3.0}), "b": TableStatistics(50)}

# Two strings may equal one number: the groups of a subquery are then not those of its outer rows.
MERGED = (
    "SELECT k, (SELECT COUNT(*) FROM b WHERE b.s = a.k) AS n FROM a",
    "SELECT k, (SELECT g.n FROM (SELECT s, COUNT(*) AS n FROM b GROUP BY s) g WHERE g.s = a.k + 1) AS n FROM a",
    "SELECT k, (SELECT w FROM b WHERE CONCAT('0', b.s) = a.k ORDER BY w LIMIT 1) AS n FROM a",
    "SELECT k, v > 1 OR EXISTS (SELECT 1 FROM b WHERE b.s = a.k) AS n FROM a",
    "SELECT a.k, x.n FROM a, LATERAL (SELECT COUNT(*) AS n FROM b WHERE b.s = a.k) x",
    "SELECT a.k, x.n FROM a, LATERAL (SELECT MAX(w) AS n FROM b WHERE b.s = a.k + 1 GROUP BY k) x",
    "SELECT a.k, x.w FROM a, LATERAL (SELECT DISTINCT w FROM b WHERE b.s = a.k) x",
)


@pytest.fixture(scope="module")
def database() -> Database:
    return Database()


def defined(sql: str, database: Database, policy: str = "auto") -> Definition:
    return define("view", "id", sql, policy, TABLES, STATISTICS, database.analyse)


def kept(made: Definition) -> Definition:
    """As the catalog gives it back."""
    text = json.dumps(made.as_dict())
    return Definition.from_dict("view", "id", json.loads(text), lambda sql: pytest.fail("every type is known"))


@pytest.mark.parametrize("sql", queries().values(), ids=queries().keys())
def test_round_trip_through_the_catalog(sql, database):
    """What was kept plans alike, and asks Spark nothing."""
    made = defined(sql, database)
    assert made.reason is None
    again = kept(made)
    assert again.plan == made.plan
    assert again.plan == made.plan
    assert again.fingerprint == made.fingerprint
    assert (again.schema, again.columns_read, again.statistics) == (made.schema, made.columns_read, made.statistics)


def test_columns_read_are_those_of_the_plan(database):
    made = defined("SELECT x.v FROM a x JOIN b ON x.k = b.w JOIN a y ON y.s = b.s", database)
    assert {table: set(names) for table, names in made.columns_read.items()} == {"a": {"k", "v", "s"}, "b": {"w", "s"}}


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        ("SELECT k FROM a TABLESAMPLE (10 PERCENT)", "SAMPLE is not maintained"),
        ("SELECT k, CURRENT_DATE AS d FROM a", "different answer each time"),
        ("SELECT k FROM a WHERE v < (SELECT MAX(w) FROM b WHERE b.k < a.k)", "other conditions than equality"),
        *((sql, "an equality of string with int") for sql in MERGED),
        ("SELECT f, (SELECT MAX(w) FROM b WHERE b.w + 1L = c.f) AS n FROM c", "an equality of bigint with double"),
    ],
)
def test_what_cannot_be_planned_is_recomputed_for_a_reason(sql, reason, database):
    made = defined(sql, database)
    assert (made.plan, made.higher_order, made.columns_read) == (None, None, {})
    assert reason in made.reason
    assert kept(made).reason == made.reason
    for policy in ("strict", "incremental"):
        with pytest.raises(HeadwaterError) as refused:
            defined(sql, database, policy)
        assert refused.value.key == "view.strict"
        assert reason in str(refused.value)


def test_policy_full_is_a_reason(database):
    assert defined("SELECT k FROM a", database, "full").reason == "Its policy is to recompute."


def test_a_policy_that_is_none(database):
    with pytest.raises(HeadwaterError) as refused:
        defined("SELECT k FROM a", database, "sometimes")
    assert refused.value.key == "view.policy"


def test_a_plan_with_another_schema_than_sparks_is_recomputed(database):
    def misread(sql: str):
        return tuple(Column(item.name, "string") for item in database.analyse(sql))

    made = define("view", "id", "SELECT k FROM a", "auto", TABLES, {}, misread)
    assert made.plan is None
    assert "has schema k int, Spark's own is k string" in made.reason


def test_types_that_cannot_be_compared_are_recomputed(database):
    sources = {"m": (Column("x", "array<map<string,int>>"),)}
    made = define("view", "id", "SELECT x FROM m", "auto", sources, {}, lambda sql: sources["m"])
    assert "A map inside another value (x array<map<string,int>>)" in made.reason


def test_a_plan_that_spark_refuses_is_recomputed(database):
    """The text was accepted before, so the user is not told that it is wrong."""

    def analyse(sql: str):
        if "_hw_stub" in sql:
            raise HeadwaterError("sql.invalid", why="strange")
        return database.analyse(sql)

    assert (
        "Spark refuses this SQL: strange"
        in define("view", "id", "SELECT k + 1 AS x FROM a", "auto", TABLES, {}, analyse).reason
    )


def test_the_fingerprint_is_of_the_meaning(database):
    one = defined("SELECT k, v FROM a WHERE v > 1 AND k = 2", database)
    assert one.fingerprint == defined("select a.k, a.v\nfrom a\nwhere a.v > 1 AND a.k = 2", database).fingerprint
    assert one.fingerprint != defined("SELECT k, v FROM a WHERE v > 2 AND k = 2", database).fingerprint


def test_policies():
    assert definitions.POLICIES == ("auto", "incremental", "strict", "full")
