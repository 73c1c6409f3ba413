"""A stream of changes to TPC-H's orders and lineitem, in the manner of its refresh functions.

Idea: TPC-H's RF1 and RF2 insert and delete orders together with their items. Here a change at rate r inserts r of
the orders and deletes r of the orders; by default both fall anywhere in the key space, as corrections and
cancellations do, not at its end. TPC-H uses 8 of every 32 keys, so new orders find free keys between old ones. New
rows are old ones, perturbed, with the dependent columns computed by TPC-H's own rules.
Invariant: a key is never used twice; an item's order exists; (l_partkey, l_suppkey) is a pair that exists; the
number of orders stays as it was. The same seed gives the same stream.
Complexity: one byte per key ever possible, and the rows of the change.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt
import pyarrow as pa

Integers = npt.NDArray[np.int64]

MOST_ITEMS = 7  # items per order, as in TPC-H
MOST_QUANTITY = 50
CENTS = 100
DISCOUNTS = 11  # 0.00 to 0.10
TAXES = 9  # 0.00 to 0.08
DATE_SHIFT = 30  # days that a new order may lie from the one it was made from
RECENT_DAYS = 7  # how old a new order is at most in the pattern `recent`
RECENT_SHARE = 0.1  # the newest keys, among which the pattern `recent` deletes
FIRST_ORDER, LAST_ORDER, TODAY = (  # STARTDATE, ENDDATE - 151 days and CURRENTDATE of the specification
    int(np.datetime64(day, "D").astype(np.int64)) for day in ("1992-01-01", "1998-08-02", "1995-06-17")
)


class Pattern(StrEnum):
    """Where in the key space changes fall."""

    SPREAD = "spread"  # anywhere
    RECENT = "recent"  # new keys after the last, deleted ones side by side among the newest


@dataclass(frozen=True)
class Change:
    """Orders and items to insert, and the keys of the orders that go with all of their items."""

    orders: pa.Table
    lineitem: pa.Table
    deleted: Integers


@dataclass(frozen=True)
class Templates:
    """Existing rows that new ones are made from."""

    orders: pa.Table
    lineitem: pa.Table


class ChangeStream:
    def __init__(self, keys: Integers, templates: Templates, seed: int, pattern: Pattern = Pattern.SPREAD) -> None:
        """`keys` are all order keys there are."""
        self._live = np.sort(keys)
        self._templates = templates
        self._random = np.random.default_rng(seed)
        self._pattern = pattern
        self._used = np.zeros(int(self._live[-1]) + 1, dtype=bool)  # [key], deleted ones included
        self._used[self._live] = True

    @property
    def live(self) -> Integers:
        """The keys of the orders there are after the last change, ascending."""
        return self._live

    def next(self, rate: float) -> Change:
        """The next change; `rate` is a share of the orders, and a change has at least one insert and one delete."""
        count = max(1, round(rate * len(self._live)))
        deleted = self._keys_to_delete(count)
        new = self._fresh_keys(count)
        self._live = np.sort(np.concatenate([np.setdiff1d(self._live, deleted, assume_unique=True), new]))
        dates = self._order_dates(count)
        lineitem, totals = self._items(new, dates)
        return Change(self._orders(new, dates, totals), lineitem, deleted)

    def _keys_to_delete(self, count: int) -> Integers:
        if self._pattern is Pattern.SPREAD:
            return np.sort(self._random.choice(self._live, count, replace=False))
        window = max(count, round(RECENT_SHARE * len(self._live)))
        start = len(self._live) - window + int(self._random.integers(window - count + 1))
        return self._live[start : start + count].copy()

    def _fresh_keys(self, count: int) -> Integers:
        if self._pattern is Pattern.RECENT:
            keys = np.arange(count) + len(self._used)
            self._used = np.concatenate([self._used, np.ones(count, dtype=bool)])
            return keys
        free = np.flatnonzero(~self._used[1:]) + 1
        if len(free) < count:
            raise ValueError(f"{count} new keys are wanted, and {len(free)} are free")
        keys = np.sort(self._random.choice(free, count, replace=False))
        self._used[keys] = True
        return keys

    def _order_dates(self, count: int) -> Integers:
        if self._pattern is Pattern.RECENT:
            return LAST_ORDER - self._random.integers(0, RECENT_DAYS, count)
        old = _days(self._templates.orders, "o_orderdate")[self._draw(self._templates.orders, count)]
        return np.clip(old + self._random.integers(-DATE_SHIFT, DATE_SHIFT + 1, count), FIRST_ORDER, LAST_ORDER)

    def _draw(self, table: pa.Table, count: int) -> Integers:
        return self._random.integers(0, table.num_rows, count)

    def _items(self, keys: Integers, order_dates: Integers) -> tuple[pa.Table, _Totals]:
        """The items of new orders, in the order of the keys, and what the orders must say of them."""
        per_order = self._random.integers(1, MOST_ITEMS + 1, len(keys))
        order_of = np.repeat(np.arange(len(keys)), per_order)
        count = len(order_of)
        drawn = self._templates.lineitem.take(pa.array(self._draw(self._templates.lineitem, count)))
        unit_price = _cents(drawn, "l_extendedprice") * CENTS // _cents(drawn, "l_quantity")
        quantity = self._random.integers(1, MOST_QUANTITY + 1, count)
        price = quantity * unit_price
        discount, tax = self._random.integers(0, DISCOUNTS, count), self._random.integers(0, TAXES, count)
        shipped = order_dates[order_of] + self._random.integers(1, 122, count)
        received = shipped + self._random.integers(1, 31, count)
        returned = np.where(self._random.random(count) < 0.5, "R", "A")
        items = _replace(
            drawn,
            {
                "l_orderkey": keys[order_of],
                "l_linenumber": np.arange(count) - np.repeat(np.cumsum(per_order) - per_order, per_order) + 1,
                "l_quantity": quantity * CENTS,
                "l_extendedprice": price,
                "l_discount": discount,
                "l_tax": tax,
                "l_returnflag": np.where(received <= TODAY, returned, "N"),
                "l_linestatus": np.where(shipped > TODAY, "O", "F"),
                "l_shipdate": shipped,
                "l_commitdate": order_dates[order_of] + self._random.integers(30, 91, count),
                "l_receiptdate": received,
            },
        )
        charged = price * (CENTS - discount) * (CENTS + tax)
        return items, _Totals.of(order_of, charged, shipped > TODAY, len(keys))

    def _orders(self, keys: Integers, dates: Integers, totals: _Totals) -> pa.Table:
        drawn = self._templates.orders.take(pa.array(self._draw(self._templates.orders, len(keys))))
        customers = self._templates.orders.column("o_custkey").to_numpy()
        values = {
            "o_orderkey": keys,
            "o_custkey": customers[self._draw(self._templates.orders, len(keys))],
            "o_orderstatus": totals.status,
            "o_totalprice": totals.price,
            "o_orderdate": dates,
        }
        return _replace(drawn, values)


@dataclass(frozen=True)
class _Totals:
    """Per order: the sum of what its items cost, in cents, and whether they are shipped (F), open (O) or both (P)."""

    price: Integers
    status: npt.NDArray[np.str_]

    @classmethod
    def of(cls, order_of: Integers, charged: Integers, is_open: npt.NDArray[np.bool_], orders: int) -> _Totals:
        rounded = (charged + CENTS * CENTS // 2) // (CENTS * CENTS)
        price = np.bincount(order_of, rounded, orders).round().astype(np.int64)
        share = np.bincount(order_of, is_open, orders) / np.bincount(order_of, minlength=orders)
        return cls(price, np.select([share == 0, share == 1], ["F", "O"], "P"))


def _replace(rows: pa.Table, values: Mapping[str, npt.NDArray[np.generic]]) -> pa.Table:
    """The rows with some columns replaced; decimals are given in cents, dates in days."""
    for name, column in values.items():
        at = rows.schema.get_field_index(name)
        field = rows.schema.field(at)
        rows = rows.set_column(at, field, _typed(column, field.type))
    return rows


def _typed(values: npt.NDArray[np.generic], kind: pa.DataType) -> pa.Array:
    if pa.types.is_decimal(kind):
        return _decimals(values.astype(np.int64), kind)
    if pa.types.is_date(kind):
        return pa.array(values.astype("datetime64[D]"), kind)
    return pa.array(values).cast(kind)


def _decimals(cents: Integers, kind: pa.Decimal128Type) -> pa.Array:
    """Arrow has no cast that moves the decimal point: the 128-bit values are laid out here, low word first."""
    if kind.scale != 2:
        raise ValueError(f"TPC-H's amounts have two digits after the point, not {kind.scale}")
    words = np.stack([cents, cents >> 63], axis=1)
    return pa.Array.from_buffers(kind, len(cents), [None, pa.py_buffer(np.ascontiguousarray(words))])


def _cents(rows: pa.Table, name: str) -> Integers:
    return (rows.column(name).cast(pa.float64()).to_numpy() * CENTS).round().astype(np.int64)


def _days(rows: pa.Table, name: str) -> Integers:
    return rows.column(name).cast(pa.int32()).to_numpy().astype(np.int64)
