"""Which pasts a view stores: what a change rule reads and no table's own files already are."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from headwater.algebra.statistics import Statistics, TableStatistics
from headwater.delta.pasts import PARTIALS, ROWS
from headwater.delta.program import ProgramBuilder
from headwater.refresh.definition import plan_of
from headwater.state.selection import keep_what_is_needed
from tests.delta.harness import PLAIN, TABLES, Database, Row, duckdb_sql


@pytest.fixture(scope="module")
def database() -> Database:
    return Database()


def stored(sql: str, database: Database) -> list[tuple[str, str, tuple[str, ...]]]:
    plan = plan_of(sql, TABLES, database.analyse(sql), {}, database.analyse, {})
    return [(type(past.node).__name__, past.form, past.key) for past in keep_what_is_needed(plan)]


@pytest.mark.parametrize(
    ("sql", "pasts"),
    [
        ("SELECT v FROM a WHERE v > 1", []),
        # rows that are looked up by a key are stored, sorted by it
        ("SELECT v, w FROM a JOIN b ON a.k = b.k", [("Scan", ROWS, ("b_k",)), ("Scan", ROWS, ("k",))]),
        ("SELECT v, w FROM a LEFT JOIN b ON a.k = b.k", [("Scan", ROWS, ("k",)), ("Scan", ROWS, ("b_k",))]),
        ("SELECT v, w FROM a JOIN b ON a.v < b.w", []),  # both are read whole: the tables themselves will do
        (
            "SELECT v, w FROM a JOIN b ON a.k = b.k WHERE v > 1",
            [("Scan", ROWS, ("b_k",)), ("Filter", ROWS, ("k",))],
        ),
        ("SELECT k, COUNT(*) AS n FROM a GROUP BY k", [("Aggregate", PARTIALS, ("k",))]),
        ("SELECT k, MAX(v) AS m FROM a GROUP BY k", [("Scan", ROWS, ("k",))]),
        ("SELECT k, MAX(v + 1) AS m FROM a GROUP BY k", [("Project", ROWS, ("k",))]),
        (
            "SELECT v, j FROM a JOIN c ON a.k = c.k UNION ALL SELECT w, j FROM b JOIN c ON b.k = c.k",
            [("Project", ROWS, ("k",)), ("Project", ROWS, ("k",)), ("Scan", ROWS, ("c_k",))],  # c once, for both
        ),
        ("SELECT DISTINCT k, v FROM a", [("Distinct", PARTIALS, ("k", "v"))]),
        (
            "SELECT b.w, t.n FROM b JOIN (SELECT k, COUNT(*) AS n FROM a GROUP BY k) t ON b.k = t.k",
            [("Aggregate", PARTIALS, ("a_k",)), ("Scan", ROWS, ("k",))],  # the join reads its past from the partials
        ),
        (
            "SELECT v, w, j FROM a JOIN b ON a.k = b.k LEFT JOIN c ON b.w = c.k",
            [
                ("Scan", ROWS, ("b_k",)),
                ("Scan", ROWS, ("k",)),
                ("Project", ROWS, ("w",)),
                ("Scan", ROWS, ("c_k",)),
            ],  # what the outer join reads of the inner one
        ),
    ],
)
def test_kept(sql, pasts, database):
    assert stored(sql, database) == pasts


STAR = "SELECT c.j, SUM(a.v) AS total, COUNT(*) AS n FROM a JOIN b ON a.k = b.k JOIN c ON b.w = c.k GROUP BY c.j"
SIZES = {
    "a": TableStatistics(1_000_000, {"k": 1_000.0}),  # the facts
    "b": TableStatistics(1_000, {"k": 1_000.0, "w": 100.0}),
    "c": TableStatistics(100, {"k": 100.0, "j": 10.0}),
}


def stored_rows(database: Database, rows: Mapping[str, list[Row]], statistics: Statistics) -> dict[str, int]:
    """Label to rows of each stored past of the star query, counted."""
    plan = plan_of(STAR, TABLES, database.analyse(STAR), statistics, database.analyse, {})
    for name, held in rows.items():
        database.put(name, held)
    pasts = keep_what_is_needed(plan, statistics)
    return {past.name: len(database.rows(duckdb_sql(past.node, PLAIN))) for past in pasts}


def test_a_star_stores_its_facts_grouped(database):
    """Not its facts, but their sums by the key of their dimension."""
    facts = [(k, v, "x") for k in range(20) for v in range(100)]
    rows = {"a": facts, "b": [(k, k % 5, "y") for k in range(20)], "c": [(w, w % 2, None, None) for w in range(5)]}
    plain, grouped = (sum(stored_rows(database, rows, known).values()) for known in ({}, SIZES))
    assert plain > len(facts)
    assert grouped < len(facts) / 20


@pytest.mark.parametrize(("changed", "more"), [("a", 1), ("b", 0)])
def test_grouped_facts_cost_one_stage_when_they_change(changed, more, database):
    sql = "SELECT b.s, SUM(a.v) AS total, COUNT(*) AS n FROM a JOIN b ON a.k = b.k GROUP BY b.s"

    def stages(statistics: Statistics) -> int:
        plan = plan_of(sql, TABLES, database.analyse(sql), statistics, database.analyse, {})
        program = ProgramBuilder(plan, keep_what_is_needed(plan, statistics), frozenset((changed,))).build()
        return len(program.stages) + len(program.upkeep)

    assert stages(SIZES) == stages({}) + more


def test_inputs_stand_before_what_is_built_from_them(database):
    sql = (
        "SELECT t.n, COUNT(*) AS m FROM (SELECT x.k, COUNT(*) AS n FROM a x JOIN b ON x.k = b.k LEFT JOIN c ON w = j "
        "GROUP BY x.k) t GROUP BY t.n"
    )
    plan = plan_of(sql, TABLES, database.analyse(sql), {}, database.analyse, {})
    pasts = keep_what_is_needed(plan)
    seen: list = []
    for past in pasts:
        assert past.node not in [below for other in seen for below in other.node.walk()], past.name
        seen.append(past)
    assert len({past.name for past in pasts}) == len(pasts)
