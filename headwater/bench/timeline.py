"""Changes made once, and replayed for every query: each view sees the same tables, versions and rows.

Idea: the changes are applied to the tables of a source lake, which leaves a history of versions. For a query those
tables are cloned by hard links at the version before the first change; a change then *arrives* when the commits that
made it are linked into the clones' logs, as if another writer had just committed. That takes milliseconds, and no
query runs on tables worn by the changes of the queries before it.
Invariant: after `arrive(step)` a clone stands exactly at `step.versions`, with the source's files and change feed.
Complexity: making a change rewrites the files its deletes reach, seconds; a clone costs one link per file.
Limits: the folder of the clones should be on the file system of the source, else files are copied.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds
from deltalake import DeltaTable, WriterProperties

from headwater.bench.changes import Change, ChangeStream, Integers, Pattern, Templates
from headwater.bench.results import RowChange

if TYPE_CHECKING:
    from headwater.api.table import Table

CHANGING = ("orders", "lineitem")
KEYS = {"orders": "o_orderkey", "lineitem": "l_orderkey"}
TEMPLATE_ORDERS = 20_000  # so many existing orders, and their items, are what new ones are made from
ROWS_PER_GROUP = 131_072  # of the files that deletes rewrite; as the lake's own writer
LOG = "_delta_log"


@dataclass(frozen=True)
class Step:
    """One change: its rate in percent, whether it is measured or warms up, and what it did per changing table."""

    rate: float
    measured: bool
    versions: Mapping[str, int]
    changes: Mapping[str, RowChange]


@dataclass(frozen=True)
class Timeline:
    """Tables with a history of changes: where each is, the version before the first change, and the changes."""

    paths: Mapping[str, Path]
    base: Mapping[str, int]
    steps: tuple[Step, ...]


def plan_steps(rates: Sequence[float], repeats: int) -> list[tuple[float, bool]]:
    """(rate, measured) in order: per rate one change to warm up with, then those that are measured."""
    return [(rate, at > 0) for rate in rates for at in range(repeats + 1)]


def make_timeline(
    tables: Mapping[str, Table],
    plan: Sequence[tuple[float, bool]],
    pattern: Pattern,
    seed: int,
    made: Callable[[int, Step], None] = lambda steps, step: None,
) -> Timeline:
    """Apply the planned changes to orders and lineitem; `made` is told of each, and how many there are now."""
    base = {name: DeltaTable(table.path).version() for name, table in tables.items()}
    stream = change_stream({name: tables[name].path for name in CHANGING}, seed, pattern)
    steps = []
    for rate, measured in plan:
        change = stream.next(rate / 100)
        changes = {name: apply_change(tables[name], name, change) for name in CHANGING}
        versions = {name: DeltaTable(tables[name].path).version() for name in CHANGING}
        steps.append(Step(rate, measured, versions, changes))
        made(len(steps), steps[-1])
    return Timeline({name: Path(table.path) for name, table in tables.items()}, base, tuple(steps))


def change_stream(paths: Mapping[str, str], seed: int, pattern: Pattern) -> ChangeStream:
    """A stream over the tables as they are, new rows made from a sample of theirs."""
    orders, lineitem = (ds.dataset(DeltaTable(paths[name]).file_uris()) for name in CHANGING)
    keys = orders.to_table(columns=[KEYS["orders"]]).column(0).to_numpy()
    sample = np.random.default_rng(seed).choice(keys, min(TEMPLATE_ORDERS, len(keys)), replace=False)
    templates = Templates(_rows_of(orders, "orders", sample), _rows_of(lineitem, "lineitem", sample))
    return ChangeStream(keys, templates, seed, pattern)


def _rows_of(data: ds.Dataset, name: str, keys: Integers) -> pa.Table:
    return data.to_table(filter=ds.field(KEYS[name]).isin(pa.array(keys)))


def apply_change(table: Table, name: str, change: Change) -> RowChange:
    """Insert and delete on one table, as two versions; the rows that came and went."""
    inserted = change.orders if name == "orders" else change.lineitem
    table.append(inserted)
    return RowChange(inserted.num_rows, _delete(table.path, KEYS[name], change.deleted))


def _delete(path: str, column: str, keys: Integers) -> int:
    """Delete the rows with these keys; how many there were.

    As a merge: delta-rs evaluates `column IN (...)` recursively, and 30,000 keys overflow its stack.
    """
    properties = WriterProperties(compression="SNAPPY", max_row_group_size=ROWS_PER_GROUP)
    merge = DeltaTable(path).merge(
        pa.table({"gone": keys}),
        f"old.{column} = new.gone",
        source_alias="new",
        target_alias="old",
        writer_properties=properties,
    )
    return int(merge.when_matched_delete().execute()["num_target_rows_deleted"])


class Replay:
    """Clones of a timeline's tables in a folder, at the version before the first change."""

    def __init__(self, timeline: Timeline, names: Iterable[str], folder: Path) -> None:
        self._timeline = timeline
        self._shown = {name: timeline.base[name] for name in names}
        self.paths = {name: folder / name for name in self._shown}
        for name, target in self.paths.items():
            _link_tree(timeline.paths[name], target)
            _link_commits(timeline.paths[name], target, range(timeline.base[name] + 1))

    def arrive(self, step: Step) -> None:
        """Let a change become visible; steps must come in their order."""
        for name in step.versions.keys() & self._shown.keys():
            until = step.versions[name]
            _link_commits(self._timeline.paths[name], self.paths[name], range(self._shown[name] + 1, until + 1))
            self._shown[name] = until

    def files(self) -> dict[str, list[str]]:
        """The data files of each table as it stands."""
        return {name: DeltaTable(path).file_uris() for name, path in self.paths.items()}


def _link_tree(source: Path, target: Path) -> None:
    """Everything but the log."""
    for folder, folders, names in os.walk(source):
        if LOG in folders:
            folders.remove(LOG)
        there = target / os.path.relpath(folder, source)
        there.mkdir(parents=True, exist_ok=True)
        for name in names:
            _link(Path(folder) / name, there / name)


def _link_commits(source: Path, target: Path, versions: Iterable[int]) -> None:
    (target / LOG).mkdir(exist_ok=True)
    for version in versions:
        name = f"{version:020d}.json"
        _link(source / LOG / name, target / LOG / name)


def _link(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except OSError:  # another file system, or one without hard links
        shutil.copy2(source, target)
