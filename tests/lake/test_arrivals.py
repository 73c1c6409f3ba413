"""What came and went is counted in the log: as many rows as the change itself has."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headwater.lake import arrivals, storage
from headwater.lake.arrivals import Arrival, Arrivals
from headwater.lake.bags import WEIGHT
from headwater.lake.delta_table import DeltaFolder
from headwater.lake.parquet_folder import ParquetFolder
from headwater.lake.snapshot_edit import apply_change

from .counting import SCHEMA, delete, rows, signed, table_of, update
from .test_changes import step, steps


def counts(found: Arrivals) -> list[tuple[int, int]]:
    return [(one.inserts, one.deletes) for one in found.seen]


@pytest.fixture
def folder(tmp_path) -> DeltaFolder:
    return DeltaFolder.create(tmp_path / "t", SCHEMA)


def test_each_operation(folder):
    folder.append(table_of([(1, 0.0, "a"), (2, 0.0, "a"), (3, 0.0, "b")]))
    delete(folder, "k = 1")
    update(folder, {"x": "x + 1"}, "s = 'b'")
    folder.upsert(table_of([(2, 5.0, "c"), (9, 5.0, "c")]), ["k"])
    delete(folder)
    found = folder.arrivals()
    assert counts(found) == [(3, 0), (0, 1), (1, 1), (2, 1), (0, 3)]
    assert [one.version for one in found.seen] == [1, 2, 3, 4, 5]
    assert found.from_start


@settings(max_examples=25)
@given(content=steps)
def test_inserts_less_deletes_is_what_the_table_gained(content):
    with tempfile.TemporaryDirectory() as place:
        folder = DeltaFolder.create(os.path.join(place, "t"), SCHEMA)
        for kind, argument in content:
            step(folder, kind, argument)
        folder.latest()
        found = folder.arrivals()
        assert sum(one.inserts - one.deletes for one in found.seen) == folder.rows()
        assert all(one.inserts >= 0 and one.deletes >= 0 for one in found.seen)


@settings(max_examples=25)
@given(before=st.lists(rows, min_size=1, max_size=6), inserted=st.lists(rows, max_size=3), data=st.data())
def test_a_published_change_counts_its_own_rows(before, inserted, data):
    gone = data.draw(st.lists(st.sampled_from(range(len(before))), unique=True, max_size=len(before)))
    change = signed([*inserted, *(before[at] for at in gone)], [1] * len(inserted) + [-1] * len(gone))
    with tempfile.TemporaryDirectory() as place:
        folder = DeltaFolder.create(os.path.join(place, "t"), SCHEMA)
        folder.append(table_of(before))
        version = folder.latest()
        apply_change(folder, change)
        if folder.latest() == version or not folder.commit_at(folder.version).changes_data:
            return
        weights = folder.changes(version).read().column(WEIGHT).to_pylist()
        came, went = sum(w for w in weights if w > 0), -sum(w for w in weights if w < 0)
        assert counts(folder.arrivals())[-1] == (came, went)


def test_sparks_metrics(folder):
    folder.append(table_of([(1, 0.0, "a"), (2, 0.0, "a"), (3, 0.0, "b")]))
    delete(folder, "k = 1")
    path = Path(storage.commit_path(folder.path, 2))
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    for line in lines:
        if "commitInfo" in line:
            line["commitInfo"]["operationMetrics"] = {"numDeletedRows": "7", "numCopiedRows": "2"}
    path.write_text("\n".join(json.dumps(line) for line in lines))
    assert counts(DeltaFolder.open(folder.path).arrivals()) == [(3, 0), (0, 7)]


def test_without_metrics_the_files_are_counted(folder):
    folder.append(table_of([(1, 0.0, "a"), (2, 0.0, "a"), (3, 0.0, "b")]))
    update(folder, {"x": "x + 1"}, "k < 3")
    path = Path(storage.commit_path(folder.path, 2))
    path.write_text(path.read_text().replace("operationMetrics", "someMetrics"))
    assert counts(DeltaFolder.open(folder.path).arrivals()) == [(3, 0), (2, 2)]


def test_times_never_go_back(folder):
    found = arrivals.in_order([Arrival(1, 10.0, 1, 0), Arrival(2, 5.0, 1, 0), Arrival(3, 11.0, 1, 0)])
    assert [one.at for one in found] == [10.0, 10.0, 11.0]


def test_no_more_commits_are_looked_at_than_the_bound(folder, monkeypatch):
    monkeypatch.setattr(arrivals, "MOST_COMMITS", 5)
    for key in range(8):
        folder.append(table_of([(key, 0.0, "a")]))
    fresh = DeltaFolder.open(folder.path)
    found = fresh.arrivals()
    assert [one.version for one in found.seen] == [4, 5, 6, 7, 8]
    assert not found.from_start
    assert set(fresh._commits) == {4, 5, 6, 7, 8}


def test_a_cleaned_log_ends_the_search(folder):
    for key in range(3):
        folder.append(table_of([(key, 0.0, "a")]))
    os.remove(storage.commit_path(folder.path, 1))
    folder._commits.clear()
    found = folder.arrivals()
    assert [one.version for one in found.seen] == [2, 3]
    assert not found.from_start


def test_a_folder_of_parquet(tmp_path):
    source = tmp_path / "files"
    source.mkdir()
    pq.write_table(pa.table({"a": [1, 2]}), source / "one.parquet")
    folder = ParquetFolder(source, tmp_path / "manifest")
    pq.write_table(pa.table({"a": [3]}), source / "two.parquet")
    found = folder.arrivals()
    assert counts(found) == [(2, 0), (1, 0)]
    assert found.from_start
    assert found.seen[0].at <= found.seen[1].at


def test_an_empty_table(folder):
    assert folder.arrivals() == Arrivals((), True)
