"""Writers that do not know of each other: nothing is lost, nothing is applied twice."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from headwater.errors import Conflict, HeadwaterError
from headwater.lake.catalog import Catalog, Entry
from headwater.lake.delta_table import DeltaFolder
from headwater.lake.history import History
from headwater.lake.snapshot_edit import apply_change

from .counting import SCHEMA, bag, delete, signed, table_of, update


def together(work: Callable[[int], object], count: int) -> list:
    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(work, range(count)))


@pytest.fixture
def path(tmp_path) -> str:
    return DeltaFolder.create(tmp_path / "t", SCHEMA).path


def test_ten_appenders_with_their_own_handles(path: str) -> None:
    versions = together(lambda n: DeltaFolder.open(path).append(table_of([(n, 0.0, "x")])), 10)
    folder = DeltaFolder.open(path)
    assert sorted(versions) == list(range(1, 11))
    assert sorted(folder.read().column("k").to_pylist()) == list(range(10))
    for n, version in enumerate(versions):
        assert bag(folder.changes(version - 1, version).read()) == {(n, 0.0, "x"): 1}


def test_ten_appenders_on_one_handle(path: str) -> None:
    folder = DeltaFolder.open(path)
    versions = together(lambda n: folder.append(table_of([(n, 0.0, "x")])), 10)
    assert sorted(versions) == list(range(1, 11))
    assert folder.rows() == 10


PROCESS = """
import sys
from headwater.lake.delta_table import DeltaFolder
from tests.lake.counting import update
import pyarrow as pa
path, name = sys.argv[1:]
folder = DeltaFolder.open(path)
for n in range(10):
    folder.append(pa.table({"k": [n], "x": [0.0], "s": [name]}))
    update(folder, {"x": "x + 1"}, f"k = {n}")
"""


def test_two_processes_append_and_update(path: str) -> None:
    processes = [subprocess.Popen([sys.executable, "-c", PROCESS, path, name]) for name in ("a", "b")]
    assert [process.wait() for process in processes] == [0, 0]
    folder = DeltaFolder.open(path)
    assert folder.rows() == 20
    assert folder.version == 40
    updates = {version for version in range(1, 41) if folder.commit_at(version).recorded}
    assert len(updates) == 20
    total = sum(folder.read().column("x").to_pylist())
    images = [folder.changes(version - 1, version).read().num_rows // 2 for version in updates]
    assert total == sum(images)  # every update moved each row it saw by exactly one
    assert total >= 20


def test_updates_of_the_same_row_add_up(path: str) -> None:
    DeltaFolder.open(path).append(table_of([(1, 0.0, "counter")]))
    together(lambda _: update(DeltaFolder.open(path), {"x": "x + 1"}, "k = 1"), 6)
    assert bag(DeltaFolder.open(path).read()) == {(1, 6.0, "counter"): 1}


def test_upserts_of_the_same_new_key_make_one_row(path: str) -> None:
    together(lambda n: DeltaFolder.open(path).upsert(table_of([(1, float(n), "x")]), ["k"]), 6)
    assert DeltaFolder.open(path).rows() == 1


def test_deletes_and_appends_interleave(path: str) -> None:
    DeltaFolder.open(path).append(table_of([(n, 0.0, "old") for n in range(5)]))

    def work(n: int) -> None:
        folder = DeltaFolder.open(path)
        delete(folder, f"k = {n} AND s = 'old'") if n < 5 else folder.append(table_of([(n, 0.0, "new")]))

    together(work, 10)
    assert bag(DeltaFolder.open(path).read()) == {(n, 0.0, "new"): 1 for n in range(5, 10)}


def test_one_transaction_from_many_is_applied_once(path: str) -> None:
    together(lambda _: DeltaFolder.open(path).append(table_of([(1, 0.0, "x")]), transaction=("stream", 4)), 6)
    assert DeltaFolder.open(path).rows() == 1


def test_one_of_two_refreshes_wins(path: str) -> None:
    def refresh(n: int) -> bool:
        try:
            apply_change(DeltaFolder.open(path), signed([(n, 0.0, "x")], [1]), expected=0)
        except Conflict:
            return False
        return True

    assert together(refresh, 6).count(True) == 1
    assert DeltaFolder.open(path).rows() == 1


def test_one_name_is_taken_once(tmp_path) -> None:
    def create(n: int) -> str:
        try:
            Catalog(str(tmp_path / "catalog")).put(Entry("table", "Orders" if n % 2 else "orders", str(n)))
        except HeadwaterError as error:
            return error.key
        return "made"

    assert sorted(together(create, 6)) == ["made"] + ["table.exists"] * 5
    assert len(Catalog(str(tmp_path / "catalog")).entries()) == 1


def test_different_names_all_get_in(tmp_path) -> None:
    together(lambda n: Catalog(str(tmp_path / "catalog")).put(Entry("table", f"t{n}", str(n))), 8)
    assert [entry.name for entry in Catalog(str(tmp_path / "catalog")).entries()] == [f"t{n}" for n in range(8)]


def test_history_rows_of_many_writers(tmp_path) -> None:
    def write(n: int) -> None:
        history = History(str(tmp_path / "history"))
        for sequence in range(5):
            history.append({"view": f"v{n}", "sequence": sequence})

    together(write, 4)
    rows = History(str(tmp_path / "history")).read()
    assert sorted(zip(rows["view"].to_pylist(), rows["sequence"].to_pylist(), strict=True)) == [
        (f"v{n}", sequence) for n in range(4) for sequence in range(5)
    ]
