"""The texts themselves: Spark and DuckDB give the same answers over the generated data, and most have rows."""

from __future__ import annotations

import pytest

from tests.recompute import Duck, difference, pinned
from tests.tpcds.data import generate
from tests.tpcds.schema import KEYS, TABLES
from tests.tpcds.texts import QUERIES, query_text

MOST = 0.8  # share of the queries whose answers must say something


@pytest.fixture(scope="module")
def tables():
    return generate()


@pytest.fixture(scope="module")
def duck(tables):
    return Duck(tables)


@pytest.fixture(scope="module")
def session(spark, tables):
    session = spark.newSession()
    for name, rows in tables.items():
        session.createDataFrame(rows).createOrReplaceTempView(name)
    return session


def test_the_same_seed_gives_the_same_tables(tables):
    assert all(rows.equals(tables[name]) for name, rows in generate().items())


def test_keys_are_unique(tables):
    for name in TABLES:
        keys = list(zip(*(tables[name].column(column).to_pylist() for column in KEYS[name]), strict=True))
        assert len(set(keys)) == len(keys) > 0, name
        assert all(None not in key for key in keys), name


def test_most_queries_find_rows(duck):
    empty = [query for query in QUERIES if not any(value for row in duck.rows(query_text(query)) for value in row)]
    assert len(QUERIES) - len(empty) >= MOST * len(QUERIES), empty


@pytest.mark.slow
@pytest.mark.parametrize("query", QUERIES)
def test_spark_and_duckdb_agree(session, duck, query):
    text = query_text(query)
    frame = session.sql(pinned(text, duck.columns(text)).sql(dialect="spark"))
    assert len(set(frame.columns)) == len(frame.columns), "a view's columns need names of their own"
    assert difference([tuple(row) for row in frame.collect()], duck.rows(text)) == ""
