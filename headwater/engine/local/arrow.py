"""Arrow rows on their way into DuckDB and back: an instant is its reading in UTC inside, and has its zone outside."""

from __future__ import annotations

import pyarrow as pa

from headwater.algebra.nodes import Schema
from headwater.engine.types import arrow_schema

_NAIVE = pa.timestamp("us")


def to_duckdb(rows: pa.Table) -> pa.Table:
    """The rows with their instants as readings in UTC."""
    zoned = [field.name for field in rows.schema if pa.types.is_timestamp(field.type) and field.type.tz]
    for name in zoned:
        place = rows.schema.get_field_index(name)
        rows = rows.set_column(place, name, rows.column(name).cast(_NAIVE))
    return rows


def from_duckdb(rows: pa.Table, schema: Schema) -> pa.Table:
    """A result in exactly the types that Spark gave the node."""
    return rows.cast(arrow_schema(schema))
