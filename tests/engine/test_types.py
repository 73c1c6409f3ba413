"""Spark's type names and Arrow's types, both ways."""

from __future__ import annotations

import pyarrow as pa
import pytest

from headwater.algebra.nodes import Column
from headwater.engine.types import arrow_schema, arrow_type, plan_schema, spark_type

TYPES = {
    "boolean": pa.bool_(),
    "tinyint": pa.int8(),
    "smallint": pa.int16(),
    "int": pa.int32(),
    "bigint": pa.int64(),
    "float": pa.float32(),
    "double": pa.float64(),
    "string": pa.string(),
    "binary": pa.binary(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us", "UTC"),
    "timestamp_ntz": pa.timestamp("us"),
    "decimal(12,2)": pa.decimal128(12, 2),
    "decimal(38,0)": pa.decimal128(38, 0),
    "array<int>": pa.list_(pa.int32()),
    "array<array<string>>": pa.list_(pa.list_(pa.string())),
    "struct<a:int,b:string>": pa.struct([("a", pa.int32()), ("b", pa.string())]),
    "struct<a:struct<b:decimal(6,2)>,c:array<date>>": pa.struct(
        [("a", pa.struct([("b", pa.decimal128(6, 2))])), ("c", pa.list_(pa.date32()))]
    ),
    "map<string,double>": pa.map_(pa.string(), pa.float64()),
    "void": pa.null(),
}


@pytest.mark.parametrize(("name", "kind"), TYPES.items(), ids=TYPES.keys())
def test_both_ways(name, kind):
    assert spark_type(kind) == name
    assert arrow_type(name) == kind


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (pa.timestamp("ns", "UTC"), "timestamp"),
        (pa.timestamp("ms"), "timestamp_ntz"),
        (pa.timestamp("us", "Europe/Berlin"), "timestamp"),
    ],
)
def test_other_units_of_time(kind, name):
    assert spark_type(kind) == name


@pytest.mark.parametrize("kind", [pa.uint64(), pa.duration("us"), pa.time64("us")])
def test_what_spark_lacks(kind):
    with pytest.raises(ValueError, match="no Spark type"):
        spark_type(kind)


def test_schemas():
    columns = tuple(Column(f"c{i}", name) for i, name in enumerate(TYPES))
    assert plan_schema(arrow_schema(columns)) == columns
