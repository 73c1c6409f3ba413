"""Spark's type names and Arrow's types, both ways, without Spark."""

from __future__ import annotations

import pyarrow as pa

from headwater.algebra.nodes import Column, Schema
from headwater.lake.spark_types import TypeReader, spark_type


def plan_schema(schema: pa.Schema) -> Schema:
    return tuple(Column(field.name, spark_type(field.type)) for field in schema)


def arrow_type(name: str) -> pa.DataType:
    return pa.null() if name == "void" else TypeReader(name).read_all()


def arrow_schema(schema: Schema) -> pa.Schema:
    return pa.schema([pa.field(item.name, arrow_type(item.type)) for item in schema])
