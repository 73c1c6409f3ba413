"""Rows of Parquet files by key, without reading the files: a copy of each, sorted by the key, mapped into memory.

    part-1.parquet  --first use-->  _sorted/part-1.parquet-<key>.arrow :  code | columns ...
                                                                         ^ sorted, searched by bisection

Idea: Parquet has no random access: a hundred keys spread over six million rows cost a scan. The files of a past never
change, so a copy that is made once serves every later look-up. A key is searched by a 64-bit code of its value: the
value itself for integers, dates and times, a hash for the rest.
Invariant: `find` gives every row whose key is in `keys`, and possibly some others (equal hashes); NULL finds NULL.
A copy is soft: one that is missing, torn or of another file is made again.
Complexity: a look-up costs O(keys * log(rows)) per file and the rows found; a copy costs one reading and one sort of
its file. Mapped pages belong to the system's cache, not to this process; what small files hold in memory is bounded.
"""

from __future__ import annotations

import os
import threading
import uuid
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.types as kinds

from headwater.lake import storage

FOLDER = "_sorted"
CODE = "_hw_code"
NULL_CODE = np.iinfo(np.int64).min
SMALL_ROWS = 32_768  # a file up to this size is held in memory; a larger one is mapped
SMALL_BYTES = 256 << 20  # what all small files together may hold
MAPPED_FILES = 4_096
BATCH_ROWS = 4 << 20
SHORT_DECIMAL = 18  # digits that fit 64 bits

Codes = npt.NDArray[np.int64]


class Searchable(Protocol):
    """A folder whose files are searched."""

    path: str

    @property
    def schema(self) -> pa.Schema: ...
    def absolute(self, file: Any) -> str: ...
    def read(self, version: int | None = None, columns: Any = None, files: Any = None) -> pa.Table: ...


@dataclass(frozen=True)
class Copy:
    """One file's rows in the order of their codes, cut where Arrow's arrays end."""

    parts: tuple[tuple[Codes, pa.Table], ...]
    bytes: int  # held by this process

    def find(self, wanted: Codes | None) -> list[pa.Table]:
        if wanted is None:
            return [rows.drop_columns([CODE]) for _, rows in self.parts]
        found = [rows.take(places) for codes, rows in self.parts if len(places := _places(codes, wanted))]
        return [rows.drop_columns([CODE]) for rows in found]


def searchable(kind: pa.DataType) -> bool:
    """True when equal values of the type have equal codes, and Spark calls the same values equal."""
    return (
        kinds.is_integer(kind)
        or kinds.is_date32(kind)
        or kinds.is_timestamp(kind)
        or kinds.is_boolean(kind)
        or kinds.is_string(kind)
        or kinds.is_decimal128(kind)
    )


def codes_of(values: pa.Array | pa.ChunkedArray) -> Codes:
    """One 64-bit number a value: equal values, equal numbers."""
    array = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
    if isinstance(array, pa.ChunkedArray):  # several chunks that Arrow keeps apart
        return np.concatenate([codes_of(chunk) for chunk in array.chunks])
    if kinds.is_string(array.type):
        plain = array.fill_null("").to_numpy(zero_copy_only=False)
        codes = pd.util.hash_array(plain, categorize=False).view(np.int64)
    elif kinds.is_decimal128(array.type):
        codes = _low_words(array)
    elif kinds.is_boolean(array.type):
        codes = array.fill_null(False).cast(pa.int8()).to_numpy().astype(np.int64)
    else:
        integer = array if kinds.is_integer(array.type) else array.view(_integer_like(array.type))
        codes = integer.fill_null(0).to_numpy().astype(np.int64)
    if array.null_count:
        codes = np.where(array.is_null().to_numpy(zero_copy_only=False), NULL_CODE, codes)
    return codes


def _integer_like(kind: pa.DataType) -> pa.DataType:
    return pa.int32() if kind.bit_width == 32 else pa.int64()


def _low_words(array: pa.Array) -> Codes:
    """The lower 64 bits of each decimal: its unscaled value, when it has up to 18 digits."""
    words = np.frombuffer(array.buffers()[1], dtype=np.int64)
    return words[2 * array.offset : 2 * (array.offset + len(array)) : 2].copy()


def _places(codes: Codes, wanted: Codes) -> npt.NDArray[np.int64]:
    """Where the wanted codes stand in the sorted ones."""
    first = np.searchsorted(codes, wanted, "left")
    counts = np.searchsorted(codes, wanted, "right") - first
    hit = counts > 0
    first, counts = first[hit], counts[hit]
    ends = np.cumsum(counts)
    total = int(ends[-1]) if len(ends) else 0
    return np.repeat(first - (ends - counts), counts) + np.arange(total)


# -- short decimals as integers: half the bytes of a copy


def _packed(rows: pa.Table) -> pa.Table:
    """The rows with short decimals as 64-bit integers of their unscaled values."""
    columns = [_pack(column) if _is_short(column.type) else column for column in rows.columns]
    return pa.table(columns, names=rows.column_names)


def _is_short(kind: pa.DataType) -> bool:
    return bool(kinds.is_decimal128(kind)) and kind.precision <= SHORT_DECIMAL


def _pack(column: pa.ChunkedArray) -> pa.Array:
    array = column.combine_chunks()
    array = array if isinstance(array, pa.Array) else pa.concat_arrays(array.chunks)
    return pa.array(
        _low_words(array), mask=array.is_null().to_numpy(zero_copy_only=False) if array.null_count else None
    )


def _unpacked(rows: pa.Table, schema: pa.Schema) -> pa.Table:
    columns = [_unpack(rows.column(field.name), field.type) for field in schema]
    return pa.Table.from_arrays(columns, schema=schema)


def _unpack(column: pa.ChunkedArray, kind: pa.DataType) -> pa.Array | pa.ChunkedArray:
    if column.type == kind:
        return column
    if not _is_short(kind):
        return column.cast(kind)
    low = column.fill_null(0).to_numpy()
    words = np.empty((len(low), 2), dtype=np.int64)
    words[:, 0], words[:, 1] = low, low >> 63
    valid = None
    if column.null_count:
        bits = np.packbits(column.is_valid().to_numpy(), bitorder="little")
        valid = pa.py_buffer(bits.tobytes())
    return pa.Array.from_buffers(kind, len(low), [valid, pa.py_buffer(words.tobytes())])


class SortedCopies:
    """The copies that this process has open."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._open: OrderedDict[tuple[str, str], Copy] = OrderedDict()
        self._held = 0

    def find(self, folder: Searchable, files: Sequence[Any], column: str, keys: pa.Array | None) -> pa.Table:
        """The rows of the files whose `column` has one of the keys, in the folder's types; None: all rows."""
        wanted = np.unique(codes_of(keys)) if keys is not None else None
        found = [rows for file in files for rows in self.copy(folder, file, column).find(wanted)]
        if not found:
            return folder.schema.empty_table()
        return _unpacked(pa.concat_tables(found).combine_chunks(), folder.schema)

    def copy(self, folder: Searchable, file: Any, column: str) -> Copy:
        key = (folder.absolute(file), column)
        with self._lock:
            if key not in self._open:
                self._keep(key, self._load(folder, file, column))
            self._open.move_to_end(key)
            return self._open[key]

    def _keep(self, key: tuple[str, str], copy: Copy) -> None:
        self._open[key] = copy
        self._held += copy.bytes
        while len(self._open) > MAPPED_FILES or (self._held > SMALL_BYTES and len(self._open) > 1):
            _, dropped = self._open.popitem(last=False)
            self._held -= dropped.bytes

    @staticmethod
    def _load(folder: Searchable, file: Any, column: str) -> Copy:
        if file.rows is not None and file.rows <= SMALL_ROWS:
            rows = _in_order(folder, file, column)
            return Copy(tuple(_parts(rows)), rows.nbytes)
        path = copy_path(folder, file, column)
        rows = _mapped(path, file.rows)
        if rows is None:
            _write(_in_order(folder, file, column), path)
            rows = _mapped(path, None)
            assert rows is not None
        return Copy(tuple(_parts(rows)), 0)


COPIES = SortedCopies()


def copy_path(folder: Searchable, file: Any, column: str) -> str:
    name = storage.join(FOLDER, f"{file.path.replace('/', '-')}-{codes_name(column)}.arrow")
    return os.path.join(folder.path, name)


def codes_name(column: str) -> str:
    """A column's name as a part of a file's name."""
    return "".join(char if char.isalnum() else f"-{ord(char):x}-" for char in column)[:80]


def sweep(folder: Searchable, files: Sequence[Any]) -> None:
    """Remove the copies of files that are no longer read."""
    kept = tuple(file.path.replace("/", "-") for file in files)
    root = os.path.join(folder.path, FOLDER)
    for name in os.listdir(root) if storage.is_folder(root) else ():
        if not name.startswith(kept):
            storage.remove(os.path.join(root, name))


def size(folder: Searchable) -> int:
    """The bytes that the folder's copies take."""
    root = os.path.join(folder.path, FOLDER)
    return sum(storage.size(os.path.join(root, name)) for name in os.listdir(root)) if storage.is_folder(root) else 0


def _in_order(folder: Searchable, file: Any, column: str) -> pa.Table:
    """A file's rows, packed, with their codes, in the order of the codes."""
    rows = folder.read(files=[file])
    codes = codes_of(rows.column(column))
    packed = _packed(rows).add_column(0, CODE, pa.array(codes))
    if len(codes) > 1 and not bool(np.all(codes[:-1] <= codes[1:])):
        packed = packed.take(np.argsort(codes, kind="stable"))
    return packed


def _write(rows: pa.Table, path: str) -> None:
    storage.make_folder(os.path.dirname(path))
    temporary = f"{path}.{uuid.uuid4().hex}"
    with pa.OSFile(temporary, "wb") as sink, pa.ipc.new_file(sink, rows.schema) as writer:
        writer.write_table(rows.combine_chunks(), max_chunksize=BATCH_ROWS)
    storage.move(temporary, path)


def _mapped(path: str, rows: int | None) -> pa.Table | None:
    """The copy at a path; None when there is none that can be used."""
    try:
        table = pa.ipc.open_file(pa.memory_map(path)).read_all()
    except (OSError, pa.ArrowInvalid):
        return None
    return table if rows is None or table.num_rows == rows else None


def _parts(rows: pa.Table) -> list[tuple[Codes, pa.Table]]:
    batches = [pa.Table.from_batches([batch]) for batch in rows.to_batches() if batch.num_rows]
    return [(batch.column(CODE).chunk(0).to_numpy(), batch) for batch in batches]


def keys_of(columns: Sequence[pa.ChunkedArray]) -> pa.Array:
    """The different values of some columns of one type."""
    return pa.chunked_array([column.unique() for column in columns]).unique()
