"""What users hand over, as Arrow; and whether it fits a table.

Idea: every kind of data becomes an Arrow table of plain types first, then one check compares it with the table's
schema.
Invariant: rows are accepted as they are or refused with a named column; nothing is dropped, filled in or rounded.
Limits: a Spark frame is the caller's business (it needs Spark). A naive timestamp given for a TIMESTAMP column is
UTC.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.types as kinds

from headwater.errors import HeadwaterError
from headwater.lake.arrow_types import plain_schema, plain_table
from headwater.lake.casting import cast_without_loss, may_become, nan_as_null
from headwater.lake.spark_types import read_field, type_name
from headwater.lake.storable import refuse_names, unstorable


def to_arrow(data: Any, schema: pa.Schema | None = None, table_name: str = "data") -> pa.Table:
    """An Arrow table of plain types; `schema` only guides what untyped Python values mean."""
    module = type(data).__module__.partition(".")[0]
    match data:
        case pa.Table():
            table = data
        case pa.RecordBatch():
            table = pa.Table.from_batches([data])
        case pa.RecordBatchReader():
            table = data.read_all()
        case list() | tuple() if all(isinstance(row, Mapping) for row in data):
            table = _from_rows(data, schema, table_name)
        case _ if module == "pandas" and hasattr(data, "columns"):
            table = _from_pandas(data, table_name)
        case _ if module == "polars" and hasattr(data, "collect"):
            table = data.collect().to_arrow() if not hasattr(data, "to_arrow") else data.to_arrow()
        case _ if module == "polars" and hasattr(data, "to_arrow"):
            table = data.to_arrow()
        case _ if hasattr(data, "__arrow_c_stream__"):
            table = pa.table(data)
        case _:
            raise HeadwaterError("data.unknown_kind", kind=f"{type(data).__module__}.{type(data).__qualname__}")
    for field in table.schema:
        if isinstance(field.type, pa.BaseExtensionType):
            raise unstorable(field, table_name, "a table holds no such values; convert them, as to text")
    return plain_table(table.replace_schema_metadata(None))


def _from_pandas(frame: Any, table_name: str) -> pa.Table:
    names = [str(name) for name in frame.columns]
    if len(set(names)) < len(names):
        refuse_names(names, table_name)
    columns = [_from_column(frame.iloc[:, at], name, table_name) for at, name in enumerate(names)]
    return pa.Table.from_arrays(columns, names=names)


def _from_column(values: Any, name: str, table_name: str) -> pa.Array | pa.ChunkedArray:
    try:
        return pa.array(values, from_pandas=True)
    except (pa.ArrowException, OverflowError, TypeError, ValueError) as error:
        raise _mixed(name, table_name, "one type", error) from error


def _mixed(name: str, table_name: str, expected: Any, error: Exception) -> HeadwaterError:
    actual = f"mixed or unknown values ({str(error).splitlines()[0].rstrip('.')})"
    return HeadwaterError("data.wrong_type", column=name, table=table_name, expected=expected, actual=actual)


def _from_rows(rows: Sequence[Mapping[str, Any]], schema: pa.Schema | None, table_name: str) -> pa.Table:
    """A key that is absent from some rows is NULL there; one that is absent from all is a missing column."""
    names = list(dict.fromkeys(str(name) for row in rows for name in row))
    if not rows and schema is not None:
        return schema.empty_table()
    columns = [_from_values([row.get(name) for row in rows], name, schema, table_name) for name in names]
    return pa.Table.from_arrays(columns, names=names)


def _from_values(values: list[Any], name: str, schema: pa.Schema | None, table_name: str) -> pa.Array:
    wanted = schema.field(name).type if schema is not None and name in schema.names else None
    try:
        inferred = pa.array(values)
    except (pa.ArrowException, OverflowError) as error:
        if wanted is None or not kinds.is_nested(wanted):
            raise _mixed(name, table_name, type_name(wanted) if wanted is not None else "one type", error) from error
        return _guided(values, wanted, None, name, table_name, error)
    # Python has one width of float, and dicts for maps and structs alike: only the table knows what is meant.
    if wanted is not None and (kinds.is_float32(wanted) or kinds.is_map(wanted) or kinds.is_struct(wanted)):
        return _guided(values, wanted, inferred, name, table_name)
    return inferred


def _guided(
    values: list[Any], wanted: pa.DataType, inferred: Any, name: str, table_name: str, why: Exception | None = None
) -> pa.Array:
    try:
        return pa.array(values, wanted)
    except (pa.ArrowException, OverflowError) as error:
        if inferred is None:
            raise _mixed(name, table_name, type_name(wanted), why or error) from error
        return inferred


def conform(data: pa.Table, schema: pa.Schema, table_name: str) -> pa.Table:
    """The data in the table's column order and types; raises for whatever does not fit."""
    expected = ", ".join(schema.names)
    for column in schema.names:
        if column not in data.schema.names:
            raise HeadwaterError("data.missing_column", column=column, table=table_name, expected=expected)
    for at, column in enumerate(data.schema.names):
        if column not in schema.names or data.schema.names.index(column) != at:
            raise HeadwaterError("data.extra_column", column=column, table=table_name, expected=expected)
    columns = [_conform_column(data.column(field.name), field, table_name) for field in schema]
    return pa.Table.from_arrays(columns, schema=schema)


def _conform_column(column: pa.ChunkedArray, field: pa.Field, table_name: str) -> pa.ChunkedArray:
    given = column.type
    try:
        if kinds.is_integer(field.type):
            column = nan_as_null(column)
        column = cast_without_loss(column, field.type)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        actual = type_name(given) + (" with values that do not fit" if may_become(given, field.type) else "")
        raise HeadwaterError(
            "data.wrong_type", column=field.name, table=table_name, expected=type_name(field.type), actual=actual
        ) from error
    if not field.nullable and column.null_count:
        raise HeadwaterError("data.null", column=field.name, table=table_name, count=column.null_count)
    return column


def schema_from(spec: pa.Schema | Mapping[str, str]) -> pa.Schema:
    """A schema from Spark SQL type names, `{"d": "decimal(12,2) NOT NULL"}`, or from an Arrow schema."""
    if isinstance(spec, pa.Schema):
        return plain_schema(spec)
    return plain_schema(pa.schema([_field(name, text) for name, text in spec.items()]))


def _field(name: str, text: str | pa.DataType) -> pa.Field:
    if isinstance(text, pa.DataType):
        return pa.field(name, text)
    try:
        return read_field(name, text)
    except ValueError as error:
        raise HeadwaterError("sql.ddl", why=f"column {name!r}: {error}") from error


def is_spark_frame(data: object) -> bool:
    """Whether data is a Spark DataFrame, told without importing Spark."""
    return _is_of_spark(data) and hasattr(data, "select")


def is_spark_session(given: object) -> bool:
    """Whether something is a Spark session, told likewise."""
    return _is_of_spark(given) and hasattr(given, "newSession")


def _is_of_spark(given: object) -> bool:
    return any(kind.__module__.startswith("pyspark.sql") for kind in type(given).__mro__)
