"""What is left of two bags after equal-but-for-rounding rows are paired off."""

from __future__ import annotations

import math

import pyarrow as pa
import pytest

from headwater.refresh.verify import COPIES, TOLERANCE, close, leftovers

DOUBLE = pa.float64()


def differing(rows: list[tuple], kind: pa.DataType = DOUBLE) -> pa.Table:
    keys, values, copies = (list(each) for each in zip(*rows, strict=True)) if rows else ([], [], [])
    return pa.table(
        {"k": pa.array(keys, pa.string()), "x": pa.array(values, kind), COPIES: pa.array(copies, pa.int64())}
    )


def counts(rows: list[tuple], kind: pa.DataType = DOUBLE) -> tuple[int, int]:
    missing, extra = leftovers(differing(rows, kind))
    return len(missing), len(extra)


def test_nothing_differs():
    assert leftovers(differing([])) == ([], [])


def test_copies_count():
    assert counts([("a", 1.0, 2), ("b", 1.0, -3)]) == (2, 3)


@pytest.mark.parametrize(
    ("recomputed", "held", "same"),
    [
        (0.1 + 0.2, 0.3, True),
        (1e300, 1e300 * (1 + TOLERANCE / 2), True),
        (1.0, 1.0 + 2 * TOLERANCE, False),
        (math.nan, math.nan, True),
        (math.nan, 1.0, False),
        (math.inf, math.inf, True),
        (math.inf, -math.inf, False),
        (0.0, -0.0, True),
        (0.0, 1e-13, True),
        (0.0, 1e-6, False),
        (None, None, True),
        (None, 0.0, False),
    ],
)
def test_doubles_are_paired_off_up_to_rounding(recomputed, held, same):
    assert counts([("a", recomputed, 1), ("a", held, -1)]) == ((0, 0) if same else (1, 1))
    assert close(("a", recomputed), ("a", held)) == same


def test_a_pair_agrees_in_every_column():
    assert counts([("a", 0.1 + 0.2, 1), ("b", 0.3, -1)]) == (1, 1)


def test_a_row_is_paired_once():
    assert counts([("a", 0.1 + 0.2, 2), ("a", 0.3, -1)]) == (1, 0)


def test_integers_must_be_equal():
    assert counts([("a", 10**15, 1), ("a", 10**15 + 1, -1)], pa.int64()) == (1, 1)
