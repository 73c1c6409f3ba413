"""Spark's type names and Arrow's types, both ways, without Spark."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.types as kinds

from headwater.algebra.nodes import Column, Schema
from headwater.lake.spark_types import NAMES, TypeReader

_SIMPLE = {kind: name for name, kind in reversed(NAMES.items())} | {
    pa.bool_(): "boolean",
    pa.int8(): "tinyint",
    pa.int16(): "smallint",
    pa.int32(): "int",
    pa.int64(): "bigint",
    pa.float32(): "float",
    pa.timestamp("us", "UTC"): "timestamp",
    pa.timestamp("us"): "timestamp_ntz",
    pa.null(): "void",
}


def spark_type(kind: pa.DataType) -> str:
    """The name that Spark's `simpleString` gives a type."""
    if kind in _SIMPLE:
        return _SIMPLE[kind]
    if kinds.is_decimal(kind):
        return f"decimal({kind.precision},{kind.scale})"
    if kinds.is_map(kind):
        return f"map<{spark_type(kind.key_type)},{spark_type(kind.item_type)}>"
    if kinds.is_struct(kind):
        fields = (kind.field(i) for i in range(kind.num_fields))
        return f"struct<{','.join(f'{field.name}:{spark_type(field.type)}' for field in fields)}>"
    if kinds.is_list(kind):
        return f"array<{spark_type(kind.value_type)}>"
    if kinds.is_timestamp(kind):
        return "timestamp" if kind.tz else "timestamp_ntz"
    raise ValueError(f"no Spark type for {kind}")


def plan_schema(schema: pa.Schema) -> Schema:
    return tuple(Column(field.name, spark_type(field.type)) for field in schema)


def arrow_type(name: str) -> pa.DataType:
    return pa.null() if name == "void" else TypeReader(name).read_all()


def arrow_schema(schema: Schema) -> pa.Schema:
    return pa.schema([pa.field(item.name, arrow_type(item.type)) for item in schema])
