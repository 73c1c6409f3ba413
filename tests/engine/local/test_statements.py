"""Whole plans on both engines: what the compiler composes from written expressions means what the user wrote."""

from __future__ import annotations

import math
from pathlib import Path

import pyarrow as pa
import pytest

from headwater.algebra.nodes import Column
from headwater.engine.local import parity
from headwater.engine.local.connection import connect
from headwater.engine.local.statements import duckdb_sql
from headwater.engine.types import arrow_schema, plan_schema, spark_type
from headwater.errors import HeadwaterError
from headwater.refresh.definition import plan_of
from tests.engine.local import inputs
from tests.goldens import titled_queries

MEANING = Path(__file__).parents[1] / "meaning.sql"
SEED = 3
KEYS = ("b", "b, f", "s", "k8", "")


@pytest.fixture(scope="module")
def edges(spark):
    rows = inputs.rows(SEED)
    small = rows.append_column(
        "k8", pa.array([row % 5 if row % 7 else None for row in range(rows.num_rows)], pa.int32())
    )
    spark.createDataFrame(small).createOrReplaceTempView("edges")
    connection = connect()
    naive = {
        n: c.cast(pa.timestamp("us")) if pa.types.is_timestamp(c.type) else c
        for n, c in zip(small.column_names, small.columns, strict=True)
    }
    connection.register("given", pa.table(naive))
    connection.execute("CREATE TABLE edges AS SELECT * FROM given")
    return spark, connection, {"edges": plan_schema(small.schema)}


def aggregates() -> list[str]:
    expressions = inputs.Expressions(SEED)
    found = []
    for number, entry in enumerate(parity.AGGREGATES):
        for sample in entry.samples:
            for turn in range(2):
                keys = KEYS[(number + turn) % len(KEYS)]
                calls = list(expressions.alone([sample], 2))
                listed = ", ".join(f"{call} AS x{i}" for i, call in enumerate(calls))
                found.append(
                    f"SELECT {keys + ', ' if keys else ''}{listed} FROM edges" + (f" GROUP BY {keys}" if keys else "")
                )
    return found


@pytest.mark.parametrize("sql", aggregates())
def test_aggregates(edges, sql):
    agree(*edges, sql)


QUERIES = [
    "SELECT DISTINCT f FROM edges",
    "SELECT DISTINCT b, s FROM edges",
    "SELECT a.row, z.row AS other FROM edges a JOIN edges z ON a.f = z.f",
    "SELECT a.row, z.row AS other FROM edges a JOIN edges z ON a.f <=> z.f AND a.s <=> z.s",
    "SELECT a.row, z.row AS other FROM edges a LEFT JOIN edges z ON a.i8 = z.d AND a.row < z.row",
    "SELECT a.row, z.row AS other FROM edges a FULL JOIN edges z ON a.t = z.c",
    "SELECT a.row, z.row AS other FROM edges a RIGHT JOIN (SELECT row, s FROM edges WHERE s LIKE 'a%') z ON a.s > z.s",
    "SELECT row FROM edges UNION SELECT i32 FROM edges",
    "SELECT f FROM edges UNION ALL SELECT i8 FROM edges",
    "SELECT d FROM edges UNION SELECT e FROM edges",
    "SELECT k8, SUM(d) AS total FROM edges GROUP BY k8 HAVING SUM(d) > 100",
    "SELECT k8, 100.00 * SUM(CASE WHEN s LIKE 'a%' THEN d * (1 - e) ELSE 0 END) / SUM(d * (1 - e)) AS share "
    "FROM edges GROUP BY k8",
    "SELECT k8 + 1 AS next, COUNT(*) AS n, AVG(d) AS mean FROM edges WHERE d <> 0 AND e / d < 5 GROUP BY k8 + 1",
    "SELECT f AS d, d AS f FROM edges WHERE f > 1",
    "SELECT DISTINCT s, i8 FROM edges UNION SELECT p, NULL FROM edges",
    "SELECT row, s, f FROM edges ORDER BY f DESC, s, row LIMIT 9",
    "SELECT row, f FROM edges ORDER BY f NULLS LAST, row DESC LIMIT 5 OFFSET 3",
    "SELECT row, RANK() OVER (PARTITION BY k8 ORDER BY f) AS place FROM edges",
    "SELECT row, SUM(i8) OVER (PARTITION BY f ORDER BY row) AS running, LAG(s) OVER (PARTITION BY b ORDER BY row) AS s "
    "FROM edges",
    "SELECT k8, b, COUNT(*) AS n, SUM(i8) AS total FROM edges GROUP BY ROLLUP (k8, b)",
    "SELECT row FROM edges a WHERE EXISTS (SELECT 1 FROM edges z WHERE z.f = a.f AND z.row <> a.row)",
    "SELECT row FROM edges WHERE d > (SELECT AVG(d) FROM edges)",
    "SELECT row FROM edges WHERE i8 NOT IN (SELECT k8 FROM edges WHERE k8 IS NOT NULL)",
]  # fmt: skip


@pytest.mark.parametrize("sql", QUERIES)
def test_queries(edges, sql):
    agree(*edges, sql)


def test_the_meaning_of_names(spark):
    """The queries of `meaning.sql` that the lane takes: most of them."""
    tables = {
        "a": "SELECT * FROM VALUES (1, 1, 'x'), (1, 2, 'y'), (2, 2, NULL), (3, NULL, 'xy'), (1, 2, 'y') AS t(k, v, s)",
        "b": "SELECT * FROM VALUES (1, 1D), (1, 2D), (2, 2.5D), (NULL, 0.5D), (4, NULL) AS t(k, f)",
    }
    connection, sources = connect(), {}
    for name, sql in tables.items():
        frame = spark.sql(sql)
        frame.createOrReplaceTempView(name)
        rows = frame.toArrow()
        sources[name] = plan_schema(rows.schema)
        connection.register(f"given_{name}", rows)
        connection.execute(f"CREATE TABLE {name} AS SELECT * FROM given_{name}")
    refused = []
    queries = titled_queries(MEANING)
    for title, sql in queries.items():
        try:
            agree(spark, connection, sources, sql)
        except HeadwaterError as error:
            assert error.key.startswith("lane."), error
            refused.append(f"{title}: {error}")
    assert len(refused) <= len(queries) // 3, refused


def agree(spark, connection, sources, sql: str) -> None:
    def analyse(text: str):
        return tuple(Column(f.name, f.dataType.simpleString()) for f in spark.sql(text).schema.fields)

    schema = analyse(sql)
    plan = plan_of(sql, sources, schema, {}, analyse, {})
    written = duckdb_sql(plan, lambda leaf: leaf.table)
    found = connection.sql(written).to_arrow_table().cast(arrow_schema(plan.schema))
    try:
        expected = spark.sql(sql).toArrow()
    except Exception as error:
        raise AssertionError(
            f"Spark raises {str(error)[:200]}, the lane gives {found.to_pylist()[:5]} for {sql}"
        ) from None
    assert [spark_type(field.type) for field in found.schema] == [item.type for item in plan.schema]
    assert bag(found) == bag(expected), f"{sql}\n{written}"


def bag(rows: pa.Table) -> list[str]:
    return sorted(str([_shown(value) for value in row.values()]) for row in _numbers(rows).to_pylist())


def _numbers(rows: pa.Table) -> pa.Table:
    columns = {}
    for name, column in zip(rows.column_names, rows.columns, strict=True):
        if pa.types.is_date(column.type):
            column = column.cast(pa.int32())
        columns[name] = column.cast(pa.int64()) if pa.types.is_timestamp(column.type) else column
    return pa.table(columns)


def _shown(value: object) -> object:
    """Doubles to twelve digits: what is summed in another order differs beyond."""
    if isinstance(value, float) and not math.isnan(value):
        return f"{value:.12g}"
    return value
