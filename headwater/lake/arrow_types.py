"""Arrow types as the lake speaks them: one spelling per logical type.

Idea: engines hand over `large_string`, `string_view`, dictionaries and so on; tables compare and group alike only
when each logical type has a single physical spelling, which is chosen here.
Invariant: `plain_type(plain_type(t)) == plain_type(t)`; a plain schema carries no metadata.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pyarrow as pa
import pyarrow.types as kinds

LISTS: tuple[Callable[[pa.DataType], bool], ...] = (
    kinds.is_list,
    kinds.is_large_list,
    kinds.is_fixed_size_list,
    kinds.is_list_view,
    kinds.is_large_list_view,
)


def plain_type(kind: pa.DataType) -> pa.DataType:
    if kinds.is_large_string(kind) or kinds.is_string_view(kind):
        return pa.string()
    if kinds.is_large_binary(kind) or kinds.is_binary_view(kind) or kinds.is_fixed_size_binary(kind):
        return pa.binary()
    if kinds.is_dictionary(kind):
        return plain_type(kind.value_type)
    if kinds.is_struct(kind):
        return pa.struct([plain_field(kind.field(i)) for i in range(kind.num_fields)])
    if kinds.is_map(kind):
        return pa.map_(plain_type(kind.key_type), plain_field(kind.item_field))
    if is_list(kind):
        return pa.list_(plain_field(kind.value_field))
    return kind


def plain_field(field: pa.Field) -> pa.Field:
    return pa.field(field.name, plain_type(field.type), field.nullable)


def plain_schema(schema: pa.Schema) -> pa.Schema:
    return pa.schema([plain_field(field) for field in schema])


def plain_table(table: pa.Table) -> pa.Table:
    """The same rows in plain types; free when they are plain already."""
    wanted = plain_schema(table.schema)
    if table.schema.types == wanted.types:
        return table
    columns = [column.cast(field.type) for column, field in zip(table.columns, wanted, strict=True)]
    return pa.Table.from_arrays(columns, schema=wanted)


def has_fractions(schema: pa.Schema) -> bool:
    """Whether some column holds floats, at any depth: values among which NaN and -0.0 may be."""
    return any(_holds_fractions(field.type) for field in schema)


def _holds_fractions(kind: pa.DataType) -> bool:
    if kinds.is_struct(kind):
        return any(_holds_fractions(kind.field(i).type) for i in range(kind.num_fields))
    if kinds.is_map(kind):
        return _holds_fractions(kind.key_type) or _holds_fractions(kind.item_type)
    return _holds_fractions(kind.value_type) if is_list(kind) else kinds.is_floating(kind)


def is_list(kind: pa.DataType) -> bool:
    return any(test(kind) for test in LISTS)


def selected(schema: pa.Schema, columns: Sequence[str] | None) -> pa.Schema:
    """The fields named, in the order named; all of them for None."""
    if columns is None:
        return schema
    return pa.schema([schema.field(name) for name in columns])
