"""Partition values survive the log, the folder names and other readers."""

from __future__ import annotations

import datetime
import os

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.errors import HeadwaterError
from headwater.lake import partitions
from headwater.lake.delta_table import DeltaFolder
from headwater.lake.snapshot_edit import apply_change

from .counting import bag, delete, signed, update

ODD = [
    "plain",
    "with space",
    "a/b",
    "it's",
    '"quoted"',
    "100%",
    "%2F",
    "a=b",
    "x:y",
    "ümläut 日本",
    "a\\b",
    "{[^]}",
    "#?*",
    "..",
    ".",
    "~",
    "+",
    "&",
    "\n",
    None,
]
SCHEMA = pa.schema([("n", pa.int64()), ("p", pa.string())])


@pytest.fixture
def odd(tmp_path) -> tuple[DeltaFolder, pa.Table]:
    data = pa.table({"n": range(len(ODD)), "p": ODD}, schema=SCHEMA)
    folder = DeltaFolder.create(tmp_path / "t", SCHEMA, ["p"])
    folder.append(data)
    return folder, data


def test_odd_values_read_back(odd) -> None:
    folder, data = odd
    assert bag(folder.read()) == bag(data)
    assert bag(DeltaFolder.open(folder.path).read()) == bag(data)
    assert bag(folder.changes(0).read()) == bag(data)
    assert {file.partition["p"] for file in folder.files()} == set(ODD)
    assert all(os.path.exists(folder.absolute(file)) for file in folder.files())


def test_other_readers_see_the_same(odd) -> None:
    folder, data = odd
    assert bag(pl.read_delta(folder.path).select("n", "p").to_arrow()) == bag(data)
    paths = [folder.absolute(file) for file in folder.files() if file.partition["p"] in ("plain", "with space", "it's")]
    read = duckdb.read_parquet(paths, hive_partitioning=True)  # it takes the values from the folders' names
    assert set(read.select("n, p").fetchall()) == {(n, p) for n, p in bag(data) if p in ("plain", "with space", "it's")}


def test_odd_values_through_delta_rs_operations(odd) -> None:
    folder, data = odd
    before = folder.latest()
    update(folder, {"n": "n + 100"}, "n % 2 = 0")
    folder.upsert(pa.table({"n": [1000 + i for i in range(len(ODD))], "p": ODD}, schema=SCHEMA).slice(0, 5), ["p"])
    delete(folder, "n = 7")
    snapshots = {version: bag(folder.read(version)) for version in range(before, folder.version + 1)}
    for version, expected in snapshots.items():
        difference = bag(folder.changes(before, version).read())
        expected = expected.copy()
        expected.subtract(difference)
        assert {row: n for row, n in expected.items() if n} == bag(data)


def test_odd_values_can_be_edited(odd) -> None:
    folder, data = odd
    rows = [tuple(row.values()) for row in data.to_pylist()]
    apply_change(folder, signed(rows, [-1] * len(rows), SCHEMA))
    assert folder.read().num_rows == 0


def test_an_empty_string_is_null_as_delta_has_it(tmp_path) -> None:
    folder = DeltaFolder.create(tmp_path / "t", SCHEMA, ["p"])
    data = pa.table({"n": [1, 2], "p": ["", None]}, schema=SCHEMA)
    folder.append(data)
    folder.upsert(pa.table({"n": [3], "p": [""]}, schema=SCHEMA), ["n"])
    assert bag(folder.read()) == {(1, None): 1, (2, None): 1, (3, None): 1}
    assert bag(folder.changes(0).read()) == bag(folder.read())


VALUES = {
    pa.int32(): [1, -5, None],
    pa.int64(): [2**62, 0],
    pa.bool_(): [True, False, None],
    pa.date32(): [datetime.date(2024, 2, 29), datetime.date(1969, 12, 31)],
    pa.timestamp("us", "UTC"): [datetime.datetime(2024, 2, 29, 1, 2, 3, 456789, datetime.UTC), None],
    pa.timestamp("us"): [datetime.datetime(2024, 2, 29), datetime.datetime(1900, 1, 1, 23, 59, 59, 1)],
}


@pytest.mark.parametrize("kind", VALUES, ids=str)
def test_typed_values_read_back(tmp_path, kind: pa.DataType) -> None:
    schema = pa.schema([("p", kind), ("n", pa.int64())])
    data = pa.table({"p": pa.array(VALUES[kind], kind), "n": range(len(VALUES[kind]))}, schema=schema)
    folder = DeltaFolder.create(tmp_path / "t", schema, ["p"])
    folder.append(data)
    folder.append(data)
    assert folder.read().schema == schema
    assert bag(folder.read()) == dict.fromkeys(bag(data), 2)
    delete(folder, "n = 0")
    assert bag(folder.changes(0).read()) == bag(folder.read())
    assert bag(folder.changes(1, 2).read()) == bag(data)


def test_what_cannot_partition_is_refused(tmp_path) -> None:
    schema = pa.schema(
        [("x", pa.float64()), ("l", pa.list_(pa.int64())), ("d", pa.decimal128(9, 2)), ("s", pa.string())]
    )
    for by in (["x"], ["l"], ["nope"], ["d"]):
        with pytest.raises(HeadwaterError) as error:
            DeltaFolder.create(tmp_path / "t", schema, by)
        assert error.value.key == "table.partition"
    with pytest.raises(HeadwaterError, match="no column would remain"):
        DeltaFolder.create(tmp_path / "t", SCHEMA, ["n", "p"])


def test_adopting_what_spark_wrote(tmp_path) -> None:
    folder = DeltaFolder.create(tmp_path / "t", SCHEMA, ["p"])
    for name, values in {"p=a%2Fb c": [1, 2], "p=ü": [3], "p=__HIVE_DEFAULT_PARTITION__": [4], "p=empty": []}.items():
        os.makedirs(tmp_path / "t" / "_staging" / name)
        pq.write_table(
            pa.table({"n": pa.array(values, pa.int64())}), tmp_path / "t" / "_staging" / name / "part-0.parquet"
        )
    (tmp_path / "t" / "_staging" / "_SUCCESS").touch()
    files = folder.adopt("_staging")
    assert not (tmp_path / "t" / "_staging").exists()
    folder.commit(files)
    assert bag(folder.read()) == {(1, "a/b c"): 1, (2, "a/b c"): 1, (3, "ü"): 1, (4, None): 1}
    assert folder.rows() == 4


def test_adopting_what_an_old_spark_timestamp_looks_like(tmp_path) -> None:
    schema = pa.schema([("t", pa.timestamp("us", "UTC"))])
    folder = DeltaFolder.create(tmp_path / "t", schema)
    os.makedirs(tmp_path / "t" / "stage")
    moment = datetime.datetime(2024, 1, 2, 3, 4, 5, 678901)
    table = pa.table({"t": pa.array([moment], pa.timestamp("ns"))})
    pq.write_table(table, tmp_path / "t" / "stage" / "a.parquet", use_deprecated_int96_timestamps=True)
    folder.commit(folder.adopt("stage"))
    assert folder.read().column("t").to_pylist() == [moment.replace(tzinfo=datetime.UTC)]


@given(st.text(min_size=1))
def test_escaping_is_undone(name: str) -> None:
    assert partitions.unescape(partitions.escape(name)) == name
    assert "/" not in partitions.escape(name)
