"""Which columns may stand in for which types: casts that lose nothing, never others.

Idea: two questions. `may_become` asks the types whether a cast makes sense at all; the cast itself is Arrow's safe
one, which looks at the values (overflow, truncated fractions, lost nanoseconds). Both must agree.
Invariant: a value that was cast equals the value that was given.
"""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as kinds

from headwater.lake.arrow_types import is_list

Test = Callable[[pa.DataType], bool]
BECOMES: tuple[tuple[Test, tuple[Test, ...]], ...] = (
    (kinds.is_integer, (kinds.is_integer, kinds.is_floating, kinds.is_decimal)),
    (kinds.is_floating, (kinds.is_floating, kinds.is_integer)),
    (kinds.is_decimal, (kinds.is_decimal,)),
    (kinds.is_date, (kinds.is_date,)),
)


def may_become(given: pa.DataType, wanted: pa.DataType) -> bool:
    if given == wanted or kinds.is_null(given):
        return True
    if kinds.is_timestamp(given) and kinds.is_timestamp(wanted):
        return given.tz is None or wanted.tz is not None
    for of_kind, targets in BECOMES:
        if of_kind(given):
            return any(target(wanted) for target in targets)
    return _nested_may_become(given, wanted)


def _nested_may_become(given: pa.DataType, wanted: pa.DataType) -> bool:
    if is_list(given) and is_list(wanted):
        return may_become(given.value_type, wanted.value_type)
    if kinds.is_map(given) and kinds.is_map(wanted):
        return may_become(given.key_type, wanted.key_type) and may_become(given.item_type, wanted.item_type)
    if kinds.is_struct(given) and kinds.is_struct(wanted):
        names = [field.name for field in given]
        same = names == [field.name for field in wanted]
        return same and all(may_become(a.type, b.type) for a, b in zip(given, wanted, strict=True))
    return False


def cast_without_loss(column: pa.ChunkedArray, wanted: pa.DataType) -> pa.ChunkedArray:
    """The column as `wanted`; `pa.ArrowInvalid` when a value would change."""
    if column.type == wanted:
        return column
    if not may_become(column.type, wanted):
        raise pa.ArrowInvalid(f"{column.type} is not {wanted}")
    if kinds.is_floating(column.type) and kinds.is_floating(wanted):
        return _between_floats(column, wanted)
    if kinds.is_integer(column.type) and kinds.is_decimal(wanted):
        return column.cast(pa.decimal128(20, 0)).cast(wanted)
    return column.cast(wanted)


def _between_floats(column: pa.ChunkedArray, wanted: pa.DataType) -> pa.ChunkedArray:
    cast = column.cast(wanted, safe=False)
    changed = pc.and_(pc.not_equal(cast.cast(column.type), column), pc.invert(pc.is_nan(column)))
    if pc.any(changed).as_py():
        raise pa.ArrowInvalid(f"{column.type} values do not fit {wanted} exactly")
    return cast


def nan_as_null(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """pandas says NaN where it means a missing value; in a column of whole numbers it can mean nothing else."""
    if not kinds.is_floating(column.type):
        return column
    return pc.if_else(pc.is_nan(column), pa.scalar(None, column.type), column)
