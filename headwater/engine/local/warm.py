"""The database that copies live in: in memory, or a file beside the warehouse that a next process starts from.

Idea: a process that refreshes once and ends would load everything anew; with a file it finds the copies of the process
before it and moves them by the files that differ. The file is a cache: it says of each copy which files it holds, and
is believed only as far as the log confirms that and a checksum confirms the rows.
Invariant: a file of another format or DuckDB, a torn one, one that is a folder, or one that another process holds is
not used: it is made anew where that is possible, and otherwise the copies stay in memory.
Complexity: checking a copy costs one scan of it per process.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from typing import Any, Protocol

import duckdb

from headwater.engine.local.connection import connect

FORMAT = 1
# Files that this process has open: DuckDB would let two lakes share one, and neither would know of the other's moves.
_OPEN: set[str] = set()
_KEPT = "_hw_kept"


class Checked(Protocol):
    """What is known of a copy."""

    @property
    def table(self) -> str: ...
    @property
    def columns(self) -> tuple[str, ...]: ...
    @property
    def rows(self) -> int: ...
    @property
    def checksum(self) -> int: ...


class Warm:
    """One DuckDB, and in a file of its own what it holds."""

    def __init__(self, path: str | None) -> None:
        self.path = path
        self.lasts = False  # whether the copies outlive the process
        self._connection: duckdb.DuckDBPyConnection | None = None
        self._unchecked: set[str] = set()

    @property
    def is_open(self) -> bool:
        return self._connection is not None

    @property
    def connection(self) -> duckdb.DuckDBPyConnection:
        assert self._connection is not None
        return self._connection

    def open(self) -> None:
        """Open the file, make it anew where it cannot be read, or go without."""
        if self.path is not None and os.path.realpath(self.path) not in _OPEN:
            for _ in range(2):
                try:
                    self._connection = connect(self.path)
                    self._prepare()
                    self.lasts = True
                    _OPEN.add(os.path.realpath(self.path))
                    return
                except (duckdb.Error, OSError, ValueError) as error:
                    self._let_go()
                    if "lock" in str(error).lower() or not self._remove():
                        break
        self._connection = connect()

    def _prepare(self) -> None:
        """Check who wrote the file; raise ValueError when it was not us, in this format."""
        connection = self.connection
        connection.execute(f"CREATE TABLE IF NOT EXISTS {_KEPT} (name VARCHAR, kept VARCHAR)")
        found = dict(connection.execute(f"SELECT name, kept FROM {_KEPT}").fetchall())
        written = found.pop("", None)
        if written is None and not found:
            connection.execute(f"INSERT INTO {_KEPT} VALUES ('', ?)", [self._format()])
        elif written != self._format():
            raise ValueError("another format")
        self._unchecked = set(found)

    @staticmethod
    def _format() -> str:
        return f"{FORMAT} {duckdb.__version__}"

    def kept(self) -> dict[str, dict[str, Any]]:
        """What the file says of its copies."""
        if not self.lasts:
            return {}
        rows = self.connection.execute(f"SELECT name, kept FROM {_KEPT} WHERE name <> ''").fetchall()
        return {name: json.loads(kept) for name, kept in rows}

    def keep(self, name: str, kept: dict[str, Any]) -> None:
        """Note what a copy holds, in the transaction that changes it."""
        if self.lasts:
            self.connection.execute(f"DELETE FROM {_KEPT} WHERE name = ?", [name])
            self.connection.execute(f"INSERT INTO {_KEPT} VALUES (?, ?)", [name, json.dumps(kept)])
            self._unchecked.discard(name)

    def is_sound(self, name: str, copy: Checked) -> bool:
        """Whether the rows are those that were kept; looked at once a process."""
        if name not in self._unchecked:
            return True
        listed = ", ".join(f'"{column}"' for column in copy.columns) or "1"
        sql = f'SELECT count(*), coalesce(bit_xor(hash({listed})), 0) FROM "{copy.table}"'
        ((rows, checksum),) = self.connection.execute(sql).fetchall()
        self._unchecked.discard(name)
        return (int(rows), int(checksum)) == (copy.rows, copy.checksum)

    def drop(self, name: str, table: str) -> None:
        if self._connection is None:
            return
        self.connection.execute(f'DROP TABLE IF EXISTS "{table}"')
        if self.lasts:
            self.connection.execute(f"DELETE FROM {_KEPT} WHERE name = ?", [name])

    def abandon(self) -> None:
        """Give up the file and what it holds."""
        lasted = self.lasts
        self.close()
        if lasted:
            self._remove()

    def close(self) -> None:
        self._let_go()
        if self.lasts and self.path is not None:
            _OPEN.discard(os.path.realpath(self.path))
        self.lasts = False

    def _let_go(self) -> None:
        if self._connection is not None:
            with suppress(duckdb.Error):
                self._connection.close()
        self._connection = None
        self._unchecked.clear()

    def _remove(self) -> bool:
        assert self.path is not None
        try:
            for path in (self.path, f"{self.path}.wal"):
                if os.path.exists(path):
                    os.remove(path)
            return True
        except OSError:  # a folder, or not ours to remove
            return False
