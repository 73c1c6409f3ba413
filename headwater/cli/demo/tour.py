"""Does the tour on a lake and yields what happened, step by step; shows nothing itself.

Idea: each scene changes base tables, refreshes both views, then does what Spark without Headwater would do: evaluate
the views' own SQL over the same versions and write the result. Both sides run in the same warm session.
Invariant: the recompute writes elsewhere; the views are only ever moved by their refreshes.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from headwater.cli.demo.flights import Arrivals
from headwater.cli.demo.scenes import VIEWS, Scene, append, scenes

WEIGHT = "_hw_weight"
WARM_UPS = 2  # recomputes before the first that counts


@dataclass(frozen=True)
class Loaded:
    """The base tables are there: rows of each."""

    tables: dict[str, int]
    seconds: float


@dataclass(frozen=True)
class Built:
    """A view was built for the first time."""

    view: str
    definition: str
    rows: int
    seconds: float


@dataclass(frozen=True)
class Compared:
    """One view in one scene: its refresh beside its recompute."""

    view: str
    strategy: str
    lane: str
    rows_changed: int
    rows: int
    seconds: float
    upkeep_seconds: float
    jobs: int
    recompute_seconds: float
    ratio: float


@dataclass(frozen=True)
class Played:
    """A scene: rows added to and removed from each table, and both views."""

    scene: Scene
    added: dict[str, int]
    removed: dict[str, int]
    views: tuple[Compared, ...]


@dataclass(frozen=True)
class Verified:
    verifications: tuple[Any, ...]


Step = Loaded | Built | Played | Verified


def tour(lake: Any, arrivals: Arrivals, days: int) -> Iterator[Step]:
    yield _load(lake, arrivals.loaded)
    for name, sql in VIEWS.items():
        yield _build(lake, name, sql)
    with tempfile.TemporaryDirectory(prefix="headwater-demo-") as scratch:
        _warm_up(lake, arrivals, Path(scratch))
        for scene in scenes(arrivals, days):
            yield _play(lake, scene, Path(scratch))
    yield Verified(tuple(lake.view(name).verify() for name in VIEWS))


def _load(lake: Any, tables: dict[str, Any]) -> Loaded:
    started = time.perf_counter()
    for name, rows in tables.items():
        lake.progress("loading", name)
        lake.create_table(name, rows)
    return Loaded({name: rows.num_rows for name, rows in tables.items()}, time.perf_counter() - started)


def _build(lake: Any, name: str, sql: str) -> Built:
    started = time.perf_counter()
    view = lake.create_view(name, sql)
    return Built(name, sql, view.rows, time.perf_counter() - started)


def _warm_up(lake: Any, arrivals: Arrivals, scratch: Path) -> None:
    """Both sides once or twice, so that neither is measured on a cold JVM."""
    append(lake, arrivals.rehearsal)
    for name in VIEWS:
        lake.view(name).refresh()
    for _ in range(WARM_UPS):
        for name, sql in VIEWS.items():
            lake.progress("warming up", name)
            _recompute(lake, sql, scratch / name)


def _play(lake: Any, scene: Scene, scratch: Path) -> Played:
    before = {table.name: table.version for table in lake.tables()}
    lake.progress("changing the tables", "")
    scene.change(lake)
    refreshes = {name: lake.view(name).refresh() for name in VIEWS}
    compared = []
    for name, sql in VIEWS.items():
        lake.progress("recomputing for comparison", name)
        compared.append(_compared(lake.view(name), refreshes[name], _recompute(lake, sql, scratch / name)))
    added, removed = _touched(lake, before)
    return Played(scene, added, removed, tuple(compared))


def _recompute(lake: Any, sql: str, target: Path) -> float:
    """Seconds that Spark needs to evaluate a view's SQL over the tables as they are and to write the result."""
    started = time.perf_counter()
    lake.sql(sql).write.mode("overwrite").parquet(str(target))
    return time.perf_counter() - started


def _compared(view: Any, refresh: Any, recompute_seconds: float) -> Compared:
    return Compared(
        view=view.name,
        strategy=refresh.strategy,
        lane=refresh.lane,
        rows_changed=refresh.rows_changed,
        rows=view.rows,
        seconds=refresh.seconds,
        upkeep_seconds=refresh.upkeep_seconds,
        jobs=refresh.jobs,
        recompute_seconds=recompute_seconds,
        ratio=recompute_seconds / refresh.seconds,
    )


def _touched(lake: Any, before: dict[str, int]) -> tuple[dict[str, int], dict[str, int]]:
    """Rows added to and removed from each table since those versions."""
    added: dict[str, int] = {}
    removed: dict[str, int] = {}
    for table in lake.tables():
        if table.version > before[table.name]:
            weights = table.changes(before[table.name]).column(WEIGHT).to_pylist()
            added[table.name] = sum(weight for weight in weights if weight > 0)
            removed[table.name] = -sum(weight for weight in weights if weight < 0)
    return added, removed
