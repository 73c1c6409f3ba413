"""Random queries on Spark itself: the compiled plan, the pinned text and, where that has one answer, the user's text.

The same strategy as for DuckDB (`tests/delta/random_queries.py`), so this holds as well that what it draws is valid for
Spark. For a long run by hand, with other queries for every seed:

    HEADWATER_SPARK_QUERIES=600 HEADWATER_SPARK_SEED=5 pytest tests/engine/test_random_queries_on_spark.py --timeout=0
"""

from __future__ import annotations

import os
import random
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from pyspark.errors import AnalysisException

from headwater.errors import HeadwaterError
from headwater.sql.parse import parse_query, qualified
from headwater.sql.pinned import pinned
from tests.delta.databases import contents
from tests.delta.harness import with_one_answer
from tests.delta.random_queries import random_query
from tests.delta.random_tables import rows_of as random_rows
from tests.delta.random_tables import schemas
from tests.engine import on_spark

QUERIES = int(os.environ.get("HEADWATER_SPARK_QUERIES", "60"))
SEED = int(os.environ.get("HEADWATER_SPARK_SEED", "1"))
TOGETHER = 10  # queries over the same tables, in one job
VIEWS, VIEWS_TOGETHER, STEPS = QUERIES // 6, 5, 3


def drawn(strategy: st.SearchStrategy[Any], number: int, at_least: int) -> list[Any]:
    """So many different examples, always the same ones for a seed."""
    found: list[Any] = []

    @seed(number)
    @settings(
        max_examples=4 * at_least,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
        database=None,
        deadline=None,
    )
    @given(strategy)
    def collect(example: Any) -> None:
        if example not in found:
            found.append(example)

    collect()
    return found


def random_tables(number: int):
    """The widest of some random tables, and the most rows."""
    tables = max(drawn(schemas(), number, 10), key=lambda each: sum(map(len, each.values())))
    rows = drawn(contents(sorted(tables), rows=random_rows(tables)), number, 10)
    return tables, max(rows, key=lambda each: min(map(len, each.values())))


def random_queries(tables, number: int, wanted: int) -> list[str]:
    """Some queries, the first and simplest left out."""
    found = sorted(drawn(random_query(tables), number, 2 * wanted)[2:], key=len)
    return found[:: max(1, len(found) // wanted)][:wanted]


def has_one_answer(sql: str, tables) -> bool:
    types = {table: {item.name: item.type for item in columns} for table, columns in tables.items()}
    query = qualified(parse_query(sql), types)
    return pinned(query) == query


def is_read(spark, sql: str) -> bool:
    """False for the few queries that Spark's analysis stumbles over."""
    try:
        spark.sql(sql)
    except AnalysisException:
        return False
    return True


def frame(spark, columns, rows):
    schema = ", ".join(f"`{item.name}` {item.type}" for item in columns)
    return spark.createDataFrame([tuple(row) for row in rows], schema)


@pytest.mark.parametrize("number", range(SEED * 1000, SEED * 1000 + QUERIES // TOGETHER))
def test_plan_and_text(spark, number):
    tables, rows = random_tables(number)
    frames_ = {name: frame(spark, columns, rows[name]) for name, columns in tables.items()}
    for name, made in frames_.items():
        made.createOrReplaceTempView(name)
    texts = [sql for sql in random_queries(tables, number, TOGETHER) if is_read(spark, sql)]
    assert len(texts) > 0.8 * TOGETHER
    on_spark.check(spark, [with_one_answer(sql, tables) for sql in texts], frames_)
    on_spark.check(spark, [sql for sql in texts if has_one_answer(sql, tables)], frames_)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(SEED * 1000 + 500, SEED * 1000 + 500 + VIEWS // VIEWS_TOGETHER))
def test_whole_views(lake, number):
    """Views over the same tables: equal to their recomputation after every step of DML on one or two of the tables."""
    tables, rows = random_tables(number)
    for name, columns in tables.items():
        lake.create_table(name, {item.name: item.type for item in columns})
        append(lake.table(name), columns, rows[name])
    views = {}
    for place, sql in enumerate(random_queries(tables, number, VIEWS_TOGETHER)):
        try:
            views[sql] = lake.create_view(f"view_{place}", sql, policy="incremental")
        except HeadwaterError as error:  # Spark's analysis stumbles over a few
            assert error.key == "sql.invalid", (sql, error)
    rng = random.Random(number)
    for _ in range(STEPS):
        for name in rng.sample(sorted(tables), rng.choice([1, 2])):
            disturb(lake.table(name), tables[name], rows[name], rng)
        for sql, view in views.items():
            report, verified = view.refresh(), view.verify()
            assert verified.ok, (sql, report.strategy, verified.examples)


def disturb(table, columns, rows, rng: random.Random) -> None:
    """One statement; the table is never left empty for long."""
    kind = rng.choice(["append", "append", "delete", "update", "delete all"])
    if kind == "append" or not rows:
        append(table, columns, rng.sample(rows, min(2, len(rows))) or [(1, *[None] * (len(columns) - 1))])
    elif kind == "delete":
        table.delete(f"k = {rng.choice([1, 2, 3])}")
    elif kind == "update":
        table.update({"k": rng.choice(["1", "3", "NULL"])}, where=f"k = {rng.choice([1, 2, 3])}")
    else:
        table.delete()


def append(table, columns, rows) -> None:
    if rows:
        table.append([dict(zip((item.name for item in columns), row, strict=True)) for row in rows])
