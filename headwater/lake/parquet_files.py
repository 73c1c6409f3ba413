"""One Parquet file at a time: read it under a table's schema, write rows into a new one.

Idea: a file may be older than the table's schema (a column added since reads as NULL), may spell types differently
(Spark's INT96 timestamps, large strings), and never holds the partition columns; reading settles all three.
Invariant: what `read_file` returns has exactly the schema that was asked for, in that order.
Complexity: the columns asked for, once.

Other readers skip what statistics and dictionaries rule out, and two values of a fraction defeat them: a minimum and
maximum leave NaN out, which is greater than any number, and a dictionary with -0.0 does not hold the 0.0 that equals
it. So a column with NaN gets no statistics here and one with -0.0 no dictionary. A file whose name ends with
EXACT_SUFFIX is written so; any other may be wrong to filter by its fractions.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pyarrow.types as kinds

from headwater.lake import partitions, storage
from headwater.lake.arrow_types import is_list, plain_table
from headwater.lake.data_files import EXACT_SUFFIX, NewFile
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


def nulls(path: str, column: str, file: NewFile) -> int:
    """How often a top-level column of a written file is NULL: from its footer, else from its rows."""
    if column in file.partition:
        return file.rows if file.partition[column] is None else 0
    with pq.ParquetFile(path) as source:
        footer = source.metadata
        at = [at for at in range(footer.num_columns) if footer.schema.column(at).path == column]
        found = [footer.row_group(group).column(at[0]).statistics for group in range(footer.num_row_groups) if at]
        if at and all(each is not None and each.has_null_count for each in found):
            return int(sum(each.null_count for each in found))
        return int(source.read(columns=[column]).column(column).null_count)


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
    path = os.path.join(folder, partitions.folder(partition), f"part-{uuid.uuid4()}{EXACT_SUFFIX}")
    target = os.path.join(root, path)
    storage.make_folder(os.path.dirname(target))
    footers: list[pq.FileMetaData] = []
    leaves = dict(_leaves(rows.schema))
    nan = {name for name, read in leaves.items() if read is not None and _has_nan(read(rows))}
    zero = {name for name, read in leaves.items() if read is not None and _has_negative_zero(read(rows))}
    pq.write_table(
        rows,
        target,
        row_group_size=ROW_GROUP_ROWS,
        write_statistics=[name for name in leaves if name not in nan] if nan else True,
        use_dictionary=[name for name in leaves if name not in zero] if zero else True,
        metadata_collector=footers,
    )
    return NewFile(
        path,
        storage.size(target),
        rows.num_rows,
        dict(partition),
        footer_stats(footers[0]),
        storage.modified_ms(target),
    )


Reader = Callable[[pa.Table], pa.ChunkedArray]


def _leaves(schema: pa.Schema) -> Iterator[tuple[str, Reader | None]]:
    """The columns of a file by their paths; those of floats, outside of lists and maps, with a way to read them."""

    def below(path: str, kind: pa.DataType, read: Reader | None) -> Iterator[tuple[str, Reader | None]]:
        if kinds.is_struct(kind):
            for at in range(kind.num_fields):
                inner = partial(_field_of, read, at) if read is not None else None
                yield from below(f"{path}.{kind.field(at).name}", kind.field(at).type, inner)
        elif kinds.is_map(kind):
            yield from below(f"{path}.key_value.key", kind.key_type, None)
            yield from below(f"{path}.key_value.value", kind.item_type, None)
        elif is_list(kind):
            yield from below(f"{path}.list.element", kind.value_type, None)
        else:
            yield path, read if kinds.is_floating(kind) else None

    for at, field in enumerate(schema):
        yield from below(field.name, field.type, partial(_column_at, at))


def _column_at(at: int, rows: pa.Table) -> pa.ChunkedArray:
    return rows.column(at)


def _field_of(read: Reader, at: int, rows: pa.Table) -> pa.ChunkedArray:
    return pc.struct_field(read(rows), [at])


def _has_nan(column: pa.ChunkedArray) -> bool:
    return bool(pc.any(pc.is_nan(column)).as_py())


def _has_negative_zero(column: pa.ChunkedArray) -> bool:
    zeros = column.filter(pc.fill_null(pc.equal(column, 0.0), False))
    return bool(len(zeros)) and bool(np.signbit(zeros.to_numpy()).any())


def adopt_files(root: str, staging: str) -> list[NewFile]:
    """Move what Spark wrote below `root/staging` into place, and describe it; empty files are dropped.

    A crash half-way leaves files that no commit names; they are harmless and vacuum removes them.
    """
    source = os.path.join(root, staging)
    found = [state.path for state in storage.walk(source) if state.path.endswith(".parquet")]
    adopted = [file for path in found if (file := _adopt(root, source, path)) is not None]
    storage.remove_folder(source)
    return adopted


def _adopt(root: str, source: str, found: str) -> NewFile | None:
    footer = pq.read_metadata(os.path.join(source, found))
    if footer.num_rows == 0:
        return None
    path = found.removesuffix(".parquet").removesuffix(".snappy") + EXACT_SUFFIX if _is_exact(footer) else found
    target = os.path.join(root, path)
    storage.move(os.path.join(source, found), target)
    values = {name: partitions.text(value) for name, value in partitions.values_of_folder(path).items()}
    return NewFile(
        path, storage.size(target), footer.num_rows, values, footer_stats(footer), storage.modified_ms(target)
    )


def _is_exact(footer: pq.FileMetaData) -> bool:
    """Whether no fraction has a dictionary; Spark's statistics do cover NaN."""
    fractions = [
        at
        for at in range(footer.num_columns)
        if footer.schema.column(at).physical_type in ("FLOAT", "DOUBLE")
        and footer.schema.column(at).max_repetition_level == 0
    ]
    groups = [footer.row_group(at) for at in range(footer.num_row_groups)]
    return not any(group.column(at).has_dictionary_page for group in groups for at in fractions)
