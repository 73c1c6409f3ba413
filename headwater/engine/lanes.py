"""What the runner needs of a lane: leaves by name, statements run, files written, and what it cost.

Idea: the same program runs in either lane. A lane opens a `Work` for one refresh, build or check; the runner names what
the plans read (tables and pasts at a version, rows on the driver) and asks for the rows of a plan.
Invariant: what a plan gives does not depend on the lane.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import pyarrow as pa

from headwater.algebra.nodes import Node
from headwater.lake.changes import Change
from headwater.lake.delta_table import DeltaFolder, NewFile
from headwater.lake.sorted_copies import COPIES, searchable

LANES = ("auto", "spark", "local")


@dataclass
class Counters:
    """What a piece of work cost."""

    jobs: int = 0
    rows_read: int = 0
    loading: float = 0.0  # seconds spent on making copies that later work finds


class Readable(Protocol):
    """What a snapshot is read from: a Delta folder or an attached folder of Parquet files."""

    path: str

    @property
    def schema(self) -> pa.Schema: ...
    @property
    def partition_by(self) -> tuple[str, ...]: ...
    def files(self, version: int | None = None) -> Sequence[Any]: ...
    def absolute(self, file: Any) -> str: ...
    def read(self, version: int | None = None, columns: Any = None, files: Any = None) -> pa.Table: ...


class Work(Protocol):
    """One refresh, build or check on its way."""

    large: bool  # results stay in the engine; in the local lane never
    counters: Counters

    def add_table(self, table: str, folder: Any, version: int) -> None: ...
    def add_past(self, name: str, folder: Any, version: int) -> None: ...
    def add_rows(self, name: str, rows: pa.Table) -> None: ...
    def add_change(self, name: str, change: Change, columns: tuple[str, ...]) -> None: ...
    def prepare(self) -> None:
        """What was added is what the next refresh will read: made ready now."""

    def whole(self, folder: DeltaFolder) -> pa.Table: ...
    def look_up(self, folder: DeltaFolder, column: str, keys: pa.Array, limit: int) -> pa.Table | None: ...
    def rows(self, plan: Node) -> pa.Table: ...
    def hold(self, name: str, plan: Node) -> Any: ...
    def count(self, held: Any) -> int: ...
    def collect_if_small(self, held: Any, limit: int) -> pa.Table | None: ...
    def write(self, plan: Node, folder: DeltaFolder, sort: tuple[str, ...] = ()) -> list[NewFile]: ...
    def write_frame(self, frame: Any, folder: DeltaFolder, sort: tuple[str, ...] = ()) -> list[NewFile]: ...
    def close(self) -> None: ...


class Lane(Protocol):
    """An engine that runs plans."""

    name: str

    def work(self, prefix: str, large: bool = False) -> Work: ...


class ByKey:
    """Rows of pasts found by key on the driver: the same in both lanes."""

    counters: Counters

    def whole(self, folder: DeltaFolder) -> pa.Table:
        """All rows of a small past."""
        files = folder.files(folder.version)
        column = next((field.name for field in folder.schema if searchable(field.type)), None)
        return folder.read(files=files) if column is None else COPIES.find(folder, files, column, None)

    def look_up(self, folder: DeltaFolder, column: str, keys: pa.Array, limit: int) -> pa.Table | None:
        """The rows of a past that have one of the keys; None when they are more than the limit."""
        files = folder.files(folder.version)
        rows = COPIES.find(folder, files, column, keys)
        self.counters.rows_read += rows.num_rows
        return rows if rows.num_rows <= limit else None
