"""Views over every kind of base table, and over tables that others write to."""

from __future__ import annotations

import datetime as dt
import shutil
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from deltalake import DeltaTable, write_deltalake

import headwater as hw
from headwater.delta.pasts import PARTIALS
from tests.api.oracle import check

DAY = dt.date(2024, 2, 29)
NOON = dt.datetime(2024, 2, 29, 12, tzinfo=dt.UTC)
COUNTS = "SELECT kind, COUNT(*) AS n, SUM(amount) AS total FROM events GROUP BY kind"
KINDS = "SELECT kind, SUM(amount) AS n FROM events JOIN kinds ON kind = name AND amount > 0 GROUP BY kind"


def event(kind, amount: int, day: dt.date | None = DAY) -> dict:
    return {"kind": kind, "amount": amount, "day": day}


@pytest.fixture
def events(lake):
    return lake.create_table("events", [event("a", 1), event("b", 2), event(None, 3), event("a", 1)])


def test_partitioned(lake):
    days = [DAY + dt.timedelta(n) for n in range(3)]
    rows = [event(kind, n, day) for kind in ("a b", "é=/", None) for n, day in enumerate([*days, None])]
    schema = {"kind": "string", "amount": "int", "day": "date"}
    table = lake.create_table("events", schema, partition_by=["kind", "day"])
    table.append(rows)
    plain = lake.create_view("plain", "SELECT day, kind, amount FROM events WHERE amount > 0", policy="strict")
    joined = lake.create_view(
        "joined",
        "SELECT x.kind, y.day, x.amount FROM events x LEFT JOIN events y ON x.amount = y.amount AND x.day < y.day",
        policy="strict",
    )
    table.update({"kind": "'a b'"}, where="kind IS NULL")  # rows move between partitions
    for step in (
        lambda: table.delete("day IS NULL"),
        lambda: table.append(rows[:2]),
        lambda: table.delete("amount = 1"),
    ):
        step()
        for view in (plain, joined):
            assert view.refresh().strategy == "incremental"
            check(lake, view)


def test_attached_parquet_folder(lake, tmp_path):
    folder = tmp_path / "landing"
    folder.mkdir()

    def land(name: str, *rows: dict) -> None:
        schema = pa.schema([("kind", pa.string()), ("amount", pa.int32()), ("day", pa.date32())])
        pq.write_table(pa.Table.from_pylist(list(rows), schema), folder / f"{name}.parquet")

    land("one", event("a", 1), event("b", 2))
    events = lake.attach("events", folder)
    view = lake.create_view("counts", COUNTS, policy="strict")
    assert view.refresh().strategy == "none"
    land("two", event("a", 5), event(None, 7))
    assert view.refresh().strategy == "incremental"
    check(lake, view)
    with pytest.raises(hw.HeadwaterError) as refused:
        events.delete("amount = 1")
    assert refused.value.key == "table.attached_readonly"


def test_an_outside_writer(lake, events):
    """delta-rs appends, deletes and compacts, without Headwater's knowledge."""
    view = lake.create_view("counts", COUNTS, policy="strict")
    more = pa.Table.from_pylist([event("c", 9), event("a", 4)], schema=events.arrow().schema)
    write_deltalake(events.path, more, mode="append")
    DeltaTable(events.path).delete("kind = 'b'")
    assert view.refresh().strategy == "incremental"
    check(lake, view)
    write_deltalake(events.path, more, mode="overwrite")
    assert view.refresh().strategy == "incremental"
    check(lake, view)


def test_optimize_changes_nothing(lake, events):
    """Rows that only moved between files are no change, and no stored past is built again for them."""
    other = lake.create_table("kinds", [{"name": "a"}, {"name": "b"}])
    view = lake.create_view("counts", KINDS, policy="strict")
    events.append([event("a", 8)])
    view.refresh()
    DeltaTable(events.path).optimize.compact()
    report = view.refresh()
    assert report.rows_changed == 0
    assert view.cursor["events"] == events.version
    other.delete("name = 'b'")
    report = view.refresh()
    assert report.strategy == "incremental"
    assert "repair" not in report.phases
    check(lake, view)


def test_vacuumed_history_is_a_reason_to_recompute(lake, events):
    free = lake.create_view("counts", COUNTS)
    strict = lake.create_view("strict_counts", COUNTS, policy="strict")
    events.append([event("c", 9)])
    DeltaTable(events.path).delete("kind = 'a'")
    DeltaTable(events.path).optimize.compact()
    DeltaTable(events.path).vacuum(retention_hours=0, enforce_retention_duration=False, dry_run=False)
    report = free.refresh()
    assert report.strategy == "full"
    assert "vacuumed" in report.reason
    check(lake, free)
    before = strict.arrow()
    with pytest.raises(hw.HeadwaterError) as refused:
        strict.refresh()
    assert refused.value.key == "view.strict"
    assert "vacuumed" in str(refused.value)
    assert strict.arrow() == before
    strict.refresh(full=True)
    events.append([event("d", 1)])
    for view in (free, strict):
        assert view.refresh().strategy == "incremental"
        check(lake, view)


TYPES = {
    "id": "int",
    "flag": "boolean",
    "tiny": "tinyint",
    "small": "smallint",
    "big": "bigint",
    "real": "float",
    "dbl": "double",
    "money": "decimal(12,2)",
    "long": "decimal(38,10)",
    "name": "string",
    "raw": "binary",
    "day": "date",
    "at": "timestamp",
    "local": "timestamp_ntz",
    "list": "array<int>",
    "pair": "struct<a:int,b:string>",
}
WIDE = {
    "copy": "SELECT * FROM wide",
    "different": "SELECT DISTINCT * FROM wide",
    "padded": "SELECT x.*, y.id AS other FROM wide x FULL JOIN wide y ON x.id + 1 = y.id AND x.flag",
    "groups": """SELECT flag, MAX(name) AS name, MIN(day) AS day, MAX(at) AS at, MIN(local) AS local, SUM(big) AS big,
                 SUM(money) AS money, AVG(money) AS mean, SUM(long) AS long, AVG(long) AS mean_long, SUM(tiny) AS tiny,
                 AVG(real) AS real, COUNT(raw) AS n FROM wide GROUP BY flag""",
    "sums": """SELECT flag, SUM(big) AS big, SUM(money) AS money, AVG(small) AS small, SUM(long) AS long
               FROM wide GROUP BY flag""",
}


def wide(n: int) -> dict:
    values = [n, n % 2 == 0, n, -n, 2**60 + n, 0.5 * n, float("nan") if n == 2 else 0.1 * n, Decimal(f"{n}.25")]
    values += [Decimal("123456789012345678.0000000001") * n, "é" * n, bytes([n]), DAY + dt.timedelta(n)]
    values += [NOON + dt.timedelta(microseconds=n), NOON.replace(tzinfo=None), [n, None], {"a": n, "b": None}]
    return dict(zip(TYPES, values, strict=True))


def test_every_type(lake):
    table = lake.create_table("wide", TYPES)
    table.append([wide(1), wide(2), wide(2), dict.fromkeys(TYPES)])
    views = [lake.create_view(name, sql, policy="strict") for name, sql in WIDE.items()]
    for step in (
        lambda: table.append([wide(3), wide(1), dict.fromkeys(TYPES)]),
        lambda: table.delete("id = 2"),
        lambda: table.update({"name": "'z'", "flag": "false"}, where="id = 1"),
        lambda: table.delete(),
    ):
        step()
        for view in views:
            assert view.refresh().strategy == "incremental"
            assert view.verify().ok, view.name


def test_names_that_need_quotes(lake):
    table = lake.create_table("Orders", [{"Order Id": 1, "select": 2, "Größe": 3, "a`b": 4}])
    sql = """SELECT `select`, SUM(`Größe`) AS `Sum of it`, MAX(`Order Id`) AS `Max`, MIN(`a``b`) AS x
             FROM orders GROUP BY `SELECT`"""
    view = lake.create_view("Totals", sql, policy="strict")
    table.append([{"Order Id": 5, "select": 2, "Größe": 7, "a`b": 1}])
    assert view.refresh().strategy == "incremental"
    assert view.arrow().to_pylist() == [{"select": 2, "Sum of it": 10, "Max": 5, "x": 1}]
    assert view.verify().ok


def test_a_past_that_was_deleted_or_is_stale_is_built_again(lake, events):
    lake.create_table("kinds", [{"name": "a"}, {"name": "b"}])
    view = lake.create_view("counts", KINDS, policy="strict")
    past = next(past for past in view._pasts() if past.form == PARTIALS)
    kept = f"{view._store.path(past)}-kept"
    shutil.copytree(view._store.path(past), kept)
    events.append([event("a", 8)])
    view.refresh()
    shutil.rmtree(view._store.path(past))
    shutil.copytree(kept, view._store.path(past))  # as it was before the refresh: stale
    events.append([event("b", 9)])
    with hw.connect(lake.path, spark=lake.spark) as again:
        report = again.view("counts").refresh()
        assert "repair" in report.phases
        check(again, again.view("counts"))
        shutil.rmtree(view._store.path(past))
    lake.table("events").append([event("a", 1)])
    with hw.connect(lake.path, spark=lake.spark) as again:
        assert "repair" in again.view("counts").refresh().phases
        check(again, again.view("counts"))
