"""What of Arrow's types a table holds, and rows made ready for that; the names of columns that it can have.

Idea: a new table takes its types from data. A type that a table lacks becomes the nearest that holds all its values
(unsigned integers a wider signed one, times of any unit microseconds) or is refused with the column's name.
Invariant: no value changes: one that the nearest type cannot hold is refused as well.
"""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa
import pyarrow.types as kinds

from headwater.errors import HeadwaterError
from headwater.lake.arrow_types import is_list
from headwater.lake.spark_types import LARGEST_PRECISION, type_name

WIDER = {
    pa.uint8(): pa.int16(),
    pa.uint16(): pa.int32(),
    pa.uint32(): pa.int64(),
    pa.uint64(): pa.int64(),
    pa.float16(): pa.float32(),
    pa.date64(): pa.date32(),
}
HELD: tuple[Callable[[pa.DataType], bool], ...] = (
    kinds.is_boolean,
    kinds.is_signed_integer,
    kinds.is_float32,
    kinds.is_float64,
    kinds.is_string,
    kinds.is_binary,
    kinds.is_date32,
)
ADVICE: tuple[tuple[Callable[[pa.DataType], bool], str], ...] = (
    (kinds.is_null, "nothing but NULL tells no type; make the table from a schema, as in {'a': 'string'}"),
    (kinds.is_time, "a table holds no time of day; give a timestamp or a text"),
    (kinds.is_duration, "a table holds no durations; give a number of seconds"),
    (kinds.is_interval, "a table holds no intervals; give a number"),
)


def storable(data: pa.Table, table: str) -> pa.Table:
    """Rows in types that a table holds."""
    refuse_names(data.schema.names, table)
    schema = storable_schema(data.schema, table)
    columns = [_stored(data.column(at), field, table) for at, field in enumerate(schema)]
    return pa.Table.from_arrays(columns, schema=schema)


def storable_schema(schema: pa.Schema, table: str) -> pa.Schema:
    """A schema in types that a table holds; `data.unstorable` names the column for which there is none."""
    refuse_names(schema.names, table)
    return pa.schema([field.with_type(_type_of(field, table)) for field in schema])


def refuse_names(names: list[str], table: str) -> None:
    """A table has at least one column, and no two that differ only by upper and lower case."""
    seen: dict[str, str] = {}
    why = None if names else "it would have no columns; give rows or a schema"
    for name in names:
        if not name:
            why = "a column has no name"
        elif name.lower() in seen:
            why = f"columns {seen[name.lower()]!r} and {name!r} have one name; upper and lower case are the same"
        seen[name.lower()] = name
    if why is not None:
        raise HeadwaterError("table.columns", name=table, why=why)


def _type_of(field: pa.Field, table: str) -> pa.DataType:
    found = _nearest(field.type)
    if found is None:
        why = next((text for test, text in ADVICE if test(field.type)), "a table holds no such values; convert them")
        raise unstorable(field, table, why)
    return found


def unstorable(field: pa.Field, table: str, why: str) -> HeadwaterError:
    return HeadwaterError("data.unstorable", column=field.name, table=table, type=type_name(field.type), why=why)


def _nearest(kind: pa.DataType) -> pa.DataType | None:
    if kind in WIDER:
        return WIDER[kind]
    if kinds.is_timestamp(kind):
        return pa.timestamp("us", "UTC" if kind.tz else None)
    if kinds.is_decimal(kind):
        return pa.decimal128(kind.precision, kind.scale) if _is_plain_decimal(kind) else None
    if kinds.is_struct(kind):
        fields = [(kind.field(at), _nearest(kind.field(at).type)) for at in range(kind.num_fields)]
        known = [field.with_type(inner) for field, inner in fields if inner is not None]
        return pa.struct(known) if len(known) == kind.num_fields > 0 else None
    if kinds.is_map(kind):
        key, item = _nearest(kind.key_type), _nearest(kind.item_type)
        return pa.map_(key, kind.item_field.with_type(item)) if key is not None and item is not None else None
    if is_list(kind):
        inner = _nearest(kind.value_type)
        return pa.list_(kind.value_field.with_type(inner)) if inner is not None else None
    return kind if any(test(kind) for test in HELD) else None


def _is_plain_decimal(kind: pa.DataType) -> bool:
    return bool(kind.precision <= LARGEST_PRECISION and 0 <= kind.scale <= kind.precision)


def _stored(column: pa.ChunkedArray, field: pa.Field, table: str) -> pa.ChunkedArray:
    if column.type == field.type:
        return column
    try:
        return column.cast(field.type)
    except pa.ArrowInvalid:
        if kinds.is_timestamp(field.type):
            why = "a table keeps microseconds, and some values have nanoseconds below; round them"
        else:
            why = f"some values do not fit {type_name(field.type)}; give them as decimal or string"
        raise unstorable(field.with_type(column.type), table, why) from None
