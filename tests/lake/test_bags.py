"""Signed bags against `collections.Counter`."""

from __future__ import annotations

import math
from collections import Counter
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.lake.bags import WEIGHT, consolidate, expand, subtract

from .counting import SCHEMA, bag, minus, nonzero, rows, signed, table_of

weighted = st.lists(st.tuples(rows, st.integers(-2, 2)), max_size=25)


@given(weighted)
def test_consolidate_sums_the_weights_of_equal_rows(content: list) -> None:
    table = signed([row for row, _ in content], [weight for _, weight in content])
    merged = consolidate(table)
    assert bag(merged) == bag(table)
    assert merged.num_rows == len(bag(table))
    assert 0 not in merged.column(WEIGHT).to_pylist()


@given(st.lists(rows, max_size=25), st.lists(st.tuples(rows, st.integers(1, 3)), max_size=8))
def test_subtract_removes_as_many_copies_as_asked_and_reports_the_rest(present: list, removed: list) -> None:
    table = table_of(present)
    removals = signed([row for row, _ in removed], [count for _, count in removed])
    remaining, missing = subtract(table, removals)
    before, wanted = bag(table), bag(removals)
    assert bag(remaining) == before - wanted
    assert bag(missing) == wanted - before


@given(st.lists(rows, max_size=10), st.lists(st.integers(0, 3), min_size=10, max_size=10))
def test_expand_repeats_rows(content: list, counts: list) -> None:
    table = signed(content, counts[: len(content)])
    plain = expand(table)
    assert plain.schema == SCHEMA
    assert bag(plain) == bag(table)


def test_expand_refuses_negative_weights() -> None:
    with pytest.raises(ValueError, match="negative"):
        expand(signed([(1, 1.0, "a")], [-1]))


def test_empty_tables() -> None:
    empty = signed([], [])
    assert consolidate(empty).schema == empty.schema
    assert expand(empty).num_rows == 0
    rows, missing = subtract(SCHEMA.empty_table(), signed([(1, 1.0, "a")], [2]))
    assert rows.num_rows == 0
    assert missing.column(WEIGHT).to_pylist() == [2]
    table = table_of([(1, 1.0, "a")])
    assert subtract(table, empty)[0] is table


def test_a_lone_negative_zero_keeps_its_sign() -> None:
    merged = consolidate(signed([(1, -0.0, "a"), (2, 1.0, "a")], [1, 1]))
    assert math.copysign(1, merged.column("x")[0].as_py()) == -1


@pytest.mark.parametrize(
    "kind, values",
    [
        (pa.list_(pa.int64()), [[1, 2], [], None, [1, None]]),
        (pa.list_(pa.float64()), [[math.nan], [0.0], None]),
        (pa.struct([("a", pa.int64()), ("b", pa.float64())]), [{"a": 1, "b": math.nan}, None, {"a": None, "b": None}]),
        (pa.struct([("a", pa.list_(pa.string()))]), [{"a": ["x"]}, {"a": None}, None]),
        (pa.map_(pa.string(), pa.int64()), [[("x", 1), ("y", 2)], [], None]),
        (pa.decimal128(20, 2), [Decimal("1.50"), Decimal("-1.50"), None]),
        (pa.timestamp("us", "UTC"), [0, 1, None]),
        (pa.date32(), [0, 1, None]),
        (pa.binary(), [b"", b"\x00", None]),
        (pa.bool_(), [True, False, None]),
        (pa.float32(), [0.5, math.nan, None]),
        (pa.large_string(), ["a", "", None]),
        (pa.null(), [None]),
    ],
)
def test_every_type_groups_by_value(kind: pa.DataType, values: list) -> None:
    column = pa.array([*values, *values, values[0]], kind)
    table = pa.table({"v": column, WEIGHT: pa.array([1] * len(column), pa.int64())})
    merged = consolidate(table)
    assert merged.num_rows == len(values)
    assert sorted(merged.column(WEIGHT).to_pylist()) == sorted([3] + [2] * (len(values) - 1))
    remaining, missing = subtract(table.drop_columns([WEIGHT]), merged)
    assert (remaining.num_rows, missing.num_rows) == (0, 0)


def test_maps_are_equal_in_any_order() -> None:
    kind = pa.map_(pa.string(), pa.int64())
    table = pa.table({"v": pa.array([[("x", 1), ("y", 2)], [("y", 2), ("x", 1)]], kind), WEIGHT: pa.array([1, -1])})
    assert consolidate(table).num_rows == 0


def test_no_columns_at_all() -> None:
    table = pa.table({WEIGHT: pa.array([1, 1, -1], pa.int64())})
    assert consolidate(table).column(WEIGHT).to_pylist() == [1]


def test_subtract_from_many_rows_keeps_the_order_of_the_rest() -> None:
    numbers = np.arange(50_000)
    table = pa.table({"id": numbers, "g": numbers % 7})
    gone = table.take(pa.array([5, 49_999, 70]))
    remaining, missing = subtract(table, gone.append_column(WEIGHT, pa.array([1, 1, 1])))
    assert missing.num_rows == 0
    assert remaining.column("id").to_pylist() == [n for n in range(50_000) if n not in (5, 49_999, 70)]


@given(weighted, weighted)
def test_consolidate_is_linear(left: list, right: list) -> None:
    def table(content: list) -> pa.Table:
        return signed([row for row, _ in content], [weight for _, weight in content])

    both = bag(consolidate(pa.concat_tables([table(left), table(right)])))
    total: Counter = Counter(bag(table(left)))
    total.update(bag(table(right)))
    assert both == nonzero(total)
    assert minus(both, bag(table(right))) == bag(table(left))
