"""What users hand over becomes Arrow, and fits the table or is refused by column."""

from __future__ import annotations

import datetime
import math
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from headwater.errors import HeadwaterError
from headwater.lake.data import conform, schema_from, to_arrow

SCHEMA = schema_from({"k": "bigint NOT NULL", "price": "decimal(12,2)", "name": "string"})
GOOD = {"k": [1, 2], "price": [Decimal("1.50"), None], "name": ["a", None]}


@pytest.mark.parametrize(
    "data",
    [
        pa.table(GOOD),
        pa.table(GOOD).to_batches()[0],
        pa.RecordBatchReader.from_batches(pa.table(GOOD).schema, pa.table(GOOD).to_batches()),
        pd.DataFrame(GOOD),
        pl.DataFrame(GOOD),
        pl.LazyFrame(GOOD),
        pa.table(GOOD).to_pylist(),
        tuple(pa.table(GOOD).to_pylist()),
        pa.table(GOOD).select(["name", "price", "k"]),
    ],
    ids=lambda data: type(data).__name__,
)
def test_every_kind_of_data(data: object) -> None:
    table = conform(to_arrow(data, SCHEMA), SCHEMA, "t")
    assert table.schema == SCHEMA
    assert table.to_pylist() == pa.table(GOOD).to_pylist()


@pytest.mark.parametrize("data", [7, "text", {"a": 1}, [1, 2], None, object()])
def test_other_kinds_are_refused(data: object) -> None:
    with pytest.raises(HeadwaterError) as error:
        to_arrow(data)
    assert error.value.key == "data.unknown_kind"


def test_no_rows() -> None:
    assert conform(to_arrow([], SCHEMA), SCHEMA, "t").num_rows == 0
    assert conform(to_arrow(pa.table(GOOD).slice(0, 0), SCHEMA), SCHEMA, "t").num_rows == 0


@pytest.mark.parametrize(
    "change, key, column",
    [
        ({"price": ...}, "data.missing_column", "price"),
        ({"nmae": ["a", "b"]}, "data.extra_column", "nmae"),
        ({"k": ["1", "2"]}, "data.wrong_type", "k"),
        ({"k": [1.5, 2.0]}, "data.wrong_type", "k"),
        ({"k": [True, False]}, "data.wrong_type", "k"),
        ({"k": [1, None]}, "data.null", "k"),
        ({"price": [1.5, 2.5]}, "data.wrong_type", "price"),
        ({"price": [Decimal("1.505"), None]}, "data.wrong_type", "price"),
        ({"price": [10**11, 1]}, "data.wrong_type", "price"),
        ({"name": [1, 2]}, "data.wrong_type", "name"),
        ({"name": [b"a", b"b"]}, "data.wrong_type", "name"),
    ],
)
def test_what_does_not_fit_is_named(change: dict, key: str, column: str) -> None:
    content = {name: values for name, values in {**GOOD, **change}.items() if values is not ...}
    for data in (pa.table(content), pa.table(content).to_pylist()):
        with pytest.raises(HeadwaterError) as error:
            conform(to_arrow(data, SCHEMA), SCHEMA, "t")
        assert (error.value.key, error.value.params["column"]) == (key, column)


def test_a_column_given_twice() -> None:
    data = pa.Table.from_arrays([pa.array([1]), pa.array([1])], names=["k", "k"])
    with pytest.raises(HeadwaterError) as error:
        conform(data, pa.schema([("k", pa.int64())]), "t")
    assert error.value.key == "data.extra_column"


UTC = pa.timestamp("us", "UTC")
MOMENT = datetime.datetime(2024, 1, 1, 12)


@pytest.mark.parametrize(
    "given, wanted, values",
    [
        (pa.int32(), pa.int64(), [1]),
        (pa.int64(), pa.int32(), [2**31 - 1]),
        (pa.uint8(), pa.int16(), [255]),
        (pa.int64(), pa.float64(), [2**53]),
        (pa.int64(), pa.decimal128(12, 2), [10**10 - 1]),
        (pa.decimal128(5, 1), pa.decimal128(12, 2), [Decimal("1.5")]),
        (pa.float64(), pa.int64(), [3.0]),
        (pa.float32(), pa.float64(), [0.1]),
        (pa.float64(), pa.float32(), [0.5, math.nan, math.inf]),
        (pa.null(), pa.string(), [None]),
        (pa.null(), pa.list_(pa.int64()), [None]),
        (pa.string_view(), pa.string(), ["a"]),
        (pa.large_string(), pa.string(), ["a"]),
        (pa.binary(2), pa.binary(), [b"ab"]),
        (pa.timestamp("ms"), UTC, [MOMENT]),
        (pa.timestamp("ns", "Europe/Berlin"), UTC, [MOMENT]),
        (pa.timestamp("s"), pa.timestamp("us"), [MOMENT]),
        (pa.date64(), pa.date32(), [datetime.date(2024, 1, 1)]),
        (pa.large_list(pa.int32()), pa.list_(pa.int64()), [[1, None]]),
        (pa.struct([("a", pa.int32())]), pa.struct([("a", pa.int64())]), [{"a": 1}]),
    ],
)
def test_casts_that_lose_nothing(given: pa.DataType, wanted: pa.DataType, values: list) -> None:
    column = pa.array(values, given)
    result = conform(to_arrow(pa.table({"v": column})), pa.schema([("v", wanted)]), "t").column("v")
    assert result.type == wanted
    back = result.to_pylist() if pa.types.is_null(given) else result.cast(given).to_pylist()
    assert repr(back) == repr(column.to_pylist())


@pytest.mark.parametrize(
    "given, wanted, values",
    [
        (pa.int64(), pa.int32(), [2**31]),
        (pa.int64(), pa.float64(), [2**53 + 1]),
        (pa.int64(), pa.float32(), [2**24 + 1]),
        (pa.float64(), pa.float32(), [0.1]),
        (pa.float64(), pa.int64(), [1e300]),
        (pa.float64(), pa.int64(), [math.inf]),
        (pa.float64(), pa.decimal128(10, 2), [1.5]),
        (pa.decimal128(12, 3), pa.decimal128(12, 2), [Decimal("1.001")]),
        (pa.decimal128(12, 2), pa.float64(), [Decimal("1.5")]),
        (pa.timestamp("ns"), pa.timestamp("us"), [1]),
        (pa.timestamp("us", "UTC"), pa.timestamp("us"), [1]),
        (pa.date32(), pa.timestamp("us"), [1]),
        (pa.timestamp("us"), pa.date32(), [1]),
        (pa.string(), pa.date32(), ["2024-01-01"]),
        (pa.int64(), pa.string(), [1]),
        (pa.int64(), pa.bool_(), [1]),
        (pa.struct([("b", pa.int64())]), pa.struct([("a", pa.int64())]), [{"b": 1}]),
        (pa.list_(pa.string()), pa.list_(pa.int64()), [["1"]]),
    ],
)
def test_casts_that_would_lose_something(given: pa.DataType, wanted: pa.DataType, values: list) -> None:
    with pytest.raises(HeadwaterError) as error:
        conform(to_arrow(pa.table({"v": pa.array(values, given)})), pa.schema([("v", wanted)]), "t")
    assert error.value.key == "data.wrong_type"


def test_pandas_columns_with_missing_values() -> None:
    frame = pd.DataFrame(
        {"i": [1, None], "f": [1.5, np.nan], "s": ["a", None], "t": pd.to_datetime(["2024-01-01", None])}
    )
    schema = schema_from({"i": "int", "f": "double", "s": "string", "t": "timestamp"})
    table = conform(to_arrow(frame, schema), schema, "t")
    assert [column.null_count for column in table.columns] == [1, 1, 1, 1]


def test_python_values_are_guided_by_the_table() -> None:
    schema = schema_from({"f": "float", "m": "map<string,int>", "s": "struct<a:int>", "d": "date"})
    rows = [{"f": 0.1, "m": {"x": 1}, "s": {"a": 1}, "d": datetime.date(2024, 1, 1)}, {"f": None}]
    table = conform(to_arrow(rows, schema), schema, "t")
    assert table.schema == schema
    assert table.column("m").to_pylist() == [[("x", 1)], None]


def test_mixed_python_values_are_refused() -> None:
    with pytest.raises(HeadwaterError) as error:
        to_arrow([{"a": 1}, {"a": "x"}])
    assert error.value.key == "data.wrong_type"


@pytest.mark.parametrize(
    "text, kind",
    [
        ("double", pa.float64()),
        ("TIMESTAMP", UTC),
        ("timestamp_ntz", pa.timestamp("us")),
        ("decimal(12,2)", pa.decimal128(12, 2)),
        ("DECIMAL( 38 , 10 )", pa.decimal128(38, 10)),
        ("decimal", pa.decimal128(10, 0)),
        ("decimal(5)", pa.decimal128(5, 0)),
        ("varchar(20)", pa.string()),
        ("array<int>", pa.list_(pa.field("element", pa.int32()))),
        ("map<string, array<double>>", pa.map_(pa.string(), pa.list_(pa.field("element", pa.float64())))),
        (
            "struct<a: int, `odd name`: decimal(3,1), c bigint>",
            pa.struct([("a", pa.int32()), ("odd name", pa.decimal128(3, 1)), ("c", pa.int64())]),
        ),
    ],
)
def test_type_names(text: str, kind: pa.DataType) -> None:
    assert schema_from({"c": text}) == pa.schema([("c", kind)])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nope",
        "array<int",
        "decimal(40,2)",
        "decimal(2,3)",
        "struct<a>",
        "int int",
        "map<int>",
        "int;",
        "interval",
        "int NOT",
    ],
)
def test_bad_type_names(text: str) -> None:
    with pytest.raises(HeadwaterError) as error:
        schema_from({"c": text})
    assert error.value.key == "sql.ddl"


def test_a_schema_is_made_plain() -> None:
    assert schema_from(pa.schema([("a", pa.large_string())], metadata={"x": "y"})) == pa.schema([("a", pa.string())])
