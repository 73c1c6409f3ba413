"""What cannot be done is refused with a sentence, and leaves everything as it was; no Spark is started."""

from __future__ import annotations

import datetime as dt
import shutil
import uuid
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from deltalake import DeltaTable, write_deltalake

import headwater as hw
from headwater.lake.catalog import Entry

NOW = dt.datetime(2024, 2, 29, 12)


@pytest.fixture
def bare(tmp_path):
    with hw.connect(tmp_path / "w") as lake:
        yield lake


def refusal(action) -> hw.HeadwaterError:
    with pytest.raises(hw.HeadwaterError) as raised:
        action()
    sentence = str(raised.value)
    assert sentence.endswith(".") or sentence.endswith(")")
    assert "\n" not in sentence
    return raised.value


TWICE = pd.DataFrame([[1, 2]], columns=["k", "k"])
DATA = {
    "no columns": ({}, "table.columns"),
    "no rows": ([], "table.columns"),
    "an empty row": ([{}], "table.columns"),
    "a and A": ([{"a": 1, "A": 2}], "table.columns"),
    "a and A in a schema": ({"a": "int", "A": "int"}, "table.columns"),
    "twice in Arrow": (pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["k", "k"]), "table.columns"),
    "twice in pandas": (TWICE, "table.columns"),
    "time of day": ([{"k": NOW.time()}], "data.unstorable"),
    "duration": ([{"k": dt.timedelta(1)}], "data.unstorable"),
    "uuid": ([{"k": uuid.UUID(int=1)}], None),
    "uuid in Arrow": (pa.table({"k": pa.array([b"0" * 16], pa.uuid())}), "data.unstorable"),
    "too large for bigint": (pa.table({"k": pa.array([2**63], pa.uint64())}), "data.unstorable"),
    "too large in Python": ([{"k": 2**64}], "data.wrong_type"),
    "mixed": ([{"k": 1}, {"k": "x"}], "data.wrong_type"),
    "mixed in pandas": (pd.DataFrame({"k": [1, "x", object()]}), "data.wrong_type"),
    "unknown type": ([{"k": None}], "data.unstorable"),
    "unknown type in a schema": (pa.schema([("k", pa.null())]), "data.unstorable"),
    "unknown type inside": ([{"k": [None]}], "data.unstorable"),
    "interval": (pa.schema([("k", pa.month_day_nano_interval())]), "data.unstorable"),
    "interval as text": ({"k": "interval day"}, "sql.ddl"),
    "nanoseconds": (pd.DataFrame({"k": [pd.Timestamp("2024-01-01 00:00:00.000000001")]}), "data.unstorable"),
    "a number": (5, "data.unknown_kind"),
}


@pytest.mark.parametrize("case", DATA)
def test_data_that_makes_no_table(bare, case):
    data, key = DATA[case]
    error = refusal(lambda: bare.create_table("t", data))
    assert key is None or error.key == key
    assert "'t'" in str(error) or error.key in ("data.unknown_kind", "sql.ddl")
    assert bare.create_table("t", {"a": "int"}).version == 0  # the name is free


def test_partition_columns(bare):
    for by in (["k", "k"], ["nope"], 5, [5]):
        assert (
            refusal(lambda by=by: bare.create_table("t", [{"k": 1, "v": 1}], partition_by=by)).key == "table.partition"
        )
    assert bare.create_table("t", [{"k": 1, "v": 1}], partition_by="k").partition_by == ("k",)


def test_a_failed_creation_leaves_the_name_free(bare, monkeypatch):
    def fail(*_):
        raise RuntimeError("the power went")

    monkeypatch.setattr(bare._catalog, "put", fail)
    with pytest.raises(RuntimeError):
        bare.create_table("t", [{"k": 1}])
    monkeypatch.undo()
    assert bare.create_table("t", [{"k": 1}]).rows == 1


def test_times_of_pandas(bare):
    frame = pd.DataFrame({"at": pd.to_datetime(["2024-02-29 12:00:00.123456", None]), "n": [1, 2]})
    frame["zoned"] = frame["at"].dt.tz_localize("Europe/Berlin")
    t = bare.create_table("t", frame)
    assert t.schema.field("at").type == pa.timestamp("us")
    assert t.schema.field("zoned").type == pa.timestamp("us", "UTC")
    row = t.arrow().to_pylist()[0]
    assert row["at"] == dt.datetime(2024, 2, 29, 12, 0, 0, 123456)
    assert row["zoned"] == dt.datetime(2024, 2, 29, 11, 0, 0, 123456, tzinfo=dt.UTC)
    t.append(frame)
    odd = frame.assign(at=pd.Timestamp("2024-01-01 00:00:00.000000001"))
    error = refusal(lambda: t.append(odd))
    assert (error.key, error.params["table"]) == ("data.wrong_type", "t")


def test_unsigned_numbers_get_a_wider_type(bare):
    data = {"a": np.array([255], "u1"), "b": np.array([65535], "u2"), "c": np.array([2**32 - 1], "u4")}
    t = bare.create_table("t", pa.table({**data, "d": np.array([2**63 - 1], "u8"), "e": np.array([1.5], "f2")}))
    assert t.arrow().to_pylist() == [{"a": 255, "b": 65535, "c": 2**32 - 1, "d": 2**63 - 1, "e": 1.5}]
    assert [str(kind) for kind in t.schema.types] == ["int16", "int32", "int64", "int64", "float"]


def test_messages_name_the_table_and_types_of_spark(bare):
    t = bare.create_table("orders", {"id": "bigint", "price": "decimal(5,2)"})
    error = refusal(lambda: t.append([{"id": "x", "price": None}]))
    assert "'orders'" in str(error) and "bigint" in str(error) and "has string" in str(error)
    error = refusal(lambda: t.append([{"id": 1, "price": 1.5}]))
    assert "decimal(5,2)" in str(error) and "double" in str(error)
    error = refusal(lambda: t.append([{"id": 1, "price": None}, {"id": "x", "price": None}]))
    assert "'orders'" in str(error)
    assert "bigint" in str(refusal(lambda: t.append([{"id": 2**64, "price": None}])))


def test_versions(bare):
    t = bare.create_table("t", [{"k": 1}])
    for since in (99, -1, None, "1", True, 1.0):
        error = refusal(lambda since=since: t.changes(since))
        assert error.key == "version.unknown"
        assert error.params["version"] is since
    assert refusal(lambda: t.changes(1, 0)).key == "version.order"
    assert t.changes(0).num_rows == 1


def test_upsert_keys(bare):
    t = bare.create_table("t", [{"id": 1, "v": "a"}])
    t.upsert([{"id": 1, "v": "b"}], on="id")
    assert t.arrow().to_pylist() == [{"id": 1, "v": "b"}]
    for on in (5, None, [], [5], "nope"):
        assert refusal(lambda on=on: t.upsert([{"id": 1, "v": "b"}], on=on)).key == "data.upsert_key"


def test_warehouses(tmp_path):
    (tmp_path / "file").write_text("x")
    assert refusal(lambda: hw.connect(None)).key == "warehouse.path"
    assert refusal(lambda: hw.connect("")).key == "warehouse.path"
    assert refusal(lambda: hw.connect(5)).key == "warehouse.path"
    assert refusal(lambda: hw.connect(tmp_path / "file")).key == "warehouse.not_folder"
    assert refusal(lambda: hw.connect(tmp_path / "file" / "x")).key == "warehouse.unusable"
    assert refusal(lambda: hw.connect("/proc/none")).key == "warehouse.unusable"
    assert refusal(lambda: hw.connect(tmp_path / "w", spark="x")).key == "warehouse.session"


def test_an_empty_delta_log(bare, tmp_path):
    (tmp_path / "t" / "_delta_log").mkdir(parents=True)
    assert refusal(lambda: bare.attach("t", tmp_path / "t")).key == "table.not_delta"
    (tmp_path / "t" / "_delta_log" / f"{0:020d}.json").write_text("")
    assert refusal(lambda: bare.attach("t", tmp_path / "t")).key == "table.unreadable"
    assert refusal(lambda: bare.attach("t", None)).key == "table.not_delta"


def test_views_are_not_written(bare, tmp_path):
    """A view is read like a table and never written, whatever the call."""
    table = bare.create_table("t", [{"k": 1}])
    folder = shutil.copytree(table.path, Path(bare.path) / "v")
    assert folder.exists()
    bare._catalog.put(Entry("view", "v", "1", {"reads": ["t"]}))
    bare._tables["v"] = ("1", table._folder)
    view = bare.table("v")
    for write in (
        lambda: view.append([{"k": 2}]),
        lambda: view.delete("k = 1"),
        lambda: view.delete(),
        lambda: view.update({"k": "2"}),
        lambda: view.upsert([{"k": 1}], on="k"),
    ):
        assert refusal(write).key == "table.view_readonly"
    assert view.version == 1


@pytest.fixture
def attached(bare, tmp_path):
    write_deltalake(str(tmp_path / "out"), pa.table({"k": [1, 2]}))
    for n in range(3):
        write_deltalake(str(tmp_path / "out"), pa.table({"k": [n]}), mode="append")
    (tmp_path / "landing").mkdir()
    pq.write_table(pa.table({"k": [1]}), tmp_path / "landing" / "a.parquet")
    bare.attach("landed", tmp_path / "landing")
    bare.create_table("mine", [{"k": 1}])
    return bare.attach("out", tmp_path / "out")


def test_a_missing_table_does_not_hide_the_others(bare, attached, tmp_path):
    shutil.rmtree(tmp_path / "out")
    shutil.rmtree(tmp_path / "landing")
    for lake in (bare, hw.connect(bare.path)):
        found = {table.name: table for table in lake.tables()}
        assert list(found) == ["landed", "mine", "out"]
        assert found["mine"].missing is None and found["mine"].rows == 1
        for name in ("out", "landed"):
            assert "no longer" in found[name].missing
            assert name in repr(found[name])
            assert refusal(lambda table=found[name]: table.rows).key == "table.gone"
            assert refusal(lambda name=name, lake=lake: lake.table(name)).key == "table.gone"
    bare.drop_table("out")
    assert [table.name for table in bare.tables()] == ["landed", "mine"]


@pytest.mark.parametrize("commits", [1, 4, 9])
def test_a_table_made_anew_in_the_place_of_another(bare, attached, tmp_path, commits):
    kept = shutil.copytree(tmp_path / "out", tmp_path / "kept")
    shutil.rmtree(tmp_path / "out")
    for n in range(commits):
        write_deltalake(str(tmp_path / "out"), pa.table({"k": [n]}), mode="append")
    for lake in (bare, hw.connect(bare.path)):
        assert refusal(lambda lake=lake: lake.table("out")).key == "table.recreated"
        assert refusal(lambda lake=lake: lake._folders(["out"])).key == "table.recreated"
        assert {table.name: table.missing is None for table in lake.tables()} == {
            "landed": True,
            "mine": True,
            "out": False,
        }
    shutil.rmtree(tmp_path / "out")
    shutil.move(kept, tmp_path / "out")
    assert bare.table("out").rows == 5


def test_replacing_the_rows_of_an_attached_table_is_no_other_table(bare, attached, tmp_path):
    write_deltalake(str(tmp_path / "out"), pa.table({"x": ["a"]}), mode="overwrite", schema_mode="overwrite")
    assert bare.table("out").rows == 1
    DeltaTable(str(tmp_path / "out")).restore(0)
    assert bare.table("out").rows == 2
