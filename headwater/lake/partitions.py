"""Partition values: as text in the log, as folder names on disk, as typed columns in Arrow.

Idea: the log's text is the truth; folder names are only for engines that discover partitions themselves, so they
are escaped the way Spark escapes them (non-ASCII letters and spaces stay as they are).
Invariant: `typed(text(x)) == x`, except that the Delta protocol has no empty string in a partition column: it is
NULL.
Limits: integers, strings, booleans, dates and timestamps (delta-rs misspells negative decimals); a folder name must
fit the file system (255 bytes).
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as kinds

NULL_FOLDER = "__HIVE_DEFAULT_PARTITION__"
UNSAFE = re.compile(r"[\x00-\x1f\x7f\"#%'*/:=?\\{\[\]^]")
ESCAPED = re.compile(r"%([0-9A-Fa-f]{2})")
ZONE_SUFFIX = re.compile(r"(Z|[+-]00:?00)$")

PARTITION_TYPES: tuple[Callable[[pa.DataType], bool], ...] = (
    kinds.is_integer,
    kinds.is_string,
    kinds.is_boolean,
    kinds.is_date32,
    kinds.is_timestamp,
)

Values = Mapping[str, str | None]


def can_partition(kind: pa.DataType) -> bool:
    return any(test(kind) for test in PARTITION_TYPES)


def text(value: Any) -> str | None:
    """One partition value as the log spells it."""
    match value:
        case None | "":
            return None
        case bool():
            return "true" if value else "false"
        case datetime.datetime():
            return value.strftime("%Y-%m-%d %H:%M:%S.%f")
        case datetime.date():
            return value.isoformat()
        case Decimal():
            return format(value, "f")
        case _:
            return str(value)


def text_column(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """`text` of a whole column."""
    if kinds.is_timestamp(column.type):
        return pc.strftime(column, "%Y-%m-%d %H:%M:%S")
    spelled = column.cast(pa.string())
    return pc.if_else(pc.equal(spelled, ""), pa.scalar(None, pa.string()), spelled)


def typed(spelled: str | None, kind: pa.DataType) -> pa.Scalar:
    if spelled is None or spelled == "":
        return pa.scalar(None, kind)
    if not kinds.is_timestamp(kind):
        return pa.scalar(spelled).cast(kind)
    naive = ZONE_SUFFIX.sub("", spelled).replace("T", " ")
    return pa.scalar(naive).cast(pa.timestamp(kind.unit)).cast(kind)


def constant(spelled: str | None, kind: pa.DataType, length: int) -> pa.Array:
    return pa.repeat(typed(spelled, kind), length)


def empty_as_null(table: pa.Table, columns: Sequence[str]) -> pa.Table:
    """The table as partitioning will store it: empty strings in the partition columns become NULL."""
    for name in columns:
        at = table.schema.get_field_index(name)
        column = table.column(at)
        if kinds.is_string(column.type) and pc.any(pc.equal(column, "")).as_py():
            table = table.set_column(at, table.field(at), text_column(column))
    return table


def split(table: pa.Table, by: Sequence[str]) -> Iterator[tuple[dict[str, str | None], pa.Table]]:
    """The rows of each partition, without the partition columns."""
    if not by:
        yield {}, table
        return
    keys = pa.table({f"k{i}": text_column(table.column(name)) for i, name in enumerate(by)})
    keys = keys.append_column("row", pa.array(range(table.num_rows), pa.int64()))
    groups = keys.group_by([f"k{i}" for i in range(len(by))], use_threads=False).aggregate([("row", "list")])
    rest = table.drop_columns(list(by))
    for group in groups.to_batches():
        for at in range(group.num_rows):
            values = {name: group.column(f"k{i}")[at].as_py() for i, name in enumerate(by)}
            yield values, rest.take(group.column("row_list")[at].values)


def folder(values: Values) -> str:
    """The hive-style folder of a partition, `a=1/b=x`; empty without partition columns."""
    return "/".join(f"{escape(name)}={NULL_FOLDER if v is None else escape(v)}" for name, v in values.items())


def values_of_folder(path: str) -> dict[str, str | None]:
    """The partition values that a relative path spells, as Spark writes them."""
    parts = [part.split("=", 1) for part in path.split("/")[:-1] if "=" in part]
    return {unescape(name): None if value == NULL_FOLDER else unescape(value) for name, value in parts}


def escape(name: str) -> str:
    return UNSAFE.sub(lambda match: f"%{ord(match.group()):02X}", name)


def unescape(name: str) -> str:
    return ESCAPED.sub(lambda match: chr(int(match.group(1), 16)), name)
