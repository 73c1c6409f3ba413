"""Tables that change their shape under a view, views that are declared anew; functions and types that users bring."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from deltalake import DeltaTable, Field, write_deltalake

import headwater as hw
from tests.api.oracle import check

ROWS = [{"id": n, "kind": "ab"[n % 2], "amount": n} for n in range(8)]


@pytest.fixture
def events(lake):
    return lake.create_table("events", ROWS)


def widen(table) -> None:
    DeltaTable(table.path).alter.add_columns([Field("note", "string", nullable=True)])


@pytest.mark.parametrize("policy", ["strict", "full"])
@pytest.mark.parametrize("sql", ["SELECT * FROM events", "SELECT kind, count(*) AS n FROM events GROUP BY kind"])
def test_a_column_more_leaves_views_alone(lake, events, sql, policy):
    view = lake.create_view("v", sql, policy=policy)
    columns = view.arrow().column_names
    widen(events)
    lake.table("events").append([{"id": 9, "kind": "a", "amount": 1, "note": "late"}])
    view.refresh()
    assert view.arrow().column_names == columns
    verified = view.verify()
    assert verified.ok, verified.examples


@pytest.mark.parametrize(
    "shape",
    [
        lambda rows: rows.drop_columns(["amount"]),
        lambda rows: rows.set_column(2, "amount", rows.column("amount").cast(pa.string())),
    ],
    ids=["dropped", "retyped"],
)
def test_a_column_that_is_used_and_changes_stops_the_view(lake, events, shape):
    used = lake.create_view("used", "SELECT kind, sum(amount) AS total FROM events GROUP BY kind")
    unused = lake.create_view("unused", "SELECT kind, count(*) AS n FROM events GROUP BY kind")
    before, cursor = used.arrow(), used.cursor
    write_deltalake(events.path, shape(events.arrow()), mode="overwrite", schema_mode="overwrite")
    with pytest.raises(hw.HeadwaterError) as refused:
        used.refresh()
    assert refused.value.key == "view.source_changed"
    assert refused.value.params["column"] == "amount"
    assert (used.arrow(), used.cursor) == (before, cursor)
    unused.refresh()
    assert unused.verify().ok


def test_an_equivalent_definition_keeps_rows_and_pasts(lake, events):
    view = lake.create_view("totals", "SELECT kind, sum(amount) AS total FROM events GROUP BY kind HAVING count(*) > 1")
    version, pasts = lake.view("totals")._folder.latest(), view._store.root
    text = "select e.kind, SUM(e.amount) total\nfrom events AS e group by 1 having COUNT(*) > 1"
    again = lake.create_view("totals", text, policy="strict", replace=True)
    assert (again._folder.latest(), again._store.root) == (version, pasts)
    assert (again.definition, again.policy) == (text, "strict")
    events.append([{"id": 10, "kind": "b", "amount": 5}])
    assert again.refresh().strategy == "incremental"
    assert "repair" not in again.refresh().phases
    check(lake, again)
    with hw.connect(lake.path, spark=lake.spark) as other:
        assert other.view("totals").definition == text


def test_another_definition_is_built_anew(lake, events):
    lake.create_view("totals", "SELECT kind, sum(amount) AS total FROM events GROUP BY kind")
    text = "SELECT max(amount) AS total, kind, min(struct(id, kind)) AS first FROM events GROUP BY kind"
    again = lake.create_view("totals", text, replace=True)
    for _ in range(2):
        assert again.verify().ok
        assert DeltaTable(again.path).to_pyarrow_table().column_names == ["total", "kind", "first"]
        events.append([{"id": 10, "kind": "b", "amount": 50}])
        assert again.refresh(lane="spark").strategy == "incremental"
    assert sorted(again.arrow().column("total").to_pylist()) == [6, 50]
    assert sorted(lake.sql("SELECT total FROM totals").toPandas()["total"]) == [6, 50]


def test_two_columns_of_one_name(lake, events):
    with pytest.raises(hw.HeadwaterError) as refused:
        lake.create_view("v", "SELECT id, amount AS id FROM events")
    assert refused.value.key == "view.duplicate_column"
    assert lake.views() == []


# -- functions


def test_an_aggregate_of_the_users_own(lake, events):
    from pyspark.sql.functions import pandas_udf

    @pandas_udf("double")
    def spread(values: pd.Series) -> float:
        return float(np.ptp(values)) if len(values) else 0.0

    lake.register_function("spread", spread)
    view = lake.create_view("spreads", "SELECT kind, spread(amount) AS s FROM events GROUP BY kind", policy="strict")
    events.append([{"id": 9, "kind": "a", "amount": 100}])
    report = view.refresh()
    assert (report.strategy, report.rows_changed) == ("incremental", 2)
    assert dict(zip(*view.arrow().select(["kind", "s"]).to_pydict().values(), strict=True)) == {"a": 100.0, "b": 6.0}
    assert view.verify().ok


def test_a_function_of_a_row(lake, events):
    lake.register_function("doubled", lambda value: None if value is None else 2 * value, "bigint")
    view = lake.create_view(
        "v", "SELECT id, doubled(amount) AS twice FROM events WHERE doubled(id) > 4", policy="strict"
    )
    events.append([{"id": 9, "kind": "a", "amount": 7}])
    view.refresh()
    assert 14 in view.arrow().column("twice").to_pylist()
    assert view.verify().ok


def test_a_function_that_is_not_deterministic_is_a_reason(lake, events):
    from pyspark.sql.functions import udf

    lake.register_function("dice", udf(lambda: 4, "int").asNondeterministic())
    view = lake.create_view("v", "SELECT id, dice() AS d FROM events")
    assert "dice() gives a different answer" in view.explain().reason


# -- types

TYPED = {
    "id": pa.array([1, 2, 3, 4]),
    "at": pa.array(
        [dt.datetime(2024, 3, 31, 1, 30, tzinfo=dt.UTC)] * 2 + [dt.datetime(1969, 1, 1, tzinfo=dt.UTC), None]
    ),
    "local": pa.array([dt.datetime(2024, 3, 31, 2, 30)] * 3 + [None]),
    "day": pa.array([dt.date(2024, 2, 29), dt.date(1, 1, 1), dt.date(9999, 12, 31), None]),
    "exact": pa.array(
        [Decimal("0.10"), Decimal("-99999999999999999999.99"), None, Decimal("0.00")], pa.decimal128(38, 2)
    ),
    "tags": pa.array([["a", None], [], None, ["a", None]]),
    "place": pa.array([{"x": 1, "y": "é"}, {"x": None, "y": "b"}, None, {"x": 1, "y": "é"}]),
    "raw": pa.array([b"\x00\xff", b"", None, b"\x00\xff"]),
    "long": pa.array(["x" * 100_000, "", None, "ß\U0001f600"]),
}


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM typed",
        "SELECT tags, place, raw, count(*) AS n, max(id) AS last FROM typed GROUP BY tags, place, raw",
        "SELECT day, at, local, min(long) AS first, sum(exact) AS total FROM typed GROUP BY day, at, local",
        "SELECT a.id, b.place, b.tags FROM typed a LEFT JOIN typed b ON a.raw = b.raw AND a.id < b.id",
        "SELECT id, tag FROM typed LATERAL VIEW OUTER explode(tags) t AS tag",
        "SELECT id, place.x AS x, at + INTERVAL 1 DAY AS tomorrow, day + INTERVAL 1 MONTH AS later FROM typed",
        "SELECT id, transform(tags, tag -> concat(tag, long)) AS tagged FROM typed WHERE id <> 1",
        "SELECT date_trunc('HOUR', at) AS hour, count(DISTINCT place) AS places FROM typed GROUP BY 1",
        "SELECT id, row_number() OVER (PARTITION BY raw ORDER BY at) AS n, tags FROM typed",
        "SELECT tags, place FROM typed EXCEPT SELECT tags, place FROM typed WHERE id = 1",
    ],
)
def test_types(lake, sql):
    rows = pa.table(TYPED)
    table = lake.create_table("typed", rows)
    view = lake.create_view("v", sql, policy="strict")
    for step in (
        lambda: table.append(rows.slice(1, 3)),
        lambda: table.delete("id = 4"),
        lambda: table.delete("id < 3"),
    ):
        step()
        view.refresh()
        verified = view.verify()
        assert verified.ok, verified.examples
