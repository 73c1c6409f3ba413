"""Each rewrite by pairs of plans before and after it (golden files), and all of them by the rows of both plans.

Fixtures: `rewrites/<rule>.sql` holds the queries, `rewrites/<rule>.txt` their plans.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, note, settings
from hypothesis import strategies as st

from headwater.algebra.nodes import Node
from headwater.algebra.rewrites import REWRITES, rewrite
from headwater.algebra.statistics import TableStatistics
from headwater.engine.typing import annotate
from headwater.sql.build import build
from headwater.sql.parse import parse_query, qualified
from headwater.sql.pinned import pinned
from tests.delta.databases import contents
from tests.delta.harness import PLAIN, REPEATED, TABLES, Database, duckdb_sql, plain_bag, queries
from tests.delta.random_queries import random_query
from tests.goldens import check, titled_queries

FIXTURES = Path(__file__).with_name("rewrites")
RULES = {rule.name: rule for rule in REWRITES}
STATISTICS = {
    "a": TableStatistics(10_000, {"k": 1_000}),
    "b": TableStatistics(1_000, {"k": 1_000, "w": 10}),
    "c": TableStatistics(100, {"k": 100, "j": 10}),
}


@pytest.fixture(scope="module")
def database() -> Database:
    return Database()


def built(sql: str, database: Database) -> Node:
    """The typed plan of a query before any rewrite."""
    types = {table: {item.name: item.type for item in columns} for table, columns in TABLES.items()}
    return annotate(build(pinned(qualified(parse_query(sql), types)), TABLES), database.analyse, {})


def tree(node: Node, depth: int = 0) -> str:
    return "\n".join(["  " * depth + node.label, *(tree(child, depth + 1) for child in node.children)])


def test_every_rewrite_has_fixtures():
    assert set(RULES) == {path.stem for path in FIXTURES.glob("*.sql")}


@pytest.mark.parametrize("name", RULES)
def test_plans_before_and_after(name, database, update_goldens):
    pairs = []
    for title, sql in titled_queries(FIXTURES / f"{name}.sql").items():
        before = built(sql, database)
        after = RULES[name].apply(before, STATISTICS)
        assert after.schema == before.schema
        pairs.append(f"-- {title}\n{sql}\n\n{tree(before)}\n\n=>\n\n{tree(after)}\n")
    check(FIXTURES / f"{name}.txt", "\n\n".join(pairs), update_goldens)


def all_queries() -> dict[str, str]:
    own = {f"{name}: {title}": sql for name in RULES for title, sql in titled_queries(FIXTURES / f"{name}.sql").items()}
    return own | queries()


@pytest.mark.parametrize("sql", all_queries().values(), ids=all_queries().keys())
@settings(max_examples=4, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_rewrites_keep_the_rows(sql, data, database):
    keeps_the_rows(sql, data, database)


@settings(max_examples=60, phases=set(Phase) - {Phase.explain}, suppress_health_check=list(HealthCheck))
@given(sql=random_query(TABLES), data=st.data())
def test_rewrites_keep_the_rows_of_random_queries(sql, data, database):
    note(sql)
    keeps_the_rows(sql, data, database)


def keeps_the_rows(sql: str, data: st.DataObject, database: Database) -> None:
    """The plan after each rewrite gives what the one before gave."""
    statistics = data.draw(st.sampled_from([REPEATED, STATISTICS, {}]), label="statistics")
    before = built(sql, database)
    plans = [before]
    for rule in REWRITES:
        plans.append(rule.apply(plans[-1], statistics))
    tables = sorted(before.tables)
    for name, rows in data.draw(contents(tables, most=8)).items():
        database.put(name, rows)
    assert rewrite(plans[-1], statistics).schema == before.schema
    expected = plain_bag(rows_of(before, database))
    for rule, plan in zip(REWRITES, plans[1:], strict=True):
        assert plain_bag(rows_of(plan, database)) == expected, f"{rule.name} changed the rows of\n{tree(before)}"


def rows_of(plan: Node, database: Database) -> list[tuple]:
    return database.rows(duckdb_sql(plan, PLAIN))


def test_a_rewrite_that_changes_the_schema_is_named(database, monkeypatch):
    from headwater.algebra import rewrites

    broken = rewrites.Rewrite("drop_everything", lambda plan, _: plan.children[0])
    monkeypatch.setattr(rewrites, "REWRITES", (broken,))
    with pytest.raises(ValueError, match="drop_everything"):
        rewrites.rewrite(built("SELECT v + 1 AS v1 FROM a", database), {})
