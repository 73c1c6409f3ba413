"""What a feed declares is kept, followed, shown by EXPLAIN, and never wrong about rows."""

from __future__ import annotations

import math

import pytest

import headwater as hw
from headwater.refresh.expected import arrived_change, expected_change, newly_broken, usual_interval
from headwater.refresh.standing import Stop
from headwater.state.expectation import DECLARED, DEFAULT, LATENESS, RATE, Expected
from headwater.state.predictors import DEFAULT_SHARE

NOW = 2e9
LOAD = 1_000


def numbers(count: int, start: int = 0) -> list[dict[str, int]]:
    return [{"id": start + number, "v": number % 7} for number in range(count)]


@pytest.fixture
def shop(tmp_path):
    """A lake without Spark."""
    with hw.connect(tmp_path / "warehouse") as lake:
        lake.create_table("orders", numbers(LOAD))
        lake.create_table("items", numbers(LOAD))
        yield lake


def expected(lake, name: str = "orders", stops: tuple[Stop, ...] = ()) -> Expected:
    target = {table.name: table.version for table in lake.tables()}
    return expected_change(lake._watched(target), stops, target, NOW)[name]


def key_of(action) -> str:
    with pytest.raises(hw.HeadwaterError) as raised:
        action()
    assert str(raised.value)
    return raised.value.key


# -- what a lake keeps, without Spark


def test_a_declaration_is_followed_replaced_and_withdrawn(shop):
    assert expected(shop).source == DEFAULT
    shop.expect("orders", inserts=6_000, deletes=5)
    assert expected(shop) == Expected(6_000, 5, False, DECLARED)
    shop.expect("ORDERS", inserts=7)
    assert expected(shop) == Expected(7, 0, False, DECLARED)
    shop.expect("orders", complete=True)
    assert expected(shop) == Expected(0, 0, True, DECLARED)
    shop.expect("orders", None)
    assert expected(shop) == Expected(LOAD * DEFAULT_SHARE, 0, False, DEFAULT)
    assert expected(shop, "items").source == DEFAULT


def test_a_declaration_is_seen_by_others_and_outlives_its_lake(shop):
    with hw.connect(shop.path) as other:
        assert expected(other).source == DEFAULT
        shop.expect("orders", inserts=6_000)
        assert expected(other) == Expected(6_000, 0, False, DECLARED)
        other.expect("orders", inserts=5)
    assert expected(shop) == Expected(5, 0, False, DECLARED)
    shop.close()
    with hw.connect(shop.path) as later:
        assert expected(later) == Expected(5, 0, False, DECLARED)
        assert later.table("orders").rows == LOAD


def test_a_declaration_stays_when_its_change_has_come(shop):
    shop.expect("orders", inserts=10)
    shop.table("orders").append(numbers(10, LOAD))
    assert expected(shop) == Expected(10, 0, False, DECLARED)


def test_a_declaration_goes_with_its_table(shop):
    shop.expect("orders", inserts=10)
    shop.drop_table("orders")
    shop.create_table("orders", numbers(3))
    assert expected(shop).source == DEFAULT


def test_a_folder_of_parquet_can_be_declared_too(shop, tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    files = tmp_path / "files"
    files.mkdir()
    pq.write_table(pa.table({"a": [1, 2]}), files / "one.parquet")
    shop.attach("events", files)
    shop.expect("events", inserts=10)
    assert expected(shop, "events") == Expected(10, 0, False, DECLARED)
    shop.expect("events", None)
    pq.write_table(pa.table({"a": [1, 2, 3]}), files / "two.parquet")
    assert expected(shop, "events") == Expected(3, 0, False, RATE)


@pytest.mark.parametrize(
    ("arguments", "key"),
    [
        ({"inserts": -1}, "expect.number"),
        ({"deletes": -1}, "expect.number"),
        ({"inserts": 1.5}, "expect.number"),
        ({"inserts": math.nan}, "expect.number"),
        ({"inserts": "many"}, "expect.number"),
        ({"inserts": None, "complete": True}, "expect.number"),
        ({"complete": "soon"}, "expect.complete"),
        ({"inserts": 5, "complete": True}, "expect.both"),
        ({"like": "orders"}, "expect.like"),
        ({"like": "nope"}, "table.unknown"),
    ],
)
def test_what_cannot_be_expected_changes_nothing(shop, arguments, key):
    shop.expect("orders", inserts=5)
    assert key_of(lambda: shop.expect("orders", **arguments)) == key
    assert expected(shop) == Expected(5, 0, False, DECLARED)


def test_an_expectation_for_an_unknown_table(shop):
    with pytest.raises(hw.HeadwaterError) as raised:
        shop.expect("nope", inserts=5)
    assert raised.value.key == "table.unknown"
    assert raised.value.params == {"name": "nope", "known": "items, orders"}


def test_a_closed_lake_expects_nothing(shop):
    shop.close()
    assert key_of(lambda: shop.expect("orders", inserts=5)) == "warehouse.closed"


def test_a_complete_table_that_changes(shop):
    before = {"orders": shop.table("orders").version}
    shop.expect("orders", complete=True)
    assert newly_broken(shop._declared(before), before, before) == ()
    after = {"orders": shop.table("orders").append(numbers(10, LOAD))}
    (sentence,) = newly_broken(shop._declared(before), before, after)
    assert "was declared complete at version 1, but version 2 changed it" in sentence
    assert newly_broken(shop._declared(before), after, after) == ()  # said once, by the refresh that met it
    ignored = expected(shop)
    assert (ignored.inserts, ignored.complete, ignored.source) == (10, False, RATE)
    assert sentence in ignored.why
    shop.expect("orders", complete=True)
    assert expected(shop) == Expected(0, 0, True, DECLARED)


def test_another_table_shows_how_late_rows_come(shop):
    january = shop.create_table("january", numbers(900))
    january.append(numbers(90, 900))
    january.append(numbers(10, 990))
    shop.expect("orders", like="january")
    found = expected(shop)
    assert found.source == LATENESS
    assert "by table january" in found.why
    shop.drop_table("january")
    assert "it is no longer there" in expected(shop).why


def test_what_came_is_counted_between_cursors(shop):
    orders = shop.table("orders")
    since = {"orders": orders.version, "items": shop.table("items").version}
    orders.append(numbers(10, LOAD))
    orders.update({"v": "0"}, "id < 3")  # one of the three is 0 already
    orders.delete("id < 2")
    target = since | {"orders": orders.version}
    change = arrived_change(shop._watched(since), since, target)
    assert {name: (one.inserts, one.deletes) for name, one in change.items()} == {"orders": (12, 4), "items": (0, 0)}


def test_the_pace_is_cut_where_refreshes_stopped(shop):
    orders = shop.table("orders")
    stops = [Stop({"orders": orders.version, "items": 1}, 0.0)]
    for change in range(3):
        orders.append(numbers(50, LOAD + 100 * change))
        orders.append(numbers(50, LOAD + 100 * change + 50))
        stops.append(Stop({"orders": orders.version, "items": 1}, 60.0 * (change + 1)))
    assert usual_interval(stops) == 60
    assert expected(shop, "orders", tuple(stops)).inserts == pytest.approx(100)
    quiet = expected(shop, "items", tuple(stops))
    assert (quiet.rows, quiet.complete, quiet.source) == (0, False, RATE)


# -- what EXPLAIN and the history say


def test_explain_and_the_history(lake):
    orders = lake.create_table("orders", numbers(LOAD))
    lake.create_table("items", numbers(LOAD))
    view = lake.create_view("v", "SELECT o.v, count(*) AS n FROM orders o JOIN items i ON o.id = i.id GROUP BY o.v")

    explained = view.explain()
    assert explained.expected["orders"].source == DEFAULT
    assert "  expects: orders: 10 inserts (default: nothing is known yet; 1% of its rows)" in str(explained)

    lake.expect("orders", inserts=6_000)
    lake.expect("items", complete=True)
    explained = view.explain()
    assert "  expects: orders: 6,000 inserts (declared: stays until it is replaced)" in str(explained)
    assert "  expects: items: complete, no change (declared: stays until it is replaced)" in str(explained)
    assert explained.as_dict()["expected"]["orders"]["inserts"] == 6_000
    assert key_of(lambda: lake.expect("v", inserts=5)) == "expect.view"

    lake.table("items").append(numbers(10, LOAD))  # it was complete
    orders.append(numbers(10, LOAD))
    broken = "'items' was declared complete at version 1, but version 2 changed it"
    assert broken in str(view.explain())
    first = view.refresh()
    assert broken in first.reason
    assert broken in view.history(1).column("reason")[0].as_py()
    assert view.verify().ok
    assert broken in str(view.explain())  # until it is renewed

    lake.expect("orders", None)
    orders.append(numbers(10, LOAD + 10))
    assert broken not in view.refresh().reason  # the history says it once
    explained = view.explain()
    assert "  expects: orders: 10 inserts (rate: the last 2 changes)" in str(explained)
    new = str(lake.sql("EXPLAIN CREATE MATERIALIZED VIEW w AS SELECT id FROM orders").collect()[0])
    grouped = "SELECT id, COUNT(*) AS n FROM orders GROUP BY id"
    assert "its partial sums" in str(lake.sql(f"EXPLAIN CREATE MATERIALIZED VIEW g AS {grouped}").collect()[0])
    assert "expects: orders: 10 inserts (rate: the last 2 changes)" in new

    over = lake.create_view("over", "SELECT sum(n) AS n FROM v")
    assert over.explain().expected["v"].source == RATE
