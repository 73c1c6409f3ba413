"""Changing some rows of a table: the files that hold them are written anew, and the change is recorded row by row.

    file 1: a b c     touched: b        new file: a b' c         change file: - b  + b'
    file 2: d e       nothing           stays as it is

Idea: who finds the rows (an engine, or a look-up by key) says per file which of its rows are touched and what their
columns become. The change is what was found, so the recorded bag is exact, whatever the condition was. A file that
loses all its rows is only removed: where no other file changes, that is the record.
Invariant: one commit on the very version whose files were searched, or none at all; rows after = rows before + recorded
change. A row that would stay as it is, bit by bit, is not touched.
Complexity: the columns asked for of the files that statistics cannot rule out, and the touched files once. When another
writer was faster only the files that are new are searched.
Limits: rewritten files pass through the driver, one after the other.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as kinds

from headwater.errors import Conflict, HeadwaterError
from headwater.lake import parquet_files, partitions
from headwater.lake.arrow_types import is_list
from headwater.lake.changes import CHANGE_TYPE
from headwater.lake.commits import CommitRequest, applied, attempt_until_committed, commit_on
from headwater.lake.data_files import DataFile, NewFile
from headwater.lake.log import CHANGE_KEY
from headwater.lake.own_commits import Operation, has_feed, refuse_unwritable
from headwater.lake.row_groups import Indices

if TYPE_CHECKING:
    from headwater.lake.delta_table import DeltaFolder

CHANGE_FOLDER = "_change_data"  # where the protocol wants change files
SEARCHED_ROWS = 1_048_576  # rows that are searched at once
DELETED, BEFORE, AFTER, INSERTED = "delete", "update_preimage", "update_postimage", "insert"

Rows = list[pa.Table]


@dataclass(frozen=True)
class Touched:
    """The rows that an operation touches, by position, ascending, and their new values per column (none: they go)."""

    at: Indices
    values: Mapping[str, pa.ChunkedArray] = field(default_factory=dict)
    by: Indices | None = None  # the row of an upsert's data that each becomes

    def between(self, start: int, end: int) -> Touched:
        """Those within a range of positions, counted from its start."""
        low, high = np.searchsorted(self.at, (start, end))
        values = {name: column.slice(low, high - low) for name, column in self.values.items()}
        return Touched(self.at[low:high] - start, values, None if self.by is None else self.by[low:high])


class Finder(Protocol):
    """Finds the rows that an operation touches."""

    @property
    def columns(self) -> Sequence[str]:
        """What it must see of a row: one column at least."""

    def candidates(self, files: Sequence[DataFile], schema: pa.Schema) -> Sequence[DataFile]:
        """The files that may hold a touched row."""

    def __call__(self, rows: pa.Table) -> Touched: ...


Check = Callable[[pa.Table], None]  # raises for rows that break a rule of the table


@dataclass
class Edit:
    """What one attempt has found: files that go, rows in their place, and the change."""

    removed: list[DataFile] = field(default_factory=list)
    added: list[NewFile] = field(default_factory=list)
    change: dict[str, Rows] = field(default_factory=lambda: {DELETED: [], BEFORE: [], AFTER: [], INSERTED: []})
    emptied: list[DataFile] = field(default_factory=list)  # of the removed ones, those that lose all their rows
    copied: int = 0

    def record(self, kind: str, rows: pa.Table) -> None:
        if rows.num_rows:
            self.change[kind].append(rows)

    def count(self, kind: str) -> int:
        recorded = sum(rows.num_rows for rows in self.change[kind])
        return recorded + (sum(file.rows or 0 for file in self.emptied) if kind == DELETED else 0)

    @property
    def whole(self) -> bool:
        """Nothing but whole files went: that is its own record."""
        return len(self.emptied) == len(self.removed)


@dataclass
class Rewriting:
    """One DELETE, UPDATE or MERGE on its way; what it has found is kept from one attempt to the next."""

    folder: DeltaFolder
    operation: str
    finder: Finder | None  # None finds every row
    request: CommitRequest
    parameters: Mapping[str, str] = field(default_factory=dict)
    check: Check | None = None
    inserted: Callable[[Iterable[Touched]], pa.Table] | None = None  # rows to add, given all that was touched
    schema: pa.Schema = field(init=False)
    _found: dict[str, Touched] = field(default_factory=dict)

    def run(self) -> int:
        """The new version; the present one when nothing was touched."""
        self.schema = self.folder.schema
        return attempt_until_committed(self.folder, self.attempt)

    def attempt(self) -> int:
        started = time.perf_counter()
        base = self.folder.latest()
        if applied(self.folder, self.request.transaction):
            return base
        with self.folder.lock:
            refuse_unwritable(self.folder.name, self.folder.delta)
            feed = has_feed(self.folder.delta)
        if self.folder.snapshot(base).schema != self.schema:
            raise Conflict(self.folder.name)
        edit = self.edit(base)
        if not edit.removed and not edit.added:
            return base
        recorded = self.record(edit, base, feed) if edit.removed and not (edit.whole and not edit.added) else []
        request = self.committed(edit, recorded, feed, time.perf_counter() - started)
        return commit_on(self.folder, request, base)

    def edit(self, base: int) -> Edit:
        edit = Edit()
        if self.finder is None:
            edit.removed = edit.emptied = list(self.folder.files(base))
            return edit
        files = self.finder.candidates(self.folder.files(base), self.schema)
        self.search(self.finder, base, [file for file in files if file.path not in self._found])
        touched = [self._found[file.path] for file in files]
        kept = (
            self.rewritten(edit, base, file, each) for file, each in zip(files, touched, strict=True) if len(each.at)
        )
        edit.added += written(self.folder, (rows for rows in kept if rows is not None))
        more = self.inserted(touched) if self.inserted is not None else None
        if more is not None and more.num_rows:
            self.checked(more)
            edit.record(INSERTED, more)
            edit.added += self.folder.write(more)
        return edit

    def search(self, finder: Finder, base: int, files: Sequence[DataFile]) -> None:
        """Find the touched rows of files, many at a time."""
        for batch in batches(files):
            tables = [self.folder.read(base, finder.columns, [file]) for file in batch]
            touched = finder(pa.concat_tables(tables))
            start = 0
            for file, rows in zip(batch, tables, strict=True):
                self._found[file.path] = touched.between(start, start + rows.num_rows)
                start += rows.num_rows

    def rewritten(self, edit: Edit, base: int, file: DataFile, touched: Touched) -> pa.Table | None:
        """The rows that take a touched file's place; None when there are none, or when it stays as it is after all."""
        if not touched.values and len(touched.at) == file.rows:
            edit.removed.append(file)
            edit.emptied.append(file)
            return None
        rows = self.folder.read(base, files=[file])
        before = rows.take(pa.array(touched.at))
        if touched.values:
            after = partitions.empty_as_null(replaced(before, touched.values), self.folder.partition_by)
            differing = different(before, after, list(touched.values))
            if not differing.any():
                return None
            mask = pa.array(differing)
            at, before, after = touched.at[differing], before.filter(mask), after.filter(mask)
            self.checked(after)
            edit.record(BEFORE, before)
            edit.record(AFTER, after)
            order = np.arange(rows.num_rows)
            order[at] = rows.num_rows + np.arange(len(at))
            kept = pa.concat_tables([rows, after]).take(pa.array(order))
        else:
            edit.record(DELETED, before)
            stays = np.ones(rows.num_rows, dtype=bool)
            stays[touched.at] = False
            kept = rows.filter(pa.array(stays))
        edit.removed.append(file)
        edit.copied += rows.num_rows - before.num_rows
        return kept if kept.num_rows else None

    def checked(self, rows: pa.Table) -> None:
        for column in self.schema:
            missing = rows.column(column.name).null_count
            if missing and not column.nullable:
                raise HeadwaterError("data.null", column=column.name, table=self.folder.name, count=missing)
        if self.check is not None:
            self.check(rows)

    def record(self, edit: Edit, base: int, feed: bool) -> list[NewFile]:
        """The change as files, one a partition where it is the protocol's, not yet committed."""
        edit.record(DELETED, self.folder.read(base, files=edit.emptied))
        edit.emptied = []
        typed = [
            rows.append_column(CHANGE_TYPE, pa.repeat(kind, rows.num_rows))
            for kind, tables in edit.change.items()
            for rows in tables
        ]
        by = self.folder.partition_by if feed else ()
        return [
            parquet_files.write_file(self.folder.path, rows, values, CHANGE_FOLDER)
            for values, rows in partitions.split(pa.concat_tables(typed), by)
        ]

    def committed(self, edit: Edit, recorded: list[NewFile], feed: bool, seconds: float) -> CommitRequest:
        metrics = {
            "numRemovedFiles": len(edit.removed),
            "numAddedFiles": len(edit.added),
            "numAddedChangeFiles": len(recorded) if feed else 0,
            "numDeletedRows": edit.count(DELETED),
            "numUpdatedRows": edit.count(AFTER),
            "numInsertedRows": edit.count(INSERTED),
            "numCopiedRows": edit.copied,
            "executionTimeMs": int(seconds * 1000),
        }
        operation = Operation(self.operation, self.parameters, metrics, tuple(recorded) if feed else ())
        own = {CHANGE_KEY: [{"path": file.path, "rows": file.rows} for file in recorded]} if recorded else {}
        return CommitRequest(
            tuple(edit.added),
            tuple(edit.removed),
            {**self.request.metadata, **({} if feed else own)},
            self.request.transaction,
            operation=operation,
        )


def batches(files: Iterable[DataFile]) -> Iterator[list[DataFile]]:
    """Files in groups of about SEARCHED_ROWS rows."""
    batch: list[DataFile] = []
    rows = 0
    for file in files:
        batch.append(file)
        rows += parquet_files.MAX_ROWS_PER_FILE if file.rows is None else file.rows
        if rows >= SEARCHED_ROWS:
            yield batch
            batch, rows = [], 0
    if batch:
        yield batch


def written(folder: DeltaFolder, tables: Iterable[pa.Table]) -> list[NewFile]:
    """Rows as new files; those of small files are written together."""
    files: list[NewFile] = []
    pending: Rows = []
    for table in tables:
        if pending and sum(rows.num_rows for rows in pending) + table.num_rows > parquet_files.MAX_ROWS_PER_FILE:
            files += folder.write(pa.concat_tables(pending))
            pending = []
        pending.append(table)
    return files + (folder.write(pa.concat_tables(pending)) if pending else [])


def replaced(rows: pa.Table, values: Mapping[str, pa.ChunkedArray]) -> pa.Table:
    for name, column in values.items():
        at = rows.schema.get_field_index(name)
        rows = rows.set_column(at, rows.schema.field(at), column.cast(rows.schema.field(at).type))
    return rows


def different(before: pa.Table, after: pa.Table, names: Iterable[str]) -> npt.NDArray[np.bool_]:
    """Which rows differ in one of the columns; where that is not easily told, they count as different."""
    found = np.zeros(before.num_rows, dtype=bool)
    for name in names:
        found |= _different(before.column(name), after.column(name))
    return found


def _different(a: pa.ChunkedArray, b: pa.ChunkedArray) -> Any:
    if kinds.is_nested(a.type) or is_list(a.type):
        return np.ones(len(a), dtype=bool)
    if kinds.is_floating(a.type):  # by their bits: -0.0 is written otherwise than 0.0
        bits = pa.int64() if kinds.is_float64(a.type) else pa.int32()
        a, b = (pa.chunked_array([chunk.view(bits) for chunk in column.chunks], bits) for column in (a, b))
    same = pc.or_(pc.fill_null(pc.equal(a, b), False), pc.and_(pc.is_null(a), pc.is_null(b)))
    return ~np.asarray(same.to_numpy(), dtype=bool)
