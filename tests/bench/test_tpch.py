"""The queries and the data: what a view keeps of a query, and that generating is done once."""

from __future__ import annotations

import duckdb
import pytest
import sqlglot

from headwater.bench import tpch
from headwater.bench.refusals import Refusal


@pytest.fixture(params=tpch.ALL_QUERIES)
def query(request) -> str:
    return request.param


def test_a_view_loses_an_idle_outer_order_and_nothing_else(query):
    whole = sqlglot.parse_one(tpch.query_text(query), dialect="spark")
    view = sqlglot.parse_one(tpch.view_text(query), dialect="spark")
    if not tpch.has_limit(query):
        whole.set("order", None)
    assert view.sql() == whole.sql()


def test_limits_are_known(query):
    assert tpch.has_limit(query) == (query in {"q2", "q3", "q10", "q18", "q21"})


def test_tables_are_those_the_query_reads(query):
    parsed = sqlglot.parse_one(tpch.view_text(query), dialect="spark")
    named = {table.name for table in parsed.find_all(sqlglot.exp.Table)} & set(tpch.TABLES)
    assert set(tpch.tables_of(tpch.view_text(query))) == named


def test_every_query_runs(query, generated):
    folder = tpch.generate(0.001, generated)
    with duckdb.connect() as connection:
        for name in tpch.TABLES:
            connection.sql(f"create view {name} as select * from '{folder / name}.parquet'")
        connection.sql(tpch.query_text(query)).fetchall()


def test_data_are_generated_once(generated):
    folder = tpch.generate(0.001, generated)
    before = {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}
    assert tpch.generate(0.001, generated) == folder
    assert {path.name: path.stat().st_mtime_ns for path in folder.iterdir()} == before
    assert sorted(before) == sorted(f"{name}.parquet" for name in tpch.TABLES)


def test_a_missing_generator_says_what_to_install(monkeypatch):
    monkeypatch.setattr("shutil.which", lambda *_, **__: None)
    with pytest.raises(Refusal, match="tpchgen-cli"):
        tpch.generator()
