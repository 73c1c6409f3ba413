"""A change between two versions is the difference of their bags, whoever wrote them."""

from __future__ import annotations

import itertools
import shutil
import tempfile
from pathlib import Path

import deltalake
import pyarrow as pa
import pytest
from deltalake import DeltaTable
from hypothesis import given, settings
from hypothesis import strategies as st

from headwater.errors import HeadwaterError
from headwater.lake import storage
from headwater.lake.bags import WEIGHT
from headwater.lake.delta_table import DeltaFolder
from headwater.lake.snapshot_edit import apply_change, replace

from .counting import SCHEMA, bag, minus, rows, table_of

steps = st.lists(
    st.one_of(
        st.tuples(st.just("append"), st.lists(rows, max_size=4)),
        st.tuples(st.just("delete"), st.sampled_from(["k = 1", "x > 1", "s = ''", None, "k IS NULL"])),
        st.tuples(st.just("update"), st.sampled_from(["k = 1", "s = 'a'", None])),
        st.tuples(st.just("upsert"), st.lists(rows, max_size=4)),
        st.tuples(st.just("optimize"), st.none()),
        st.tuples(st.just("replace"), st.lists(rows, max_size=4)),
    ),
    min_size=1,
    max_size=7,
)


def step(folder: DeltaFolder, kind: str, argument: object) -> None:
    match kind:
        case "append":
            folder.append(table_of(argument))
        case "delete":
            folder.delete(argument)
        case "update":
            folder.update({"x": "coalesce(x, 0) + 1"}, argument)
        case "upsert":
            unique = {row[0]: row for row in argument if row[0] is not None}
            folder.upsert(table_of(list(unique.values())), ["k"])
        case "optimize":
            DeltaTable(folder.path).optimize.compact()
            folder.latest()
        case "replace":
            replace(folder, folder.write(table_of(argument)))


@pytest.mark.parametrize("feed", [True, False])
@settings(max_examples=25, deadline=None)
@given(content=steps)
def test_change_is_the_difference_of_two_snapshots(feed: bool, content: list) -> None:
    path = tempfile.mkdtemp()
    try:
        folder = DeltaFolder.create(path, SCHEMA, feed=feed)
        for kind, argument in content:
            step(folder, kind, argument)
        bags = [bag(folder.read(version)) for version in range(folder.version + 1)]
        for since, until in itertools.combinations_with_replacement(range(folder.version + 1), 2):
            change = folder.changes(since, until)
            assert bag(change.read()) == minus(bags[until], bags[since]), (since, until)
            assert change.rows >= change.read().num_rows
    finally:
        shutil.rmtree(path)


@pytest.fixture
def folder(tmp_path) -> DeltaFolder:
    made = DeltaFolder.create(tmp_path / "t", SCHEMA)
    made.append(table_of([(1, 1.0, "a"), (2, 2.0, "b")]))
    return made


def test_nothing_happened(folder: DeltaFolder) -> None:
    change = folder.changes(1)
    assert change.empty
    assert change.rows == 0
    assert change.read().schema == SCHEMA.append(pa.field(WEIGHT, pa.int64()))


def test_columns_are_pruned_and_ordered(folder: DeltaFolder) -> None:
    folder.update({"x": "9"}, "k = 1")
    read = folder.changes(1).read(columns=["s", "k"])
    assert read.column_names == ["s", "k", WEIGHT]


def test_the_feed_is_used_where_there_is_one(folder: DeltaFolder) -> None:
    folder.update({"x": "9"}, "k = 1")
    change = folder.changes(1)
    assert [piece.kind for piece in change.pieces] == ["cdc"]
    assert not change.needs_netting
    assert change.rows == 2


def test_whole_files_need_netting_and_are_netted(tmp_path) -> None:
    folder = DeltaFolder.create(tmp_path / "t", SCHEMA, feed=False)
    folder.append(table_of([(n, 1.0, "a") for n in range(100)]))
    folder.update({"x": "9"}, "k = 1")
    change = folder.changes(1)
    assert change.needs_netting
    assert change.rows == 200
    assert change.read().num_rows == 2


def test_a_file_added_and_removed_inside_the_range_cancels(tmp_path) -> None:
    folder = DeltaFolder.create(tmp_path / "t", SCHEMA, feed=False)
    folder.append(table_of([(1, 1.0, "a")]))
    folder.delete()
    assert folder.changes(0).empty


def test_optimize_is_no_change(folder: DeltaFolder) -> None:
    folder.append(table_of([(3, 3.0, "c")]))
    before = folder.latest()
    DeltaTable(folder.path).optimize.compact()
    assert folder.latest() > before
    assert folder.changes(before).empty
    assert bag(folder.changes(1).read()) == bag(table_of([(3, 3.0, "c")]))


def test_an_edit_names_its_own_change_file(folder: DeltaFolder) -> None:
    change = folder.changes(0, 1).read().slice(0, 1).set_column(3, WEIGHT, pa.array([-1], pa.int64()))
    apply_change(folder, change)
    found = folder.changes(1)
    assert [piece.kind for piece in found.pieces] == ["cdc"]
    assert bag(found.read()) == bag(change)


def test_unknown_versions(folder: DeltaFolder) -> None:
    for since, until in [(0, 9), (-1, 1), (1, 0), (5, None)]:
        with pytest.raises(HeadwaterError) as error:
            folder.changes(since, until)
        assert error.value.key == "version.unknown"


def test_a_cleaned_log_is_named(folder: DeltaFolder) -> None:
    folder.append(table_of([(3, 3.0, "c")]))
    DeltaTable(folder.path).create_checkpoint()
    for version in (0, 1):
        Path(storage.commit_path(folder.path, version)).unlink()
    with pytest.raises(HeadwaterError) as error:
        DeltaFolder.open(folder.path).changes(0)
    assert error.value.key == "version.vacuumed"
    assert bag(DeltaFolder.open(folder.path).changes(1).read()) == {(3, 3.0, "c"): 1}
    with pytest.raises(HeadwaterError) as error:
        DeltaFolder.open(folder.path).read(0)
    assert error.value.key == "version.vacuumed"


def test_a_vacuumed_file_is_named(folder: DeltaFolder) -> None:
    folder.delete("k = 1")
    folder.vacuum(folder.version)
    with pytest.raises(HeadwaterError) as error:
        folder.changes(0)
    assert error.value.key == "version.vacuumed"
    with pytest.raises(HeadwaterError) as error:
        folder.read(1)
    assert error.value.key == "version.vacuumed"


def test_an_added_column_is_null_in_old_rows(folder: DeltaFolder) -> None:
    wider = SCHEMA.append(pa.field("z", pa.int32()))
    deltalake.write_deltalake(folder.path, table_of([(3, 3.0, "c", 7)], wider), mode="append", schema_mode="merge")
    folder.latest()
    assert folder.schema == wider
    assert bag(folder.read()) == bag(table_of([(1, 1.0, "a", None), (2, 2.0, "b", None), (3, 3.0, "c", 7)], wider))
    assert bag(folder.changes(0).read()) == bag(folder.read())
    assert bag(folder.changes(0, 1).read()) == bag(table_of([(1, 1.0, "a"), (2, 2.0, "b")]))
    folder.update({"z": "1"}, "k = 1")
    assert bag(folder.changes(2).read()) == {(1, 1.0, "a", None): -1, (1, 1.0, "a", 1): 1}
