"""A change between two versions is the difference of their bags, whoever wrote them."""

from __future__ import annotations

import itertools
import math
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

from .counting import SCHEMA, bag, delete, minus, rows, table_of, update

steps = st.lists(
    st.one_of(
        st.tuples(st.just("append"), st.lists(rows, max_size=4)),
        st.tuples(st.just("delete"), st.sampled_from(["k = 1", "x > 1", "s = ''", None, "k IS NULL"])),
        st.tuples(st.just("update"), st.sampled_from(["k = 1", "s = 'a'", None])),
        st.tuples(st.just("upsert"), st.lists(rows, max_size=4)),
        st.tuples(st.just("optimize"), st.none()),
        st.tuples(st.just("outside delete"), st.sampled_from(["k = 1", "x > 1", "x = 1.5", "s = ''", "k IS NULL"])),
        st.tuples(st.just("outside update"), st.sampled_from(["k = 1", "x > 0", "s = 'a'", None])),
        st.tuples(st.just("outside merge"), st.lists(rows, max_size=4)),
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
            delete(folder, argument)
        case "update":
            update(folder, {"x": "coalesce(x, 0) + 1"}, argument)
        case "upsert":
            unique = {row[0]: row for row in argument if row[0] is not None}
            folder.upsert(table_of(list(unique.values())), ["k"])
        case "optimize":
            DeltaTable(folder.path).optimize.compact()
            folder.latest()
        case "outside delete":
            DeltaTable(folder.path).delete(argument)
        case "outside update":
            DeltaTable(folder.path).update(updates={"k": "2"}, predicate=argument)
        case "outside merge":
            unique = {row[0]: row for row in argument}
            merge = DeltaTable(folder.path).merge(
                table_of(list(unique.values())), "old.k = new.k", source_alias="new", target_alias="old"
            )
            merge.when_matched_delete(predicate="new.x = 1.5").when_matched_update({"k": "2"})
            merge.when_not_matched_insert_all().execute()
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
            folder.latest()
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
    update(folder, {"x": "9"}, "k = 1")
    read = folder.changes(1).read(columns=["s", "k"])
    assert read.column_names == ["s", "k", WEIGHT]


def test_the_feed_is_used_where_there_is_one(folder: DeltaFolder) -> None:
    update(folder, {"x": "9"}, "k = 1")
    change = folder.changes(1)
    assert [piece.kind for piece in change.pieces] == ["cdc"]
    assert not change.needs_netting
    assert change.rows == 2


def test_whole_files_need_netting_and_are_netted(tmp_path) -> None:
    folder = DeltaFolder.create(tmp_path / "t", SCHEMA, feed=False)
    folder.append(table_of([(n, 1.0, "a") for n in range(100)]))
    DeltaTable(folder.path).update(updates={"x": "9"}, predicate="k = 1")
    change = folder.changes(1)
    assert change.needs_netting
    assert change.rows == 200
    assert change.read().num_rows == 2


def test_a_file_added_and_removed_inside_the_range_cancels(tmp_path) -> None:
    folder = DeltaFolder.create(tmp_path / "t", SCHEMA, feed=False)
    folder.append(table_of([(1, 1.0, "a")]))
    delete(folder)
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
    for since, until, named in [(0, 9, 9), (-1, 1, -1), (5, None, 5), (None, 1, None), ("1", 1, "1")]:
        with pytest.raises(HeadwaterError) as error:
            folder.changes(since, until)
        assert error.value.key == "version.unknown"
        assert error.value.params["version"] == named
    with pytest.raises(HeadwaterError) as error:
        folder.changes(1, 0)
    assert error.value.key == "version.order"


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
    delete(folder, "k = 1")
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
    update(folder, {"z": "1"}, "k = 1")
    assert bag(folder.changes(2).read()) == {(1, 1.0, "a", None): -1, (1, 1.0, "a", 1): 1}


def test_an_update_that_gives_a_row_the_values_of_another(folder: DeltaFolder) -> None:
    """delta-rs records a difference of sets, which loses rows; the recorded change has to be the change."""
    folder.append(table_of([(3, 2.0, "b"), (3, 2.0, "b")]))
    assert update(folder, {"k": "3"}, "s = 'b'") == 3
    assert bag(folder.changes(2).read()) == {(2, 2.0, "b"): -1, (3, 2.0, "b"): 1}
    assert update(folder, {"k": "k + 1"}, "k > 0") == 4
    assert bag(folder.changes(3).read()) == minus(bag(folder.read(4)), bag(folder.read(3)))


@pytest.mark.parametrize("feed", [True, False])
def test_an_update_by_delta_rs_is_read_from_its_files(tmp_path, feed: bool) -> None:
    folder = DeltaFolder.create(tmp_path / "t", SCHEMA, feed=feed)
    folder.append(table_of([(1, 1.0, "x"), (2, 1.0, "x")]))
    DeltaTable(folder.path).update(updates={"k": "2"}, predicate="s = 'x'")
    assert bag(folder.changes(1).read()) == {(1, 1.0, "x"): -1, (2, 1.0, "x"): 1}


def test_a_delete_by_delta_rs_from_a_table_with_nan_is_read_from_its_files(folder: DeltaFolder) -> None:
    """By statistics that leave NaN out it takes the file to match, and loses the row with NaN; its record does not."""
    folder.append(table_of([(3, 1.5, "c"), (4, math.nan, "d")]))
    DeltaTable(folder.path).delete("x = 1.5")
    assert bag(folder.changes(2).read()) == minus(bag(folder.read(folder.latest())), bag(folder.read(2)))


def test_merges_and_plain_deletes_by_delta_rs_are_read_from_their_feed(tmp_path) -> None:
    schema = pa.schema([("k", pa.int64()), ("s", pa.string())])
    folder = DeltaFolder.create(tmp_path / "t", schema)
    folder.append(table_of([(1, "x"), (1, "x"), (2, "x"), (3, "z")], schema))
    DeltaTable(folder.path).delete("k = 3")
    merge = DeltaTable(folder.path).merge(table_of([(1, "z")], schema), "t.k = s.k", source_alias="s", target_alias="t")
    merge.when_matched_update_all().execute()
    for since in (1, 2):
        assert {piece.kind for piece in folder.changes(since).pieces} == {"cdc"}
    assert bag(folder.changes(1).read()) == {(3, "z"): -1, (1, "x"): -2, (1, "z"): 2}


def test_other_readers_find_the_same_change_in_the_feed(folder: DeltaFolder) -> None:
    update(folder, {"s": "'z'"}, "k = 1")
    delete(folder, "k = 2")
    folder.upsert(table_of([(1, 5.0, "u"), (9, 9.0, "n")]), ["k"])
    feed = pa.table(DeltaTable(folder.path).load_cdf(2).read_all())
    signs = {"insert": 1, "update_postimage": 1, "delete": -1, "update_preimage": -1}
    weights = pa.array([signs[kind] for kind in feed.column("_change_type").to_pylist()], pa.int64())
    assert bag(feed.select(SCHEMA.names).append_column(WEIGHT, weights)) == bag(folder.changes(1).read())
    assert DeltaTable(folder.path).history()[0]["operationMetrics"]["numInsertedRows"] == "1"


def test_files_without_a_touched_row_stay(folder: DeltaFolder) -> None:
    folder.append(table_of([(3, 3.0, "c")]))
    before = {file.path for file in folder.files()}
    update(folder, {"s": "'new'"}, "k >= 3")
    assert len(before & {file.path for file in folder.files()}) == 1
    assert update(folder, {"s": "'new'"}, "k >= 3") == folder.version == 3  # every row is so already


def test_own_commits_cross_a_checkpoint(tmp_path) -> None:
    folder = DeltaFolder.create(tmp_path / "t", SCHEMA)
    folder.append(table_of([(0, 0.0, "a")]))
    for _ in range(101):
        update(folder, {"k": "k + 1"})
    assert list(Path(folder.path, "_delta_log").glob("*.checkpoint.parquet"))
    assert bag(DeltaFolder.open(folder.path).read()) == {(101, 0.0, "a"): 1}
