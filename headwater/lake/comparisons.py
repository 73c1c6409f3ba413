"""Comparisons of columns with constants, as values; and the rows that may pass them.

Idea: a row of a change that fails a view's filter is dropped when it is read, before it is handed to any engine.
Only comparisons that mean the same everywhere are made: whole numbers, dates, equality of strings byte by byte.
Invariant: a row is dropped only when each alternative has a comparison that is false or NULL for it.
Complexity: one vectorised comparison a column.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

OPERATORS = {
    "=": pc.equal,
    "<": pc.less,
    "<=": pc.less_equal,
    ">": pc.greater,
    ">=": pc.greater_equal,
}


@dataclass(frozen=True)
class Comparison:
    """`column operator value`, or one of several values for the operator `in`, or another column's value."""

    column: str
    operator: str
    value: Any
    is_column: bool = False


Alternative = tuple[Comparison, ...]  # all of them must hold
Mask = npt.NDArray[np.bool_]


def as_keys(alternatives: Sequence[Alternative]) -> Comparison | None:
    """Of a list of keys, however it is written, what all alternatives ask of one column: to be among some values."""
    for first in alternatives[0] if alternatives else ():
        values = [_values(one, first.column) for one in alternatives]
        if all(values):
            return Comparison(first.column, "in", tuple({value for each in values for value in each}))
    return None


def _values(alternative: Alternative, column: str) -> tuple[Any, ...]:
    for each in alternative:
        if each.column == column and not each.is_column and each.operator in ("=", "in"):
            return tuple(each.value) if each.operator == "in" else (each.value,)
    return ()


def that_may_pass(rows: pa.Table, alternatives: Sequence[Alternative]) -> pa.Table:
    """The rows without those that fail every alternative."""
    if not alternatives or not all(alternatives) or rows.num_rows == 0:
        return rows
    passing = reduce(np.logical_or, (_all_hold(rows, each) for each in alternatives))
    return rows if passing.all() else rows.filter(pa.array(passing))


def _all_hold(rows: pa.Table, comparisons: Alternative) -> Mask:
    return reduce(np.logical_and, (_holds(rows, each) for each in comparisons))


def _holds(rows: pa.Table, comparison: Comparison) -> Mask:
    column = rows.column(comparison.column)
    if comparison.operator == "in":
        found = pc.is_in(column, value_set=pa.array(comparison.value, column.type))
    else:
        other = rows.column(comparison.value) if comparison.is_column else pa.scalar(comparison.value, column.type)
        found = OPERATORS[comparison.operator](column, other)
    return np.asarray(pc.fill_null(found, False).to_numpy(), dtype=bool)
