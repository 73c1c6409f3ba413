"""A query travels through sqlglot and a plan: what is written for Spark must mean what the user wrote.

Every expression of `expressions/` and every query of `meaning.sql` is evaluated once by the user's text and once by the
compiled plan of that text, on Spark.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from headwater.engine.spark import frames
from headwater.sql.dialect import ViewSql
from headwater.sql.parse import parse_query, qualified
from headwater.sql.pinned import pinned
from tests.delta.harness import queries
from tests.engine.on_spark import check
from tests.goldens import titled_queries

MEANING = Path(__file__).with_name("meaning.sql")
FOLDER = Path(__file__).with_name("expressions")  # one expression a line
GROUPS = sorted(path.stem for path in FOLDER.glob("[a-z]*.sql"))


@pytest.fixture(scope="module")
def edges(spark):
    spark.sql((FOLDER / "_rows.sql").read_text(encoding="utf-8")).createOrReplaceTempView("edges")
    return spark


@pytest.mark.parametrize("group", GROUPS)
def test_expressions(edges, group):
    lines = (FOLDER / f"{group}.sql").read_text(encoding="utf-8").splitlines()
    check(
        edges,
        [f"SELECT {expression} AS x, i AS row FROM edges" for expression in lines],
        {"edges": edges.table("edges")},
    )


def test_queries(edges):
    """Aliases that hide columns, types that meet, names that are resolved in one way and not in another."""
    tables = {
        "a": edges.sql(
            "SELECT * FROM VALUES (1, 1, 'x'), (1, 2, 'y'), (2, 2, NULL), (3, NULL, 'xy'), (1, 2, 'y') AS t(k, v, s)"
        ),
        "b": edges.sql("SELECT * FROM VALUES (1, 1D), (1, 2D), (2, 2.5D), (NULL, 0.5D), (4, NULL) AS t(k, f)"),
    }
    check(edges, list(titled_queries(MEANING).values()), tables)


def test_every_operator(edges):
    """The queries that the change rules are tried on: Spark reads the compiled plan as it reads the (pinned) text."""
    data = {
        "a": "(1,1,'x'),(1,2,'y'),(1,2,'y'),(2,NULL,'x'),(NULL,1,NULL),(3,2,'') AS t(k, v, s)",
        "b": "(1,1,'x'),(2,2,'y'),(2,3,NULL),(NULL,1,'x'),(4,1,'x') AS t(k, w, s)",
        "c": "(1,2,CAST(NULL AS DECIMAL(6,2)),1.5D),(2,1,3.25,NULL),(NULL,NULL,2,1.0D) AS t(k, j, d, f)",
    }
    tables = {name: edges.sql(f"SELECT * FROM VALUES {rows}") for name, rows in data.items()}
    sources = {name: frames.schema_of(frame) for name, frame in tables.items()}
    types = {name: {item.name: item.type for item in columns} for name, columns in sources.items()}
    check(edges, [with_one_answer(sql, types) for sql in queries().values()], tables)


def with_one_answer(sql: str, types: dict) -> str:
    query = qualified(parse_query(sql), types)
    made = pinned(query)
    return sql if made == query else made.sql(dialect=ViewSql)
