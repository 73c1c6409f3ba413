"""Where an expectation comes from: the sources in order of precedence, one small pure class each.

    Declared     the feed said so
    Lateness     earlier periods of the table, or the table it was declared to arrive like, show how late rows come
    Tail         the intervals of this period shrink geometrically
    Rate         what recent changes brought
    Default      nothing is known

Idea: each source looks at the same evidence (a table's arrivals, cut at the versions that the view's refreshes stopped
at) and answers or passes. The two that follow lateness speak of inserts; deletes always go by their own recent rate.
Invariant: pure functions of the evidence, the clock included; some source always answers.
Complexity: linear in the arrivals looked at (at most 32 per table).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from statistics import median
from typing import Protocol

from headwater.errors import HeadwaterError
from headwater.lake.arrivals import Arrival, Arrivals
from headwater.state.declarations import Declaration
from headwater.state.expectation import DECLARED, DEFAULT, LATENESS, LONG_TAIL, RATE, SOME_ROWS, Expected, counted
from headwater.state.lateness import Dated, LatenessCdf, faded, fading, learn_lateness, split_periods

HALF_LIFE = 2.0  # changes after which one counts half: follows a new pace within a few refreshes
OUTLIER = 5.0  # a change is taken for at most so many times the median one: a backfill is not a pace
QUIET_CHANGES = 3  # so many changes of the view without this table, and it is taken for quiet,
QUIET_FACTOR = 2  # unless it has paused half as long before and then gone on
DEFAULT_SHARE = 0.01  # of the table's rows, as in the paper's experiments on change processing
DEFAULT_ROWS = 1_000.0  # where the log does not say how many rows there are
NOTHING_SEEN = Arrivals()


@dataclass(frozen=True)
class Horizon:
    """When: the time now, and how long until the next refresh (seconds, where known)."""

    now: float
    interval: float | None = None  # until the next refresh, by the view's schedule or as usual
    usual: float | None = None  # between its refreshes so far

    @property
    def scale(self) -> float:
        """How many of the view's usual intervals the next one is."""
        return self.interval / self.usual if self.interval and self.usual else 1.0


@dataclass(frozen=True)
class Evidence:
    """What is known of a table. `steps`: its versions at which the view's last refreshes stopped, oldest first, the one
    that is about to run included."""

    table: str
    rows: int | None = None
    arrivals: Arrivals = NOTHING_SEEN
    steps: tuple[int, ...] = ()
    declared: Declaration | None = None
    like: Arrivals | None = None

    @cached_property
    def changes(self) -> tuple[tuple[int, int], ...]:
        """Inserts and deletes of the last changes, oldest first, the first load included: as the view met them, and
        commit by commit before there was a view."""
        first = self.steps[0] if self.steps else None
        before = [(one.inserts, one.deletes) for one in self.arrivals.seen if first is None or one.version <= first]
        met = [self._between(since, until) for since, until in pairwise(self.steps) if since >= self._known_since]
        return (*before, *met)

    @property
    def _known_since(self) -> int:
        """The version from which on all arrivals are known."""
        seen = self.arrivals.seen
        return -1 if self.arrivals.from_start or not seen else seen[0].version - 1

    def _between(self, since: int, until: int) -> tuple[int, int]:
        inside = [one for one in self.arrivals.seen if since < one.version <= until]
        return sum(one.inserts for one in inside), sum(one.deletes for one in inside)

    @cached_property
    def after_load(self) -> tuple[tuple[int, int], ...]:
        """The changes without the first load, which says nothing about the pace."""
        some = next((at for at, change in enumerate(self.changes) if any(change)), len(self.changes))
        return self.changes[some + 1 :] if self.arrivals.from_start else self.changes[some:]

    @property
    def broken_by(self) -> int | None:
        """The version that changed a table which was declared complete."""
        if self.declared is None:
            return None
        return next((one.version for one in self.arrivals.seen if self.declared.broken_at(one.version)), None)


class Source(Protocol):
    """Answers with an expectation, or passes with None."""

    def expect(self, evidence: Evidence, horizon: Horizon) -> Expected | None: ...


class Declared:
    """What the feed said, unless it said that the table is complete and the table changed nevertheless."""

    def expect(self, evidence: Evidence, horizon: Horizon) -> Expected | None:
        said = evidence.declared
        if said is None or said.like is not None or evidence.broken_by is not None:
            return None
        return Expected(said.inserts, said.deletes, said.complete, DECLARED, "stays until it is replaced")


class Lateness:
    """The empirical distribution of how late rows come, from earlier periods or from a table that arrived alike."""

    def expect(self, evidence: Evidence, horizon: Horizon) -> Expected | None:
        periods = split_periods(_inserted(evidence.arrivals.seen))
        learned = _learn(evidence, periods)
        if learned is None or not periods:
            return None
        current, (cdf, taught_by) = periods[-1], learned
        rows, since = sum(size for _, size in current), max(0.0, horizon.now - current[0][0])
        left = cdf.remainder(rows, since)
        gaps = [after - before for (before, _), (after, _) in pairwise(current)]
        ahead = horizon.interval or (median(gaps) if gaps else 0.0) or math.inf
        why = f"by {taught_by}, {cdf(since):.2%} has come after {since:,.0f} s; {counted(left, 'row')} to come"
        return _fade_out(evidence, horizon, min(left, cdf.next(rows, since, ahead)), left, LATENESS, why)


def _learn(evidence: Evidence, periods: Sequence[Sequence[Dated]]) -> tuple[LatenessCdf, str] | None:
    """F and who taught it. Periods teach only if every one of them faded: otherwise the table just varies."""
    if evidence.like is not None and evidence.declared is not None:
        cdf = learn_lateness(split_periods(_inserted(evidence.like.seen)))
        return None if cdf is None else (cdf, f"table {evidence.declared.like}")
    earlier = periods[:-1] if evidence.arrivals.from_start else periods[1:-1]
    cdf = learn_lateness(earlier) if earlier and all(map(faded, earlier)) else None
    return None if cdf is None else (cdf, f"{counted(len(earlier), 'earlier period')}")


def _inserted(arrivals: Sequence[Arrival]) -> list[Dated]:
    return [(one.at, float(one.inserts)) for one in arrivals if one.inserts]


class Tail:
    """The geometric long tail, fitted to the intervals of the present period."""

    def expect(self, evidence: Evidence, horizon: Horizon) -> Expected | None:
        changes = evidence.changes if evidence.arrivals.from_start else evidence.after_load
        found = fading([inserts for inserts, _ in changes])
        if found is None:
            return None
        tail, run = found
        left = tail.remainder(sum(run), len(run))
        why = f"p = {tail.p:.2f}, fitted to {len(run)} intervals; {counted(left, 'row')} to come"
        return _fade_out(evidence, horizon, tail.next(sum(run), len(run), horizon.scale), left, LONG_TAIL, why)


def _fade_out(evidence: Evidence, horizon: Horizon, inserts: float, left: float, source: str, why: str) -> Expected:
    """Complete when less than one row is still to come and nothing is being deleted."""
    deletes = (recent([deletes for _, deletes in evidence.after_load]) or 0.0) * horizon.scale
    if left < SOME_ROWS:
        return Expected(0.0, deletes, not deletes, source, why)
    return Expected(inserts, deletes, False, source, why)


class Rate:
    """What recent changes brought, inserts and deletes apart; nothing once the table has been quiet."""

    def expect(self, evidence: Evidence, horizon: Horizon) -> Expected | None:
        changes = evidence.after_load
        inserts, deletes = (recent([change[kind] for change in changes]) for kind in (0, 1))
        if not inserts and not deletes and len(changes) < QUIET_CHANGES:
            return None
        why = f"the last {counted(len(changes), 'change')}" if inserts or deletes else "it has been quiet"
        return Expected((inserts or 0.0) * horizon.scale, (deletes or 0.0) * horizon.scale, False, RATE, why)


def recent(sizes: Sequence[float]) -> float | None:
    """What a change brings of late: the mean, the last ones weighing most, outliers cut; 0 once it is quiet."""
    some = [size for size in sizes if size]
    if not sizes or _quiet(sizes):
        return 0.0 if sizes else None
    most = OUTLIER * median(some) if some else 0.0
    weights = [0.5 ** (age / HALF_LIFE) for age in range(len(sizes))]
    weighed = sum(weight * min(size, most) for weight, size in zip(weights, reversed(sizes), strict=True))
    return weighed / sum(weights)


def _quiet(sizes: Sequence[float]) -> bool:
    """Nothing for some changes now, and for longer than the table has paused before."""
    busy = [at for at, size in enumerate(sizes) if size]
    if not busy:
        return len(sizes) >= QUIET_CHANGES
    pauses = [after - before - 1 for before, after in pairwise(busy)]
    return len(sizes) - 1 - busy[-1] >= max(QUIET_CHANGES, QUIET_FACTOR * max(pauses, default=0))


class Default:
    """A small share of the table, as inserts."""

    def expect(self, evidence: Evidence, horizon: Horizon) -> Expected:
        if evidence.rows is None:
            return Expected(DEFAULT_ROWS, 0.0, False, DEFAULT, "nothing is known yet")
        rows = max(SOME_ROWS, DEFAULT_SHARE * evidence.rows)
        return Expected(rows, 0.0, False, DEFAULT, f"nothing is known yet; {DEFAULT_SHARE:.0%} of its rows")


SOURCES: tuple[Source, ...] = (Declared(), Lateness(), Tail(), Rate(), Default())


def expect(evidence: Evidence, horizon: Horizon) -> Expected:
    """A table's next change, from the first source that knows."""
    known = (source.expect(evidence, horizon) for source in SOURCES)
    expected = next(found for found in known if found is not None)
    note = _note(evidence)
    return replace(expected, why=f"{expected.why}. {note}") if note else expected


def _note(evidence: Evidence) -> str:
    """Why a declaration is not followed."""
    said, broken_by = evidence.declared, evidence.broken_by
    if said is not None and broken_by is not None:
        return broken(evidence.table, said, broken_by)
    if said is not None and said.like is not None and evidence.like is None:
        return HeadwaterError("expect.like", table=evidence.table, like=said.like, why="it is no longer there").sentence
    return ""


def broken(table: str, said: Declaration, version: int) -> str:
    """The sentence on a declaration of completeness that proved wrong."""
    return HeadwaterError("expect.broken", table=table, declared=said.version, version=version).sentence
