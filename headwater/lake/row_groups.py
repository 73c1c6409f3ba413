"""Which rows of a table are equal: the grouping below every operation on bags.

Idea: rows are grouped by *keys*, columns in which equal values have equal bits: NaN has one pattern, -0.0 is 0.0, a
struct is its validity and its fields. Lists and maps have no such form in Arrow, so each of their values becomes a
text token.
Invariant: two rows get the same group exactly when they are equal as bag elements (NULL equals NULL, NaN equals
NaN).
Complexity: one hash group-by over the rows; lists and maps take the slower path of one Python call per row.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as kinds

from headwater.lake.arrow_types import is_list

Indices = npt.NDArray[np.int64]


@dataclass(frozen=True)
class RowGroups:
    """The rows' indices, group after group, each group in row order; `starts[g]` is where group g begins."""

    order: Indices
    starts: Indices

    @property
    def sizes(self) -> Indices:
        return np.diff(self.starts, append=len(self.order))

    @property
    def first(self) -> Indices:
        """The first row of each group."""
        return self.order[self.starts]

    @property
    def group_of(self) -> Indices:
        """The group of each position in `order`."""
        return np.repeat(np.arange(len(self.starts)), self.sizes)


def group_rows(table: pa.Table) -> RowGroups:
    keys = {f"k{i}": key for i, key in enumerate(_keys(table))}
    names = list(keys) or ["one"]
    rows = pa.array(np.arange(table.num_rows))
    keyed = pa.table((keys or {"one": pa.repeat(True, table.num_rows)}) | {"row": rows})
    listed = keyed.group_by(names, use_threads=False).aggregate([("row", "list")]).column("row_list").combine_chunks()
    sizes = pc.list_value_length(listed).to_numpy(zero_copy_only=False).astype(np.int64)
    order = listed.flatten().to_numpy(zero_copy_only=False).astype(np.int64)
    return RowGroups(order, np.cumsum(sizes) - sizes)


def _keys(table: pa.Table) -> Iterator[pa.ChunkedArray]:
    for column in table.columns:
        yield from keys_of(column)


def keys_of(column: pa.ChunkedArray) -> Iterator[pa.ChunkedArray]:
    """Columns of plain values that are equal exactly where the given column is."""
    if kinds.is_floating(column.type):
        yield canonical(column)
    elif kinds.is_struct(column.type):
        yield pc.is_valid(column)
        for at in range(column.type.num_fields):
            yield from keys_of(pc.struct_field(column, [at]))
    elif is_list(column.type) or kinds.is_map(column.type):
        unordered = kinds.is_map(column.type)
        tokens = [None if value is None else repr(_canonical_value(value, unordered)) for value in column.to_pylist()]
        yield pa.chunked_array([pa.array(tokens, pa.string())])
    else:
        yield column


def canonical(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Floats with one NaN and one zero; other types as they are."""
    if not kinds.is_floating(column.type):
        return column
    zero, nan = pa.scalar(0.0, column.type), pa.scalar(math.nan, column.type)
    return pc.if_else(pc.is_nan(column), nan, pc.add(column, zero))


def _canonical_value(value: Any, unordered: bool = False) -> Any:
    match value:
        case float():
            return value + 0.0
        case dict():
            return [(name, _canonical_value(inner)) for name, inner in value.items()]
        case list():
            inner = [_canonical_value(one) for one in value]
            return sorted(inner, key=repr) if unordered else inner
        case tuple():
            return tuple(_canonical_value(one) for one in value)
    return value
