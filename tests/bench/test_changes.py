"""The stream of changes: what TPC-H promises of its rows must hold after any of them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from headwater.bench.changes import (
    FIRST_ORDER,
    LAST_ORDER,
    MOST_ITEMS,
    RECENT_DAYS,
    TODAY,
    Change,
    ChangeStream,
    Pattern,
    Templates,
)

SEED = 7
RATE = 0.01


@pytest.fixture
def keys(tables) -> np.ndarray:
    return tables["orders"].column("o_orderkey").to_numpy()


@pytest.fixture(params=list(Pattern))
def pattern(request) -> Pattern:
    return request.param


@pytest.fixture
def stream(tables, keys, pattern) -> ChangeStream:
    return ChangeStream(keys, Templates(tables["orders"], tables["lineitem"]), SEED, pattern)


def days(column: pa.ChunkedArray) -> np.ndarray:
    return column.cast(pa.int32()).to_numpy()


def items_with_orders(change: Change) -> pa.Table:
    return change.lineitem.join(change.orders, "l_orderkey", "o_orderkey")


def test_rows_fit_the_tables(stream, tables):
    change = stream.next(RATE)
    assert change.orders.schema == tables["orders"].schema
    assert change.lineitem.schema == tables["lineitem"].schema
    for rows in (change.orders, change.lineitem):
        rows.validate(full=True)
        assert all(column.null_count == 0 for column in rows.columns)


@pytest.mark.parametrize("rate", [0.0001, 0.001, 0.01, 0.3])
def test_the_rate_is_met_by_inserts_and_by_deletes(stream, keys, rate):
    change = stream.next(rate)
    expected = max(1, round(rate * len(keys)))
    assert change.orders.num_rows == len(change.deleted) == expected
    assert len(stream.live) == len(keys)


def test_keys_never_collide(stream, keys):
    live, ever = set(keys.tolist()), set(keys.tolist())
    for _ in range(40):
        change = stream.next(0.05)
        new, gone = change.orders.column("o_orderkey").to_pylist(), change.deleted.tolist()
        assert len(set(new)) == len(new)
        assert len(set(gone)) == len(gone)
        assert not ever & set(new)
        assert set(gone) <= live
        live = (live - set(gone)) | set(new)
        ever |= set(new)
        assert stream.live.tolist() == sorted(live)


def test_every_new_order_has_its_items_and_every_item_its_order(stream):
    change = stream.next(0.2)
    items = change.lineitem.group_by("l_orderkey").aggregate([("l_linenumber", "list")]).to_pylist()
    assert {one["l_orderkey"] for one in items} == set(change.orders.column("o_orderkey").to_pylist())
    for one in items:
        assert one["l_linenumber_list"] == list(range(1, len(one["l_linenumber_list"]) + 1))
    assert {len(one["l_linenumber_list"]) for one in items} == set(range(1, MOST_ITEMS + 1))


def test_references_to_other_tables_hold(stream, tables):
    change = stream.next(0.2)
    partsupp = tables["partsupp"]
    pairs = set(zip(partsupp["ps_partkey"].to_pylist(), partsupp["ps_suppkey"].to_pylist(), strict=True))
    found = set(zip(change.lineitem["l_partkey"].to_pylist(), change.lineitem["l_suppkey"].to_pylist(), strict=True))
    assert found <= pairs
    customers = set(tables["customer"]["c_custkey"].to_pylist())
    assert set(change.orders["o_custkey"].to_pylist()) <= customers


def test_the_price_of_an_item_is_that_of_its_part(stream, tables):
    part = tables["part"].select(["p_partkey", "p_retailprice"])
    items = stream.next(0.2).lineitem.join(part, "l_partkey", "p_partkey")
    for row in items.select(["l_quantity", "l_extendedprice", "p_retailprice"]).to_pylist():
        assert row["l_extendedprice"] == row["l_quantity"] * row["p_retailprice"]
        assert 1 <= row["l_quantity"] <= 50


def test_dates_follow_each_other(stream):
    items = items_with_orders(stream.next(0.2))
    ordered, shipped, received = (days(items.column(name)) for name in ("o_orderdate", "l_shipdate", "l_receiptdate"))
    assert (ordered >= FIRST_ORDER).all()
    assert (ordered <= LAST_ORDER).all()
    assert (ordered < shipped).all()
    assert (shipped < received).all()
    committed = days(items.column("l_commitdate"))
    assert (committed - ordered >= 30).all()
    assert (committed - ordered <= 90).all()


def test_flags_follow_from_the_dates(stream):
    items = stream.next(0.2).lineitem
    shipped, received = days(items.column("l_shipdate")), days(items.column("l_receiptdate"))
    status = np.array(items.column("l_linestatus").to_pylist())
    returned = np.array(items.column("l_returnflag").to_pylist())
    assert (status == np.where(shipped > TODAY, "O", "F")).all()
    assert ((returned == "N") == (received > TODAY)).all()
    assert set(returned) <= {"N", "R", "A"}


def test_orders_sum_up_their_items(stream):
    change = stream.next(0.2)
    wanted: dict[int, list] = {}
    for row in change.lineitem.to_pylist():
        price = row["l_extendedprice"] * (1 - row["l_discount"]) * (1 + row["l_tax"])
        wanted.setdefault(row["l_orderkey"], []).append((price, row["l_linestatus"]))
    for order in change.orders.to_pylist():
        items = wanted[order["o_orderkey"]]
        assert abs(order["o_totalprice"] - sum(price for price, _ in items)) < len(items) * 0.005 + 1e-9
        kinds = {status for _, status in items}
        assert order["o_orderstatus"] == (kinds.pop() if len(kinds) == 1 else "P")


def test_the_same_seed_gives_the_same_stream(tables, keys, pattern):
    templates = Templates(tables["orders"], tables["lineitem"])
    one, two, other = (ChangeStream(keys, templates, seed, pattern) for seed in (SEED, SEED, SEED + 1))
    for _ in range(3):
        first, second, third = one.next(RATE), two.next(RATE), other.next(RATE)
        assert first.orders == second.orders
        assert first.lineitem == second.lineitem
        assert (first.deleted == second.deleted).all()
        assert first.lineitem != third.lineitem


def test_spread_changes_fall_anywhere(tables, keys):
    stream = ChangeStream(keys, Templates(tables["orders"], tables["lineitem"]), SEED, Pattern.SPREAD)
    change = stream.next(0.1)
    edges = np.linspace(0, keys.max() + 1, 11)
    for found in (change.deleted, change.orders.column("o_orderkey").to_numpy()):
        share = np.histogram(found, edges)[0] / len(found)
        assert (share > 0.03).all()
        assert (share < 0.2).all()


def test_recent_changes_fall_at_the_end(tables, keys):
    stream = ChangeStream(keys, Templates(tables["orders"], tables["lineitem"]), SEED, Pattern.RECENT)
    change = stream.next(RATE)
    count = change.orders.num_rows
    assert change.orders.column("o_orderkey").to_pylist() == list(range(keys.max() + 1, keys.max() + 1 + count))
    assert days(change.orders.column("o_orderdate")).min() > LAST_ORDER - RECENT_DAYS
    ordered = np.sort(keys)
    start = int(np.searchsorted(ordered, change.deleted[0]))
    assert (ordered[start : start + count] == change.deleted).all()
    assert start >= 0.9 * len(keys) - 1


def test_more_keys_than_are_free_is_an_error(tables):
    full = np.arange(1, 101)
    stream = ChangeStream(full, Templates(tables["orders"], tables["lineitem"]), SEED)
    with pytest.raises(ValueError, match="are free"):
        stream.next(0.5)
