"""The stream of changes: every table is disturbed in every batch, keys hold, and the queries still run."""

from __future__ import annotations

import pytest

import headwater as hw
from tests.recompute import Duck
from tests.tpcds.changes import stream
from tests.tpcds.data import generate
from tests.tpcds.schema import KEYS, TABLES
from tests.tpcds.texts import QUERIES, query_text

pytestmark = pytest.mark.slow

BATCHES = 3


@pytest.fixture(scope="module")
def tables():
    return generate()


def disturbed(path, tables, batches, seed=0):
    """The tables after some batches, and per batch and table its numbers of rows that came and went."""
    moves = []
    with hw.connect(str(path)) as lake:
        for name, rows in tables.items():
            lake.create_table(name, rows)
        changes = stream(lake, seed)
        for _ in range(batches):
            before = {name: lake.table(name).version for name in TABLES}
            changes.batch()
            for name in TABLES:
                weights = lake.table(name).changes(before[name]).column("_hw_weight").to_pylist()
                moves.append((name, sum(weight > 0 for weight in weights), sum(weight < 0 for weight in weights)))
        keys = {name: [(key, "ascending") for key in KEYS[name]] for name in TABLES}
        return {name: lake.table(name).arrow().sort_by(keys[name]) for name in TABLES}, moves


def test_every_table_moves_in_every_batch_and_queries_still_run(tmp_path, tables):
    after, moves = disturbed(tmp_path, tables, BATCHES)
    for name, came, went in moves:
        assert came >= 1 and went >= 1, name
    for name, rows in after.items():
        keys = list(zip(*(rows.column(column).to_pylist() for column in KEYS[name]), strict=True))
        assert len(set(keys)) == len(keys), name
        assert all(None not in key for key in keys), name
        assert abs(rows.num_rows - tables[name].num_rows) <= 4 * BATCHES, name
    duck = Duck(after)
    for query in QUERIES:
        duck.rows(query_text(query))


def test_the_same_seed_gives_the_same_stream(tmp_path, tables):
    first, _ = disturbed(tmp_path / "one", tables, 1)
    second, _ = disturbed(tmp_path / "two", tables, 1)
    assert all(rows.equals(second[name]) for name, rows in first.items())
