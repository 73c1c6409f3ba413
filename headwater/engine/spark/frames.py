"""Delta snapshots, changes and Arrow rows as DataFrames, and DataFrames as Parquet files of a Delta folder.

Idea: Spark reads a snapshot from its file list and writes Parquet into the table's folder; the driver commits.
Invariant: a DataFrame is built anew for each version; none is executed again after its files changed.
"""

from __future__ import annotations

import tempfile
import uuid
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import pyarrow as pa
from pyspark.sql import Column, DataFrame, DataFrameReader, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import ArrayType, DataType, DecimalType, FractionalType, MapType, StructField, StructType

from headwater.algebra.nodes import Column as PlanColumn
from headwater.algebra.nodes import Schema
from headwater.engine.lanes import Readable
from headwater.engine.types import arrow_schema, plan_schema
from headwater.errors import HeadwaterError
from headwater.lake import storage
from headwater.lake.arrow_types import has_fractions, plain_table
from headwater.lake.changes import CHANGE_TYPE, WEIGHT, Change
from headwater.lake.delta_table import DeltaFolder, NewFile

ROWS_PER_PARTITION = 20_000  # of rows handed over by the driver: fewer are not worth a second task
ROW_GROUP_BYTES = 8 * 1024 * 1024  # a scan is cut at row groups: small ones keep all cores busy


@lru_cache(maxsize=1024)
def struct(schema: Schema) -> StructType:
    """Spark's schema for ours."""
    quoted = (f"`{item.name.replace('`', '``')}` {item.type}" for item in schema)
    made = StructType.fromDDL(", ".join(quoted)) if schema else StructType([])
    assert isinstance(made, StructType)
    return made


def schema_of(frame: DataFrame) -> Schema:
    return tuple(PlanColumn(field.name, field.dataType.simpleString()) for field in frame.schema.fields)


def snapshot(session: SparkSession, folder: Readable, version: int, schema: pa.Schema | None = None) -> DataFrame:
    """The rows of a folder at a version."""
    columns = struct(plan_schema(schema or folder.schema))
    files = [folder.absolute(file) for file in folder.files(version)]
    if not files:
        return session.createDataFrame([], columns)
    reader = _unfiltered(session.read) if may_hide_rows(folder, version) else session.read
    reader = reader.schema(columns)
    return (reader.option("basePath", folder.path) if folder.partition_by else reader).parquet(*files)


def may_hide_rows(folder: Readable, version: int) -> bool:
    """Whether Spark could skip rows that pass a filter: fractions in files of other writers (see `parquet_files`)."""
    return has_fractions(folder.schema) and not all(file.exact for file in folder.files(version))


def _unfiltered(reader: DataFrameReader) -> DataFrameReader:
    for by in ("stats", "dictionary", "columnindex", "bloom"):
        reader = reader.option(f"parquet.filter.{by}.enabled", "false")
    return reader


def written_rows(session: SparkSession, folder: DeltaFolder, files: Sequence[NewFile]) -> DataFrame:
    """The rows of files that no commit names yet."""
    reader = session.read.schema(struct(plan_schema(folder.schema))).option("basePath", folder.path)
    return reader.parquet(*[folder.absolute(file) for file in files])


def as_defined(frame: DataFrame, schema: Schema) -> DataFrame:
    """The columns that a definition knows of, as far as they are still there: later ones do not widen a star."""
    there = {name.lower() for name in frame.columns}
    known = [f"`{item.name.replace('`', '``')}`" for item in schema if item.name.lower() in there]
    return frame if len(known) == len(frame.columns) else frame.select(*known)


def local_rows(session: SparkSession, rows: pa.Table) -> DataFrame:
    """Rows of the driver as a DataFrame."""
    schema = plan_schema(rows.schema)
    if rows.num_rows == 0:
        return session.createDataFrame([], struct(schema))
    if _is_flat(rows.schema) and not session.sparkContext._encryption_enabled:
        return _handed_over(session, rows, schema)
    return session.createDataFrame(rows)


def _is_flat(schema: pa.Schema) -> bool:
    return len(schema) > 0 and not any(pa.types.is_nested(kind) or pa.types.is_null(kind) for kind in schema.types)


def _handed_over(session: SparkSession, rows: pa.Table, schema: Schema) -> DataFrame:
    """`createDataFrame(rows)` without its checks, which cost a dozen round trips: our types are Spark's already.

    One batch becomes one partition; Spark's own batches of 10,000 rows would make a task of each.
    """
    cores = session.sparkContext.defaultParallelism
    batch = max(ROWS_PER_PARTITION, -(-rows.num_rows // cores))
    jvm: Any = session._jvm
    functions = jvm.PythonSQLUtils
    with tempfile.NamedTemporaryFile(prefix="headwater-", suffix=".arrow") as file:
        with pa.ipc.new_stream(file, rows.schema) as writer:
            writer.write_table(rows.combine_chunks(), max_chunksize=batch)
        file.flush()
        batches = functions.readArrowStreamFromFile(file.name)
    return DataFrame(functions.toDataFrame(batches, _struct_json(schema), session._jsparkSession), session)


@lru_cache(maxsize=1024)
def _struct_json(schema: Schema) -> str:
    return struct(schema).json()


def change_rows(session: SparkSession, change: Change, columns: Sequence[str]) -> DataFrame:
    """A change too large for the driver, as a signed DataFrame; equal rows may still cancel."""
    parts = [_piece(session, change, piece, columns) for piece in change.pieces]
    signed = parts[0]
    for part in parts[1:]:
        signed = signed.unionByName(part)
    return signed


def _piece(session: SparkSession, change: Change, piece: Any, columns: Sequence[str]) -> DataFrame:
    schema = [item for item in plan_schema(change.schema) if item.name not in piece.partition]
    if piece.kind == "cdc":
        schema += plan_schema(pa.schema([(CHANGE_TYPE, pa.string())]))
    frame = _unfiltered(session.read).schema(struct(tuple(schema))).parquet(piece.path)
    for item in plan_schema(change.schema):
        if item.name in piece.partition:
            frame = frame.withColumn(item.name, F.lit(piece.partition[item.name]).cast(item.type))
    return frame.select(*[F.col(f"`{name}`") for name in columns], _weight(piece).alias(WEIGHT))


def _weight(piece: Any) -> Column:
    if piece.kind == "data":
        return F.lit(piece.sign).cast("bigint")
    gained = F.col(CHANGE_TYPE).isin("insert", "update_postimage")
    return F.when(gained, F.lit(1)).otherwise(F.lit(-1)).cast("bigint")


def collect(frame: DataFrame, schema: Schema) -> pa.Table:
    """All rows of a small result on the driver, in plain Arrow types."""
    return plain_table(frame.toArrow()).cast(arrow_schema(schema))


def write_files(frame: DataFrame, folder: DeltaFolder, sort: Sequence[str] = ()) -> list[NewFile]:
    """Write a DataFrame as Parquet files into a Delta folder, not yet committed."""
    staging = f"_staging-{uuid.uuid4().hex}"
    ordered = frame.sortWithinPartitions(*[F.col(f"`{name}`") for name in sort]) if sort else frame
    writer = ordered.write.option("parquet.block.size", ROW_GROUP_BYTES)
    for name in _fractions(frame.schema):
        writer = writer.option(f"parquet.enable.dictionary#{name}", "false")  # it would tell -0.0 from 0.0
    if folder.partition_by:
        writer = writer.partitionBy(*folder.partition_by)
    try:
        writer.parquet(f"{folder.path}/{staging}")
    except BaseException:
        storage.remove_folder(f"{folder.path}/{staging}")
        raise
    return folder.adopt(staging)


def _fractions(schema: StructType, prefix: str = "") -> Iterator[str]:
    """The paths of columns of fractions, outside of arrays and maps."""
    for field in schema.fields:
        if isinstance(field.dataType, StructType):
            yield from _fractions(field.dataType, f"{prefix}{field.name}.")
        elif isinstance(field.dataType, FractionalType) and not isinstance(field.dataType, DecimalType):
            yield prefix + field.name


def bag_difference(expected: DataFrame, actual: DataFrame, copies: str) -> DataFrame:
    """The rows of which one side has more copies than the other: positive `copies` where `expected` does.

    Maps are compared as their entries in the order of their keys.
    """
    names = [f"`{name}`" for name in expected.columns]
    left = comparable(expected).select(*names, F.lit(1).cast("bigint").alias(copies))
    right = comparable(actual).select(*names, F.lit(-1).cast("bigint").alias(copies))
    total = left.unionAll(right).groupBy(*names).agg(F.sum(copies).alias(copies))
    return total.where(F.col(copies) != 0)


def comparable(frame: DataFrame) -> DataFrame:
    """The same rows with what Spark can group by in the place of maps.

    It does group by a map, and reads uninitialised memory where one holds a NULL.
    """
    fields = frame.schema.fields
    if not any(_holds_map(field.dataType) for field in fields):
        return frame
    names = [f"`{field.name.replace('`', '``')}`" for field in fields]
    return frame.select(
        *[
            without_maps(F.col(name), field.dataType).alias(field.name)
            for name, field in zip(names, fields, strict=True)
        ]
    )


def _holds_map(kind: DataType) -> bool:
    if isinstance(kind, StructType):
        return any(_holds_map(field.dataType) for field in kind.fields)
    return isinstance(kind, MapType) or (isinstance(kind, ArrayType) and _holds_map(kind.elementType))


def without_maps(value: Column, kind: DataType) -> Column:
    """A value with each map as the array of its entries, sorted: equal exactly where the maps are."""
    if not _holds_map(kind):
        return value
    if isinstance(kind, MapType):
        entries = F.map_entries(value)
        entry = StructType([StructField("key", kind.keyType), StructField("value", kind.valueType)])
        return F.array_sort(F.transform(entries, lambda each: without_maps(each, entry)))
    if isinstance(kind, ArrayType):
        return F.transform(value, lambda each: without_maps(each, kind.elementType))
    assert isinstance(kind, StructType)
    parts = [without_maps(value.getField(field.name), field.dataType).alias(field.name) for field in kind.fields]
    return F.when(value.isNotNull(), F.struct(*parts))


def conform(frame: DataFrame, schema: pa.Schema, table: str) -> DataFrame:
    """The DataFrame with the table's columns, in its order; a column of another type is refused, not cast."""
    given = {item.name: item.type for item in schema_of(frame)}
    wanted = {item.name: item.type for item in plan_schema(schema)}
    listed = ", ".join(wanted)
    for name in wanted:
        if name not in given:
            raise HeadwaterError("data.missing_column", column=name, table=table, expected=listed)
    for name, kind in given.items():
        if name not in wanted:
            raise HeadwaterError("data.extra_column", column=name, table=table, expected=listed)
        if kind != wanted[name]:
            raise HeadwaterError("data.wrong_type", column=name, table=table, expected=wanted[name], actual=kind)
    return frame.select(*[F.col(f"`{name}`") for name in wanted])
