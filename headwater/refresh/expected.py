"""The next change of a view's tables, from what their logs, their feeds and the view's own log say.

Idea: the view's log tells at which versions its refreshes stopped and when; each table's log what came in between.
`state.predictors` judges; here the evidence is only gathered.
Invariant: no data file is read.
Complexity: the last commits of the view and of each table, bounded; each is parsed once per process.
Limits: refreshes that found nothing leave no commit, so the usual interval is that between changes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Protocol

from headwater.lake.arrivals import Arrivals
from headwater.refresh.report import Cursor
from headwater.refresh.standing import Stop
from headwater.state.declarations import Declaration
from headwater.state.expectation import ExpectedChange, arrived
from headwater.state.predictors import Evidence, Horizon, broken, expect


class Arriving(Protocol):
    """A folder that counts what came."""

    def latest(self) -> int: ...
    def rows(self) -> int | None: ...
    def arrivals(self) -> Arrivals: ...


@dataclass(frozen=True)
class Watched:
    """A base table: its folder, what its feed declared, and the folder of the table that it arrives like."""

    folder: Arriving
    declared: Declaration | None = None
    like: Arriving | None = None


def expected_change(
    tables: Mapping[str, Watched],
    stops: Sequence[Stop],
    target: Cursor,
    now: float,
    interval: float | None = None,
) -> ExpectedChange:
    """What comes after `target`. `interval`: seconds until the refresh after that one, where a schedule says."""
    usual = usual_interval(stops)
    horizon = Horizon(now, usual if interval is None else interval, usual)
    found = {name: _evidence(name, table, _steps(name, stops, target)) for name, table in tables.items()}
    return ExpectedChange({name: expect(evidence, horizon) for name, evidence in found.items()})


def arrived_change(tables: Mapping[str, Watched], since: Cursor, target: Cursor) -> ExpectedChange:
    """What the refresh from one cursor to another meets; of a cursor far behind, the last arrivals only."""
    counts = {}
    for name, table in tables.items():
        seen = table.folder.arrivals().seen
        inside = [one for one in seen if since[name] < one.version <= target[name]]
        counts[name] = (sum(one.inserts for one in inside), sum(one.deletes for one in inside))
    return arrived(counts)


def newly_broken(tables: Mapping[str, Watched], before: Cursor, after: Cursor) -> tuple[str, ...]:
    """The declarations of completeness that the change from one cursor to another broke, a sentence each."""
    found = []
    for name, table in tables.items():
        if table.declared is not None and table.declared.complete:
            version = _evidence(name, table, ()).broken_by
            if version is not None and before.get(name, version) < version <= after[name]:
                found.append(broken(name, table.declared, version))
    return tuple(found)


def usual_interval(stops: Sequence[Stop]) -> float | None:
    """Seconds between refreshes, the median of the last ones."""
    gaps = [after.at - before.at for before, after in pairwise(stops) if after.at > before.at]
    return median(gaps) if gaps else None


def _steps(table: str, stops: Sequence[Stop], target: Cursor) -> tuple[int, ...]:
    """The versions that the refreshes stopped at; the one about to run counts for all tables once any has moved."""
    cursors = [stop.cursor for stop in stops if table in stop.cursor]
    if cursors and any(cursors[-1].get(name) != version for name, version in target.items()):
        cursors.append(target)
    return tuple(cursor[table] for cursor in cursors)


def _evidence(name: str, table: Watched, steps: tuple[int, ...]) -> Evidence:
    table.folder.latest()
    like = table.like.arrivals() if table.like is not None else None
    return Evidence(name, table.folder.rows(), table.folder.arrivals(), steps, table.declared, like)
