"""One Parquet file at a time: read it under a table's schema, write rows into a new one.

Idea: a file may be older than the table's schema (a column added since reads as NULL), may spell types differently
(Spark's INT96 timestamps, large strings), and never holds the partition columns; reading settles all three.
Invariant: what `read_file` returns has exactly the schema that was asked for, in that order.
Complexity: the columns asked for, once.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Mapping, Sequence

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pyarrow.types as kinds

from headwater.lake import partitions, storage
from headwater.lake.arrow_types import plain_table
from headwater.lake.data_files import NewFile
from headwater.lake.stats import footer_stats

ROW_GROUP_ROWS = 131_072  # large enough to compress well, small enough that one task reads one group
MAX_ROWS_PER_FILE = (
    262_144  # a change that hits one row rewrites its file; 2**18 rows rewrite in about a tenth of a second
)


def read_file(path: str, schema: pa.Schema, partition: Mapping[str, str | None]) -> pa.Table:
    with pq.ParquetFile(path, coerce_int96_timestamp_unit="us") as source:
        stored = set(source.schema_arrow.names)
        wanted = [name for name in schema.names if name in stored and name not in partition]
        data = source.read(columns=wanted)
        rows = source.metadata.num_rows
    columns = [_column(data, field, partition, rows) for field in schema]
    return pa.Table.from_arrays(columns, schema=schema)


def _column(
    data: pa.Table, field: pa.Field, partition: Mapping[str, str | None], rows: int
) -> pa.Array | pa.ChunkedArray:
    if field.name in partition:
        return partitions.constant(partition[field.name], field.type, rows)
    at = data.schema.get_field_index(field.name)
    if at < 0:
        return pa.nulls(rows, field.type)
    column = data.column(at)
    return column if column.type == field.type else column.cast(field.type)


def count_rows(path: str) -> int:
    return int(pq.read_metadata(path).num_rows)


def write_files(
    root: str, data: pa.Table, partition_by: Sequence[str], max_rows: int = MAX_ROWS_PER_FILE
) -> list[NewFile]:
    """Write rows into new files below `root`; nothing refers to them until they are committed."""
    data = partitions.empty_as_null(plain_table(data), partition_by)
    return [
        write_file(root, rows.slice(start, max_rows), values)
        for values, rows in partitions.split(data, partition_by)
        for start in range(0, rows.num_rows, max_rows)
    ]


def write_file(root: str, rows: pa.Table, partition: Mapping[str, str | None], folder: str = "") -> NewFile:
    name = f"part-{uuid.uuid4()}.snappy.parquet"
    path = os.path.join(folder, partitions.folder(partition), name)
    target = os.path.join(root, path)
    storage.make_folder(os.path.dirname(target))
    footers: list[pq.FileMetaData] = []
    pq.write_table(rows, target, row_group_size=ROW_GROUP_ROWS, metadata_collector=footers)
    stats = footer_stats(footers[0], _columns_with_nan(rows))
    return NewFile(path, storage.size(target), rows.num_rows, dict(partition), stats, storage.modified_ms(target))


def _columns_with_nan(rows: pa.Table) -> set[str]:
    floats = [field.name for field in rows.schema if kinds.is_floating(field.type)]
    return {name for name in floats if pc.any(pc.is_nan(rows.column(name))).as_py()}


def adopt_files(root: str, staging: str) -> list[NewFile]:
    """Move what Spark wrote below `root/staging` into place, and describe it; empty files are dropped.

    A crash half-way leaves files that no commit names; they are harmless and vacuum removes them.
    """
    source = os.path.join(root, staging)
    found = [state.path for state in storage.walk(source) if state.path.endswith(".parquet")]
    adopted = [file for path in found if (file := _adopt(root, source, path)) is not None]
    storage.remove_folder(source)
    return adopted


def _adopt(root: str, source: str, path: str) -> NewFile | None:
    footer = pq.read_metadata(os.path.join(source, path))
    if footer.num_rows == 0:
        return None
    target = os.path.join(root, path)
    storage.move(os.path.join(source, path), target)
    values = {name: partitions.text(value) for name, value in partitions.values_of_folder(path).items()}
    return NewFile(
        path, storage.size(target), footer.num_rows, values, footer_stats(footer), storage.modified_ms(target)
    )
