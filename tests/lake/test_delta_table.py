"""Delta tables in a folder: versions, files, commits, other writers, restarts, refusals."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import deltalake
import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from deltalake import DeltaTable

from headwater.errors import Conflict, HeadwaterError
from headwater.lake import storage
from headwater.lake.delta_table import DeltaFolder

from .counting import SCHEMA, bag, delete, table_of, update

ROWS = [(1, 1.0, "a"), (2, None, "b"), (3, 3.0, None)]


@pytest.fixture
def folder(tmp_path) -> DeltaFolder:
    made = DeltaFolder.create(tmp_path / "t", SCHEMA, metadata={"made": "here"})
    made.append(table_of(ROWS))
    return made


def test_versions_rows_and_files(folder: DeltaFolder) -> None:
    assert folder.version == 1
    assert (folder.rows(0), folder.rows(1), folder.rows()) == (0, 3, 3)
    assert folder.schema == SCHEMA
    assert folder.read(0).schema == SCHEMA
    assert folder.read(columns=["s", "k"]).column_names == ["s", "k"]
    (file,) = folder.files()
    assert file.size == os.path.getsize(folder.absolute(file))
    assert file.stats["minValues"] == {"k": 1, "x": 1.0, "s": "a"}
    assert file.stats["nullCount"] == {"k": 0, "x": 1, "s": 1}
    assert folder.metadata_of_latest("made") == (0, "here")
    assert folder.metadata_of_latest("absent") is None


def test_versions_that_do_not_exist(folder: DeltaFolder) -> None:
    for version in (-1, 2, 99):
        with pytest.raises(HeadwaterError) as error:
            folder.files(version)
        assert error.value.key == "version.unknown"


def test_other_readers_agree(folder: DeltaFolder) -> None:
    assert bag(pl.read_delta(folder.path).to_arrow()) == bag(folder.read())
    assert bag(duckdb.read_parquet([folder.absolute(file) for file in folder.files()]).to_arrow_table()) == bag(
        folder.read()
    )


def test_restart(folder: DeltaFolder) -> None:
    folder.commit([], metadata={"cursor": {"a": 1}}, transaction=("app", 3))
    again = DeltaFolder.open(folder.path)
    assert again.version == 2
    assert bag(again.read()) == bag(table_of(ROWS))
    assert again.metadata_of_latest("cursor") == (2, {"a": 1})
    assert again.transaction_version("app") == 3


def test_metadata_is_found_below_other_writers_commits(folder: DeltaFolder) -> None:
    folder.commit([], metadata={"cursor": 5})
    folder.append(table_of(ROWS))
    DeltaTable(folder.path).optimize.compact()
    assert folder.metadata_of_latest("cursor") == (2, 5)


def test_files_of_a_crashed_writer_are_invisible(folder: DeltaFolder) -> None:
    folder.write(table_of(ROWS))
    Path(folder.path, "half.parquet").write_bytes(b"PAR1 and then the power went")
    again = DeltaFolder.open(folder.path)
    assert again.rows() == again.read().num_rows == 3


def test_expected_version(folder: DeltaFolder) -> None:
    files = folder.write(table_of(ROWS))
    assert folder.commit(files, expected=1) == 2
    with pytest.raises(Conflict) as error:
        folder.commit(folder.write(table_of(ROWS)), expected=1)
    assert error.value.key == "commit.conflict"
    assert folder.latest() == 2


def test_two_handles_see_each_other(folder: DeltaFolder) -> None:
    other = DeltaFolder.open(folder.path)
    other.append(table_of([(9, 9.0, "z")]))
    assert folder.version == 1
    assert folder.latest() == 2
    assert bag(folder.read()) == bag(other.read())


def test_a_removed_file_cannot_be_removed_again(folder: DeltaFolder) -> None:
    old = folder.files()
    folder.commit(folder.write(table_of([(5, 5.0, "n")])), old)
    with pytest.raises(Conflict):
        folder.commit([], old)
    assert bag(folder.read()) == {(5, 5.0, "n"): 1}


def test_a_transaction_is_applied_once(folder: DeltaFolder) -> None:
    assert folder.append(table_of(ROWS), transaction=("stream", 1)) == 2
    assert folder.append(table_of(ROWS), transaction=("stream", 1)) == 2
    assert folder.append(table_of(ROWS), transaction=("stream", 0)) == 2
    assert folder.append(table_of(ROWS), transaction=("stream", 2)) == 3
    assert folder.rows() == 9


def test_delete_update_upsert(folder: DeltaFolder) -> None:
    assert delete(folder, "k = 1") == 2
    assert update(folder, {"s": "'new'"}, "k = 2") == 3
    assert folder.upsert(table_of([(2, 7.0, "u"), (8, 8.0, "h")]), ["k"]) == 4
    assert bag(folder.read()) == {(2, 7.0, "u"): 1, (3, 3.0, None): 1, (8, 8.0, "h"): 1}
    assert delete(folder, "k = 12345") == 4
    assert folder.append(SCHEMA.empty_table()) == 5
    assert folder.upsert(SCHEMA.empty_table(), ["k"]) >= 5
    assert folder.rows() == 3


def test_a_folder_that_was_dropped(folder: DeltaFolder) -> None:
    shutil.rmtree(folder.path)
    with pytest.raises(HeadwaterError) as error:
        folder.latest()
    assert error.value.key == "table.not_delta"


def test_names_with_capitals_quotes_and_reserved_words(tmp_path) -> None:
    schema = pa.schema([("Order Key", pa.int64()), ("select", pa.string()), ("Mixed", pa.int64()), ('q"x', pa.int64())])
    folder = DeltaFolder.create(tmp_path / "t", schema)
    folder.append(table_of([(1, "a", 1, 1), (2, "b", 2, 2)], schema))
    folder.upsert(table_of([(1, "c", 9, 1)], schema), ["Order Key", 'q"x'])
    update(folder, {"Mixed": "Mixed + 1", "select": "'z'"}, "`Order Key` = 2")
    assert bag(folder.read()) == {(1, "c", 9, 1): 1, (2, "z", 3, 2): 1}
    assert bag(folder.changes(1).read(["Mixed", "select"])) == {(1, "a"): -1, (9, "c"): 1, (2, "b"): -1, (3, "z"): 1}


@pytest.mark.parametrize("predicate", ["nope = 1", "k = ", "k < 'x' )", "s", "1 +"])
def test_bad_conditions_change_nothing(folder: DeltaFolder, predicate: str) -> None:
    for operation in (lambda: delete(folder, predicate), lambda: update(folder, {"k": "1"}, predicate)):
        with pytest.raises(HeadwaterError) as error:
            operation()
        assert error.value.key == "data.predicate"
    assert folder.latest() == 1


def test_bad_updates_change_nothing(folder: DeltaFolder) -> None:
    for updates in ({"nope": "1"}, {"k": "'text'"}, {"k": "k +"}):
        with pytest.raises(HeadwaterError) as error:
            update(folder, updates)
        assert error.value.key == "data.predicate"
    assert folder.latest() == 1


@pytest.mark.parametrize(
    "rows, on, why",
    [
        ([(1, 1.0, "a"), (1, 2.0, "b")], ["k"], "more than once"),
        ([(None, 1.0, "a")], ["k"], "NULL"),
        ([(1, 1.0, "a")], ["nope"], "no column"),
        ([(1, 1.0, "a")], [], "no key"),
    ],
)
def test_bad_upsert_keys_change_nothing(folder: DeltaFolder, rows: list, on: list[str], why: str) -> None:
    with pytest.raises(HeadwaterError, match=why) as error:
        folder.upsert(table_of(rows), on)
    assert error.value.key == "data.upsert_key"
    assert folder.latest() == 1


def test_not_null_columns_stay_not_null(tmp_path) -> None:
    schema = pa.schema([pa.field("k", pa.int64(), nullable=False), pa.field("s", pa.string())])
    folder = DeltaFolder.create(tmp_path / "t", schema)
    folder.append(pa.table({"k": [1], "s": ["a"]}, schema=schema))
    assert folder.schema == schema
    assert folder.read().schema == schema
    with pytest.raises(HeadwaterError):
        update(folder, {"k": "NULL"})
    assert bag(folder.read()) == {(1, "a"): 1}


def test_a_table_with_constraints_keeps_them(folder: DeltaFolder) -> None:
    DeltaTable(folder.path).alter.add_constraint({"positive": "k > 0"})
    folder.latest()
    assert folder.append(table_of([(5, 5.0, "e")])) == 3
    with pytest.raises(Exception, match=r"(?i)constraint|check|invariant"):
        folder.append(table_of([(-5, 5.0, "e")]))
    assert folder.rows() == 4


def test_nothing_there(tmp_path) -> None:
    (tmp_path / "empty").mkdir()
    for path in (tmp_path / "empty", tmp_path / "absent"):
        with pytest.raises(HeadwaterError) as error:
            DeltaFolder.open(path)
        assert error.value.key == "table.not_delta"


def test_made_twice(folder: DeltaFolder) -> None:
    with pytest.raises(HeadwaterError) as error:
        DeltaFolder.create(folder.path, SCHEMA)
    assert error.value.key == "table.exists"
    assert folder.rows() == 3


def hand_made(path: Path, protocol: dict, configuration: dict) -> str:
    """A Delta log written by hand: version 0 with a protocol that delta-rs would not write."""
    fields = [{"name": "k", "type": "long", "nullable": True, "metadata": {}}]
    if configuration.get("delta.columnMapping.mode"):
        fields[0]["metadata"] = {"delta.columnMapping.id": 1, "delta.columnMapping.physicalName": "col-1"}
    metadata = {
        "id": "4a1f2b0c-0000-4000-8000-000000000000",
        "format": {"provider": "parquet", "options": {}},
        "schemaString": json.dumps({"type": "struct", "fields": fields}),
        "partitionColumns": [],
        "configuration": configuration,
        "createdTime": 1,
    }
    (path / "_delta_log").mkdir(parents=True)
    lines = [
        {"commitInfo": {"timestamp": 1, "operation": "CREATE TABLE"}},
        {"protocol": protocol},
        {"metaData": metadata},
    ]
    Path(storage.commit_path(str(path), 0)).write_text("\n".join(json.dumps(line) for line in lines))
    return str(path)


def features(*names: str) -> dict:
    return {"minReaderVersion": 3, "minWriterVersion": 7, "readerFeatures": list(names), "writerFeatures": list(names)}


@pytest.mark.parametrize(
    "protocol, configuration, feature",
    [
        (features("deletionVectors"), {"delta.enableDeletionVectors": "true"}, "deletionVectors"),
        (features("deletionVectors"), {}, "deletionVectors"),
        (features("columnMapping"), {"delta.columnMapping.mode": "name"}, "columnMapping"),
        ({"minReaderVersion": 2, "minWriterVersion": 5}, {"delta.columnMapping.mode": "id"}, "columnMapping"),
        (features("typeWidening"), {}, "typeWidening"),
        (features("variantType"), {}, "variantType"),
        (features("somethingNew"), {}, "somethingNew"),
    ],
)
def test_features_that_would_be_misread_are_refused(
    tmp_path, protocol: dict, configuration: dict, feature: str
) -> None:
    with pytest.raises(HeadwaterError) as error:
        DeltaFolder.open(hand_made(tmp_path / "t", protocol, configuration))
    assert error.value.key == "table.feature"
    assert error.value.params["feature"] == feature


@pytest.mark.parametrize(
    "protocol, configuration",
    [
        ({"minReaderVersion": 1, "minWriterVersion": 2}, {}),
        ({"minReaderVersion": 2, "minWriterVersion": 5}, {}),
        (features("timestampNtz"), {}),
        (features("v2Checkpoint"), {}),
        (features("vacuumProtocolCheck"), {}),
        (features("columnMapping"), {"delta.columnMapping.mode": "none"}),
    ],
)
def test_features_that_are_understood_open(tmp_path, protocol: dict, configuration: dict) -> None:
    assert DeltaFolder.open(hand_made(tmp_path / "t", protocol, configuration)).schema.names == ["k"]


def test_a_feature_that_arrives_later_is_refused(tmp_path) -> None:
    path = hand_made(tmp_path / "t", {"minReaderVersion": 1, "minWriterVersion": 2}, {})
    folder = DeltaFolder.open(path)
    line = json.dumps({"protocol": features("deletionVectors")})
    Path(storage.commit_path(path, 1)).write_text(line)
    with pytest.raises(HeadwaterError) as error:
        folder.latest()
    assert error.value.key == "table.feature"


def test_every_type_survives(tmp_path) -> None:
    schema = pa.schema(
        [
            ("i8", pa.int8()),
            ("i16", pa.int16()),
            ("f", pa.float32()),
            ("d", pa.decimal128(38, 10)),
            ("b", pa.binary()),
            ("day", pa.date32()),
            ("ts", pa.timestamp("us", "UTC")),
            ("ntz", pa.timestamp("us")),
            ("ok", pa.bool_()),
            ("l", pa.list_(pa.struct([("a", pa.int64())]))),
            ("m", pa.map_(pa.string(), pa.int64())),
        ]
    )
    row = (1, 2, 0.5, "1.5", b"x", 19_000, 1_700_000_000_000_000, 1, True, [{"a": 1}, None], [("k", 1)])
    columns = [
        pa.array([value, None]).cast(field.type) if field.name == "d" else pa.array([value, None], field.type)
        for value, field in zip(row, schema, strict=True)
    ]
    data = pa.Table.from_arrays(columns, schema=schema)
    folder = DeltaFolder.create(tmp_path / "t", schema)
    folder.append(data)
    assert folder.schema.types == folder.read().schema.types
    assert bag(folder.read()) == bag(data)
    update(folder, {"i8": "5"}, "i8 = 1")
    assert folder.changes(1).read().num_rows == 2
    assert folder.changes(0).read(["m", "l"]).num_rows == 2


def test_large_strings_and_views_become_plain(tmp_path) -> None:
    data = pa.table(
        {
            "s": pa.array(["a"], pa.large_string()),
            "v": pa.array(["b"], pa.string_view()),
            "d": pa.array(["c"]).dictionary_encode(),
        }
    )
    folder = DeltaFolder.create(tmp_path / "t", data.schema)
    folder.append(data)
    assert set(folder.schema.types) == {pa.string()}
    assert folder.read().to_pylist() == [{"s": "a", "v": "b", "d": "c"}]


def test_vacuum_keeps_what_later_versions_need(folder: DeltaFolder) -> None:
    delete(folder, "k = 1")  # 2
    update(folder, {"s": "'u'"}, "k = 2")  # 3
    folder.append(table_of([(4, 4.0, "d")]))  # 4
    kept = {version: bag(folder.read(version)) for version in (3, 4)}
    orphan = folder.write(table_of(ROWS))[0]
    assert folder.vacuum(3) > 0
    assert {version: bag(folder.read(version)) for version in (3, 4)} == kept
    assert bag(folder.changes(3).read()) == {(4, 4.0, "d"): 1}
    assert os.path.exists(folder.absolute(orphan))  # young: its writer may be about to commit
    os.utime(folder.absolute(orphan), (0, 0))
    assert folder.vacuum(3) == 1
    for version in (1, 2):
        with pytest.raises(HeadwaterError) as error:
            folder.read(version)
        assert error.value.key == "version.vacuumed"


def test_many_versions_cross_a_checkpoint(tmp_path) -> None:
    folder = DeltaFolder.create(tmp_path / "t", SCHEMA)
    for n in range(120):
        folder.append(table_of([(n, 0.0, "")]))
    assert list(Path(folder.path, "_delta_log").glob("*.checkpoint.parquet"))
    assert sorted(DeltaFolder.open(folder.path).read().column("k").to_pylist()) == list(range(120))
    assert folder.changes(0).rows == 120


def test_a_partly_written_table_by_another_engine(tmp_path) -> None:
    deltalake.write_deltalake(
        str(tmp_path / "t"), pa.table({"k": np.arange(10), "g": ["a", "b"] * 5}), partition_by=["g"]
    )
    folder = DeltaFolder.open(tmp_path / "t")
    assert folder.partition_by == ("g",)
    folder.append(pa.table({"k": [10], "g": ["a"]}))
    assert folder.rows() == 11
    assert bag(folder.changes(0).read()) == {(10, "a"): 1}
