"""Tables and pasts held in the process, in one embedded DuckDB, at whatever version is asked for.

    folder at version 7 = files {a, b, c}          resident: rows of a, b, d, each with the number of its file
    ->  delete the rows of d, append those of c    ->  resident: rows of a, b, c

Idea: the log says which files make up a version, and a file never changes; so a resident copy moves between versions by
the files that differ, and a segment that was appended to a past is just one more file.
Invariant: a copy is used only when its files are those of the version that is asked for. It may vanish at any time:
what does not fit the budget is evicted, least recently used first.
Complexity: a move costs the files that differ and a scan of the file numbers; a first use costs the columns asked for.
Limits: one statement at a time; the copies of one process are its own.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any, Protocol

import duckdb
import pyarrow as pa

from headwater.engine.local.arrow import to_duckdb
from headwater.engine.local.warm import Warm
from headwater.errors import HeadwaterError

DRIVER_SHARE = 0.25  # of the machine's memory, for all copies together, unless a budget is given
WORKING_SHARE = 1.0  # memory that DuckDB may use beside the copies, as a share of the budget
FILE = "_hw_file"


class Readable(Protocol):
    """A folder whose versions are sets of files."""

    path: str

    @property
    def schema(self) -> pa.Schema: ...
    def files(self, version: int | None = None) -> Sequence[Any]: ...
    def read(self, version: int | None = None, columns: Any = None, files: Any = None) -> pa.Table: ...


@dataclass(frozen=True)
class Held:
    """One file's share of a copy."""

    number: int
    size: int  # of the file on disk: with its path, what tells it from another
    rows: int
    bytes: int


@dataclass(frozen=True)
class Resident:
    """What a copy holds."""

    table: str
    columns: tuple[str, ...]
    files: Mapping[str, Held] = field(default_factory=dict)
    checksum: int = 0

    @property
    def rows(self) -> int:
        return sum(held.rows for held in self.files.values())

    @property
    def bytes(self) -> int:
        return sum(held.bytes for held in self.files.values())


def default_budget() -> int:
    """A share of the machine's memory."""
    return int(DRIVER_SHARE * os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))


class Residents:
    """All copies of one process."""

    def __init__(self, budget: int | None = None, warm_path: str | None = None) -> None:
        self.budget = default_budget() if budget is None else budget
        self.lock = threading.RLock()
        self._warm = Warm(warm_path)
        self._found: dict[str, Resident] = {}
        self._numbers = count(1)
        self._in_use: set[str] = set()
        self.loads = 0  # copies that were made from nothing

    @property
    def connection(self) -> duckdb.DuckDBPyConnection:
        """DuckDB, opened on first use; hold `lock` while using it."""
        if not self._warm.is_open:
            self._warm.open()
            self._warm.connection.execute(f"SET memory_limit = '{max(64, self._memory() >> 20)}MiB'")
            self._found = {name: _from_kept(kept) for name, kept in self._warm.kept().items()}
            highest = max((h.number for r in self._found.values() for h in r.files.values()), default=0)
            self._numbers = count(highest + 1)
        return self._warm.connection

    def _memory(self) -> int:
        return int(self.budget * (1 + WORKING_SHARE))

    @property
    def bytes(self) -> int:
        return sum(each.bytes for each in self._found.values())

    def of(self, path: str) -> Resident | None:
        """The copy of a folder, if there is one."""
        return self._found.get(name_of(path))

    @contextmanager
    def together(self) -> Iterator[None]:
        """What is held inside the body stays until its end: a statement reads several copies."""
        with self.lock:
            outer, self._in_use = self._in_use, set()
            try:
                yield
            finally:
                self._in_use = outer

    def hold(self, folder: Readable, version: int | None, columns: Sequence[str]) -> str:
        """The name of a DuckDB table with the folder's rows at a version, in at least these columns."""
        with self.lock:
            name = name_of(folder.path)
            self._in_use.add(name)
            try:
                return self._moved(name, folder, version, columns)
            except duckdb.Error:
                self.forget(name)
                self._in_use.add(name)
                return self._moved(name, folder, version, columns)

    def _moved(self, name: str, folder: Readable, version: int | None, columns: Sequence[str]) -> str:
        connection = self.connection
        resident = self._found.pop(name, None)
        if resident is not None and not (set(columns) <= set(resident.columns) and self._warm.is_sound(name, resident)):
            columns = tuple(dict.fromkeys([*resident.columns, *columns]))
            resident = None
        columns = columns or folder.schema.names[:1]  # rows are counted by a column
        kept = [column for column in folder.schema.names if column in set(columns)]
        if resident is None:
            resident = self._empty(name, folder.schema, kept)
        wanted = {file.path: file for file in folder.files(version)}
        gone = [path for path, held in resident.files.items() if path not in wanted or wanted[path].size != held.size]
        new = [file for path, file in wanted.items() if path not in resident.files or path in gone]
        if gone or new:
            connection.execute("BEGIN")
            try:
                resident = self._move(resident, folder, version, gone, new)
                self._warm.keep(name, _to_keep(resident))
                connection.execute("COMMIT")
            except BaseException:
                connection.execute("ROLLBACK")
                connection.execute(f'DROP TABLE IF EXISTS "{resident.table}"')
                raise
        self._found[name] = resident  # the most recently used stands last
        return resident.table

    def _empty(self, name: str, schema: pa.Schema, columns: Sequence[str]) -> Resident:
        table = f"resident_{name}"
        self.connection.register("_hw_new", to_duckdb(schema.empty_table().select(list(columns))))
        self.connection.execute(
            f'CREATE OR REPLACE TABLE "{table}" AS SELECT *, CAST(0 AS INTEGER) AS {FILE} FROM _hw_new'
        )
        self.connection.unregister("_hw_new")
        self.loads += 1
        return Resident(table, tuple(columns))

    def _move(
        self, resident: Resident, folder: Readable, version: int | None, gone: list[str], new: list[Any]
    ) -> Resident:
        files, checksum = dict(resident.files), resident.checksum
        if gone:
            numbers = ", ".join(str(files.pop(path).number) for path in gone)
            checksum ^= self._checksum(f'FROM "{resident.table}" WHERE {FILE} IN ({numbers})', resident.columns)
            self.connection.execute(f'DELETE FROM "{resident.table}" WHERE {FILE} IN ({numbers})')
        for file in new:
            rows = to_duckdb(folder.read(version, columns=list(resident.columns), files=[file]))
            self._make_room(rows.nbytes + sum(held.bytes for held in files.values()))
            number = next(self._numbers)
            self.connection.register("_hw_new", rows)
            self.connection.execute(f'INSERT INTO "{resident.table}" SELECT *, {number} FROM _hw_new')
            checksum ^= self._checksum("FROM _hw_new", resident.columns)
            self.connection.unregister("_hw_new")
            files[file.path] = Held(number, file.size, rows.num_rows, rows.nbytes)
        return replace(resident, files=files, checksum=checksum)

    def _checksum(self, source: str, columns: Sequence[str]) -> int:
        """Something that any changed value of any row changes; of a union, the exclusive or. Kept for warm copies."""
        if not self._warm.lasts:
            return 0
        listed = ", ".join(f'"{column}"' for column in columns) or "1"
        ((found,),) = self.connection.execute(f"SELECT coalesce(bit_xor(hash({listed})), 0) {source}").fetchall()
        return int(found)

    def _make_room(self, size: int) -> None:
        """Evict what was not used lately until a copy of this size fits."""
        if size > self.budget:
            raise HeadwaterError("lane.budget", need=_megabytes(size), budget=_megabytes(self.budget))
        for name in list(self._found):
            if self.bytes + size <= self.budget:
                return
            if name not in self._in_use:
                self.forget(name)
        if self.bytes + size > self.budget:
            raise HeadwaterError("lane.budget", need=_megabytes(self.bytes + size), budget=_megabytes(self.budget))

    def forget(self, name: str) -> None:
        """Drop a copy; the next use loads it again."""
        with self.lock:
            self._found.pop(name, None)
            self._in_use.discard(name)
            try:
                self._warm.drop(name, f"resident_{name}")
            except duckdb.Error:  # the file itself is damaged: nothing in it can be trusted
                self._found.clear()
                self._warm.abandon()

    def close(self) -> None:
        with self.lock:
            self._found.clear()
            self._warm.close()


def name_of(path: str) -> str:
    """A folder's name among the copies."""
    return hashlib.sha256(path.encode()).hexdigest()[:16]


def _megabytes(size: int) -> str:
    return f"{size / 1e6:,.1f} MB"


def _to_keep(resident: Resident) -> dict[str, Any]:
    files = {path: [held.number, held.size, held.rows, held.bytes] for path, held in resident.files.items()}
    return {
        "table": resident.table,
        "columns": list(resident.columns),
        "files": files,
        "checksum": resident.checksum,
    }


def _from_kept(kept: Mapping[str, Any]) -> Resident:
    files = {path: Held(*held) for path, held in kept["files"].items()}
    return Resident(kept["table"], tuple(kept["columns"]), files, kept["checksum"])
