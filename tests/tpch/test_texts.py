"""The parameters chosen for the small scale: every answer has rows."""

from __future__ import annotations

from tests.recompute import Duck
from tests.tpch.data import QUERIES, generate, query_text


def test_every_query_finds_rows(tmp_path):
    duck = Duck(generate(tmp_path))
    empty = [query for query in QUERIES if not any(value for row in duck.rows(query_text(query)) for value in row)]
    assert empty == []
