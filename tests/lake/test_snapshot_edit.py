"""Applying signed changes to a folder of plain rows."""

from __future__ import annotations

import math
import shutil
import tempfile
from collections import Counter

import deltalake
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headwater.errors import Conflict, HeadwaterError
from headwater.lake import folding, parquet_files
from headwater.lake.bags import WEIGHT
from headwater.lake.commits import admit
from headwater.lake.delta_table import DeltaFolder
from headwater.lake.snapshot_edit import Reshaped, apply_change, replace

from .counting import SCHEMA, bag, minus, nonzero, rows, signed, table_of


@st.composite
def edits(draw: st.DrawFn) -> list:
    """A history of changes in which every removal finds its row."""
    present: Counter = Counter()
    spelled: dict = {}
    history = []
    for _ in range(draw(st.integers(1, 5))):
        change: list = []
        for row in draw(st.lists(rows, max_size=5)):
            change.append((row, draw(st.integers(1, 2))))
        for row, count in sorted(present.items(), key=repr):
            gone = draw(st.integers(0, count))
            if gone:
                change.append((spelled[row], -gone))
        for row, weight in change:
            key = next(iter(bag(table_of([row]))))
            spelled[key] = row
            present[key] += weight
        present = nonzero(present)
        history.append(change)
    return history


@settings(max_examples=40, deadline=None)
@given(history=edits())
def test_rows_after_are_rows_before_plus_change(history: list) -> None:
    path = tempfile.mkdtemp()
    try:
        folder = DeltaFolder.create(path, SCHEMA)
        expected: Counter = Counter()
        for change in history:
            table = signed([row for row, _ in change], [weight for _, weight in change])
            before = folder.latest()
            version = apply_change(folder, table, expected=before)
            assert version == before + 1
            expected.update(bag(table))
            expected = nonzero(expected)
            assert bag(folder.read()) == expected
            assert folder.rows() == folder.read().num_rows
            assert bag(folder.changes(before).read()) == bag(table)
        assert bag(DeltaFolder.open(path).read()) == expected
    finally:
        shutil.rmtree(path)


@pytest.fixture
def folder(tmp_path) -> DeltaFolder:
    made = DeltaFolder.create(tmp_path / "v", SCHEMA)
    apply_change(made, signed([(1, 1.0, "a"), (2, math.nan, None)], [1, 2]), metadata={"cursor": {"t": 1}})
    return made


def test_a_removal_that_is_not_there_changes_nothing(folder: DeltaFolder) -> None:
    before = bag(folder.read())
    for row, count in [((9, 9.0, "z"), -1), ((1, 1.0, "a"), -2), ((2, None, None), -1), ((2, math.nan, ""), -1)]:
        with pytest.raises(HeadwaterError) as error:
            apply_change(folder, signed([row, (5, 5.0, "n")], [count, 1]))
        assert error.value.key == "view.inconsistent"
    assert folder.latest() == 1
    assert bag(folder.read()) == before


def test_an_empty_change_still_moves_the_cursor(folder: DeltaFolder) -> None:
    apply_change(folder, signed([], []), metadata={"cursor": {"t": 2}})
    assert folder.metadata_of_latest("cursor") == (2, {"t": 2})
    assert bag(folder.read()) == {(1, 1.0, "a"): 1, (2, "NaN", None): 2}


def test_all_rows_can_go(folder: DeltaFolder) -> None:
    apply_change(folder, signed([(1, 1.0, "a"), (2, math.nan, None)], [-1, -2]))
    assert folder.read().num_rows == 0
    assert folder.files() == ()


def test_a_replayed_transaction_does_nothing(folder: DeltaFolder) -> None:
    change = signed([(1, 1.0, "a")], [-1])
    version = apply_change(folder, change, transaction=("refresh", 7))
    assert apply_change(folder, change, transaction=("refresh", 7), expected=1) == version
    assert folder.latest() == version
    assert DeltaFolder.open(folder.path).transaction_version("refresh") == 7


def test_another_writer_is_a_conflict(folder: DeltaFolder) -> None:
    DeltaFolder.open(folder.path).append(table_of([(3, 3.0, "c")]))
    with pytest.raises(Conflict):
        apply_change(folder, signed([(1, 1.0, "a")], [-1]), expected=1)
    assert folder.latest() == 2


def test_replace_is_one_commit(folder: DeltaFolder) -> None:
    before = bag(folder.read())
    version = replace(folder, folder.write(table_of([(7, 7.0, "g")])), metadata={"cursor": {"t": 9}}, expected=1)
    assert version == 2
    assert bag(folder.read()) == {(7, 7.0, "g"): 1}
    assert bag(folder.changes(1).read()) == minus(bag(folder.read()), before)
    assert folder.metadata_of_latest("cursor") == (2, {"t": 9})


OTHER = pa.schema([("ts", pa.timestamp("us")), ("k", pa.string())])
OTHER_ROWS = pa.table({"ts": pa.array([0, None], pa.timestamp("us")), "k": ["x", "y"]}, schema=OTHER)


def test_replace_can_change_the_schema_in_the_same_commit(folder: DeltaFolder) -> None:
    held, before = DeltaFolder.open(folder.path), bag(folder.read())
    admit(folder, OTHER)
    admit(folder, OTHER)
    base = folder.latest()
    assert bag(held.read()) == before
    files = Reshaped(folder.path, OTHER).write(OTHER_ROWS)
    assert replace(folder, files, metadata={"cursor": 2}, expected=base, schema=OTHER) == base + 1
    for each in (folder, DeltaFolder.open(folder.path), held):
        each.latest()
        assert (each.schema, each.read()) == (OTHER, OTHER_ROWS)
        assert bag(each.read(base)) == before
    assert deltalake.DeltaTable(folder.path).to_pyarrow_table().to_pylist() == OTHER_ROWS.to_pylist()
    assert folder.metadata_of_latest("cursor") == (base + 1, 2)
    assert folder.delta.metadata().configuration["delta.enableChangeDataFeed"] == "true"


def test_a_schema_is_not_changed_over_another_writers_commit(folder: DeltaFolder) -> None:
    admit(folder, OTHER)
    base = folder.latest()
    apply_change(DeltaFolder.open(folder.path), signed([(1, 1.0, "a")], [-1]))
    files = Reshaped(folder.path, OTHER).write(OTHER_ROWS)
    with pytest.raises(Conflict):
        replace(folder, files, expected=base, schema=OTHER)
    assert folder.read(folder.latest()).num_rows == 2


def test_the_number_of_files_stays_bounded(tmp_path) -> None:
    folder = DeltaFolder.create(tmp_path / "v", SCHEMA)
    for n in range(60):
        apply_change(folder, signed([(n, float(n), "s")], [1]))
        assert len(folder.files()) < folding.FANOUT
        assert bag(folder.changes(folder.version - 1).read()) == {(n, float(n), "s"): 1}
    assert folder.rows() == 60


def test_only_files_that_lose_rows_are_rewritten(tmp_path, monkeypatch) -> None:
    folder = DeltaFolder.create(tmp_path / "v", SCHEMA)
    monkeypatch.setattr(folding, "MAX_ROWS_PER_FILE", 0)  # no folding
    numbers = np.arange(40_000)
    data = pa.table({"k": numbers, "x": numbers / 7, "s": [f"name {n}" for n in numbers]})
    folder.commit(folder.write(data, max_rows_per_file=10_000))
    before = {file.path for file in folder.files()}
    lost = data.take(pa.array([12_345])).append_column(WEIGHT, pa.array([-1], pa.int64()))
    apply_change(folder, lost)
    after = {file.path for file in folder.files()}
    assert len(before & after) == 3
    assert folder.rows() == 39_999


@pytest.mark.parametrize(
    "kind, values",
    [
        (pa.string(), ["x" * 5000 + "a", "x" * 5000 + "b", "\U0010ffff" * 40, "é" * 100]),
        (pa.decimal128(38, 2), ["12345678901234567890123456789012345.67", "12345678901234567890123456789012345.68"]),
        (pa.decimal128(12, 2), ["1234567890.12", "-0.01"]),
        (pa.timestamp("us", "UTC"), [1_700_000_000_123_456, -62_135_596_800_000_000, 253_402_300_799_999_999]),
        (pa.timestamp("us"), [1_700_000_000_123_456, 999]),
        (pa.timestamp("us"), [300_000_000_000_000_000]),
        (pa.date32(), [0, -700_000, 2_900_000, 9_000_000]),
        (pa.int64(), [2**63 - 1, -(2**63), 2**53 + 1]),
        (pa.float64(), [1e308, 5e-324, math.inf, -math.inf, 0.1 + 0.2]),
        (pa.float32(), [0.1]),
        (pa.bool_(), [True, False]),
        (pa.binary(), [b"\xff" * 100, b""]),
        (pa.list_(pa.field("element", pa.int64())), [[1], [None], []]),
        (pa.struct([("a", pa.int64())]), [{"a": 1}, {"a": None}]),
    ],
)
def test_statistics_never_hide_a_row(tmp_path, kind: pa.DataType, values: list) -> None:
    """Every value is found again, alone in its file, through both our statistics and delta-rs's."""
    column = pa.array(values).cast(kind) if pa.types.is_decimal(kind) else pa.array(values, kind)
    data = pa.table({"v": column})
    folder = DeltaFolder.create(tmp_path / "v", data.schema)
    folder.commit(folder.write(data, max_rows_per_file=1))
    deltalake.write_deltalake(folder.path, data, mode="append")
    folder.latest()
    count = folder.read().num_rows // len(values)
    apply_change(folder, folder.read().slice(0, len(values)).append_column(WEIGHT, pa.array([-count] * len(values))))
    assert folder.read().num_rows == 0


def test_a_large_file_is_split_and_read_back(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(parquet_files, "ROW_GROUP_ROWS", 100)
    folder = DeltaFolder.create(tmp_path / "v", SCHEMA)
    data = table_of([(n, float(n), str(n)) for n in range(1000)])
    folder.commit(folder.write(data, max_rows_per_file=300))
    assert [file.rows for file in sorted(folder.files(), key=lambda file: file.stats["minValues"]["k"])] == [
        300,
        300,
        300,
        100,
    ]
    assert bag(folder.read()) == bag(data)
