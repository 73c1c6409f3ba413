"""Attached folders of Parquet files: versions are file sets, and only ever grow."""

from __future__ import annotations

import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from headwater.errors import HeadwaterError
from headwater.lake.folding import FANOUT
from headwater.lake.parquet_folder import ParquetFolder

from .counting import bag


def add(folder: Path, name: str, values: list[int], kind: str = "int64") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table({"n": pa.array(values).cast(kind)}), folder / name)
    return folder / name


@pytest.fixture
def data(tmp_path) -> Path:
    add(tmp_path / "data", "a.parquet", [1, 2])
    return tmp_path / "data"


def attach(data: Path) -> ParquetFolder:
    return ParquetFolder(data, str(data.parent / "manifest"), "events")


def test_new_files_are_new_versions(data: Path) -> None:
    folder = attach(data)
    assert folder.latest() == 1
    add(data, "b.parquet", [3])
    add(data / "day", "c.parquet", [4])
    assert folder.latest() == 2
    assert folder.latest() == 2
    assert bag(folder.read()) == {(n,): 1 for n in (1, 2, 3, 4)}
    assert bag(folder.read(1)) == {(1,): 1, (2,): 1}
    assert (folder.rows(0), folder.rows(1), folder.rows(2)) == (0, 2, 4)
    assert folder.schema == pa.schema([("n", pa.int64())])
    assert bag(folder.changes(1).read()) == {(3,): 1, (4,): 1}
    assert bag(folder.changes(0, 1).read()) == {(1,): 1, (2,): 1}
    assert folder.changes(2).empty
    assert not folder.changes(0).needs_netting


def test_restart_and_two_processes(data: Path) -> None:
    attach(data)
    add(data, "b.parquet", [3])
    one, two = attach(data), attach(data)
    assert one.version == two.version == 2
    add(data, "c.parquet", [4])
    assert one.latest() == two.latest() == 3
    assert bag(two.changes(2).read()) == {(4,): 1}


def test_many_versions_stay_cheap(data: Path) -> None:
    folder = attach(data)
    for n in range(20):
        add(data, f"b{n}.parquet", [100 + n])
        assert folder.latest() == n + 2
    assert len(folder._manifest.files()) < FANOUT
    assert bag(attach(data).changes(5, 7).read()) == {(104,): 1, (105,): 1}


def test_files_in_the_making_are_not_seen(data: Path) -> None:
    add(data, "_b.parquet", [3])
    add(data / "_temporary", "c.parquet", [3])
    (data / "notes.txt").write_text("x")
    assert attach(data).rows() == 2


def test_versions_that_do_not_exist(data: Path) -> None:
    folder = attach(data)
    for call in (
        lambda: folder.files(2),
        lambda: folder.changes(1, 0),
        lambda: folder.changes(-1),
        lambda: folder.changes(0, 9),
    ):
        with pytest.raises(HeadwaterError) as error:
            call()
        assert error.value.key in ("version.unknown", "version.order")


@pytest.mark.parametrize("what", ["gone", "rewritten", "touched", "truncated", "text", "type", "name", "hive"])
def test_what_is_not_append_only_parquet_is_named(data: Path, what: str) -> None:
    folder = attach(data)
    file = "a.parquet"
    match what:
        case "gone":
            (data / file).unlink()
        case "rewritten":
            add(data, file, [1, 2, 3])
        case "touched":
            os.utime(data / file, (1, 1))
        case "truncated":
            file = "b.parquet"
            (data / file).write_bytes((data / "a.parquet").read_bytes()[:-10])
        case "text":
            file = "b.parquet"
            (data / file).write_text("hello")
        case "type":
            file = add(data, "b.parquet", [1], "int32").name
        case "name":
            file = "b.parquet"
            pq.write_table(pa.table({"m": [1]}), data / file)
        case "hive":
            add(data / "p=1", "b.parquet", [1])
            file = "p=1/b.parquet"
    with pytest.raises(HeadwaterError) as error:
        folder.latest()
    assert error.value.key == "table.folder_file"
    assert error.value.params["file"] == file
    assert folder.version == 1


def test_a_folder_without_parquet(tmp_path) -> None:
    (tmp_path / "data").mkdir()
    for path in (tmp_path / "data", tmp_path / "absent"):
        with pytest.raises(HeadwaterError) as error:
            ParquetFolder(path, str(tmp_path / "manifest"))
        assert error.value.key == "table.not_delta"
