"""The local lane: runs the statements of a small refresh in this process, on DuckDB. No JVM is started.

Idea: what a plan reads is either rows on the driver (the change, what was looked up, an earlier stage's result) or a
table or past that is held resident at the version asked for. The plan's statement is written once and kept.
Invariant: a plan gives what Spark would give, or raises a `lane.*` error; nothing is written before all is computed.
Complexity: the rows on the driver, and a scan of each resident table that the plan joins them with.
"""

from __future__ import annotations

import re
import threading
import time
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import duckdb
import pyarrow as pa

from headwater.algebra.nodes import Node, Relation, Scan, Schema
from headwater.engine.lanes import ByKey, Counters, Readable
from headwater.engine.local.arrow import from_duckdb, to_duckdb
from headwater.engine.local.residents import Residents, name_of
from headwater.engine.local.statements import duckdb_sql
from headwater.engine.local.touching import LocalExpressions
from headwater.errors import HeadwaterError
from headwater.lake.changes import Change
from headwater.lake.delta_table import DeltaFolder, NewFile
from headwater.lake.sorted_copies import COPIES

STATEMENTS_KEPT = 512
# Bytes that a value takes in memory, by the first letters of its type's name: an estimate made before anything is read.
WIDTHS = {"bool": 1, "tiny": 1, "smal": 2, "int": 4, "date": 4, "floa": 4, "deci": 16, "stri": 24, "bina": 24}
WIDTH = 8
UNKNOWN_ROWS = 1_000_000  # of a file whose log entry does not say


class LocalLane:
    """Work on one embedded DuckDB, opened when first needed."""

    name = "local"

    def __init__(self, budget: int | None = None, warm_path: str | None = None) -> None:
        self.residents = Residents(budget, warm_path)
        self.expressions = LocalExpressions()
        self._lock = threading.RLock()
        self.searched: dict[str, set[str]] = {}  # folder -> columns that were looked up by
        self._statements: OrderedDict[Any, str | HeadwaterError] = OrderedDict()

    def work(self, prefix: str, large: bool = False) -> LocalWork:
        return LocalWork(self, prefix)

    def statement(self, plan: Node, prefix: str, folders: Mapping[str, str]) -> str:
        """The SQL of a plan; `folders` says which leaves are resident, and the paths of their folders."""
        key = (plan.fingerprint, prefix, tuple(sorted(folders.items())))
        with self._lock:
            if key not in self._statements:
                self._statements[key] = self._written(plan, prefix, folders)
                while len(self._statements) > STATEMENTS_KEPT:
                    self._statements.popitem(last=False)
            self._statements.move_to_end(key)
            found = self._statements[key]
        if isinstance(found, HeadwaterError):
            raise found
        return found

    @staticmethod
    def _written(plan: Node, prefix: str, folders: Mapping[str, str]) -> str | HeadwaterError:
        def name(leaf: Scan | Relation) -> str:
            known = leaf_name(leaf)
            return f"resident_{name_of(folders[known])}" if known in folders else f"hw_{prefix}_{known}"

        try:
            return duckdb_sql(plan, name)
        except HeadwaterError as error:
            return error

    def refusal(self, plan: Node) -> HeadwaterError | None:
        """Why the lane cannot evaluate a plan, wherever its leaves are."""
        try:
            self.statement(plan, "", {})
        except HeadwaterError as error:
            return error
        return None

    def too_large(self, need: int) -> HeadwaterError:
        budget = self.residents.budget
        return HeadwaterError("lane.budget", need=f"{need / 1e6:,.1f} MB", budget=f"{budget / 1e6:,.1f} MB")

    def close(self) -> None:
        self.residents.close()
        self.expressions.close()
        self._statements.clear()


def leaf_name(leaf: Scan | Relation) -> str:
    return leaf.table if isinstance(leaf, Scan) else leaf.name


def estimate(folder: Readable, version: int | None, columns: Schema) -> int:
    """The bytes that a folder's columns take in memory, from its log."""
    rows = sum(UNKNOWN_ROWS if file.rows is None else file.rows for file in folder.files(version))
    return rows * sum(WIDTHS.get(item.type[:4], WIDTH) for item in columns)


@dataclass
class LocalWork(ByKey):
    """One refresh or build: its leaves by name, and what it has cost so far."""

    lane: LocalLane
    prefix: str
    large: bool = False
    counters: Counters = field(default_factory=Counters)
    _folders: dict[str, tuple[Readable, int]] = field(default_factory=dict)
    _rows: dict[str, pa.Table] = field(default_factory=dict)

    # -- leaves

    def add_table(self, table: str, folder: Any, version: int) -> None:
        self._folders[table] = (folder, version)

    def add_past(self, name: str, folder: Any, version: int) -> None:
        self._folders[name] = (folder, version)

    def add_rows(self, name: str, rows: pa.Table) -> None:
        self._rows[name] = to_duckdb(rows)

    def add_change(self, name: str, change: Change, columns: tuple[str, ...]) -> None:
        self.add_rows(name, change.read(columns))

    def prepare(self) -> None:
        """Copies that are held already follow to the version that the next refresh starts from."""
        residents = self.lane.residents
        with residents.together():
            for folder, version in self._folders.values():
                self._sort_what_is_new(folder, version)
                held = residents.of(folder.path)
                if held is not None:
                    try:
                        residents.hold(folder, version, held.columns)
                    except HeadwaterError:  # a column or a file that is gone: told when it is needed
                        residents.forget(name_of(folder.path))

    def _sort_what_is_new(self, folder: Readable, version: int) -> None:
        """Sorted copies of the files that came, while nobody waits."""
        for column in self.lane.searched.get(folder.path, ()):
            nothing = pa.array([], folder.schema.field(column).type)
            COPIES.find(folder, folder.files(version), column, nothing)

    def whole(self, folder: DeltaFolder) -> pa.Table:
        self.lane.searched.setdefault(folder.path, set()).add(folder.schema.names[0])
        return super().whole(folder)

    def look_up(self, folder: DeltaFolder, column: str, keys: pa.Array, limit: int) -> pa.Table | None:
        self.lane.searched.setdefault(folder.path, set()).add(column)
        return super().look_up(folder, column, keys, limit)

    # -- statements

    def rows(self, plan: Node) -> pa.Table:
        """The result of a plan."""
        residents = self.lane.residents
        with residents.together():
            names = self._bound(plan)
            sql = self.lane.statement(plan, self.prefix, {name: self._folders[name][0].path for name in names})
            try:
                return from_duckdb(residents.connection.sql(sql).to_arrow_table(), plan.schema)
            except (duckdb.Error, pa.ArrowInvalid) as error:
                raise HeadwaterError("lane.failed", why=told(error)) from error

    def _bound(self, plan: Node) -> list[str]:
        """Make every leaf of a plan readable; those that are resident."""
        residents, found = self.lane.residents, []
        started, before = time.perf_counter(), residents.loads
        for leaf in dict.fromkeys(node for node in plan.walk() if isinstance(node, (Scan, Relation))):
            name = leaf_name(leaf)
            if name in self._rows:
                residents.connection.register(f"hw_{self.prefix}_{name}", self._rows[name])
            else:
                folder, version = self._folders[name]
                residents.hold(folder, version, leaf.sources if isinstance(leaf, Scan) else leaf.names)
                found.append(name)
        self.counters.loading += time.perf_counter() - started if residents.loads > before else 0.0
        return found

    def write(self, plan: Node, folder: DeltaFolder, sort: tuple[str, ...] = ()) -> list[NewFile]:
        rows = self.rows(plan)
        if sort:
            rows = rows.sort_by([(name, "ascending") for name in sort])
        return folder.write(rows) if rows.num_rows else []

    # -- what only work that stays in the engine asks for

    def hold(self, name: str, plan: Node) -> pa.Table:
        rows = self.rows(plan)
        self.add_rows(name, rows)
        return rows

    def count(self, held: pa.Table) -> int:
        return int(held.num_rows)

    def collect_if_small(self, held: pa.Table, limit: int) -> pa.Table | None:
        return held if held.num_rows <= limit else None

    def write_frame(self, frame: pa.Table, folder: DeltaFolder, sort: tuple[str, ...] = ()) -> list[NewFile]:
        return folder.write(frame) if frame.num_rows else []

    def close(self) -> None:
        residents = self.lane.residents
        with residents.lock:
            for name in self._rows:
                residents.connection.unregister(f"hw_{self.prefix}_{name}")
        self._rows.clear()


KIND = re.compile(r"^[A-Za-z ]+ (?:Error|Exception): ")  # what DuckDB calls its errors
NOT_A = re.compile(r"^not an? (\w+)$")  # as our casts say it


def told(error: Exception) -> str:
    """The first line of an error as words of a sentence."""
    lines = str(error).strip().splitlines()
    words = KIND.sub("", lines[0]).removeprefix("lane: ").rstrip(".") if lines else type(error).__name__
    return NOT_A.sub(r"a text that is cast to \1 does not spell one", words)


def needed(plan: Node, names: Sequence[str]) -> dict[str, Schema]:
    """The columns that a plan reads of some of its leaves."""
    found: dict[str, Schema] = {}
    for leaf in plan.walk():
        if isinstance(leaf, (Scan, Relation)) and leaf_name(leaf) in names:
            found[leaf_name(leaf)] = leaf.schema
    return found
