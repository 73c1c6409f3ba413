"""What the work of a refresh costs: seconds a row, by the lane that does it and the place where a past lives.

Idea: a handful of named constants, each with a sentence on where it comes from, is all that the actions' formulas know
of the machine. They are defaults: `calibrated` fits them to a short probe's samples, and `corrected` lets the view's
own history pull them, each time by part of the way and never out of bounds.
Invariant: every constant is positive, so more rows never cost less and a state never costs less than nothing.
Limits: linear in rows. What a state costs to read by key is the lower of probing and scanning (`looked_up`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import combinations
from statistics import median
from typing import TypeVar

DISK, EXECUTORS, PROCESS = "disk", "executors", "process"  # where a past lives; one that is not stored is recomputed
PLACES = (DISK, EXECUTORS, PROCESS)


@dataclass(frozen=True)
class PlaceCosts:
    """A stored past in one place: seconds a row, seconds a statement, and how densely it is held."""

    scan: float  # read it whole
    probe: float  # find the rows of one key
    write: float  # build it (the paper's C_mat and C_B)
    insert: float  # append a row that the change brings (C_I)
    delete: float  # append the row that cancels another, and fold the two later
    append: float  # seconds of every append, however small
    density: float  # bytes held for each byte of the rows as they are typed


@dataclass(frozen=True)
class Costs:
    """One lane's constants, in seconds a row unless something else is said."""

    lane: str
    scan: float  # read a row of a table
    pipeline: float  # pass a row through filters and projections
    hash_build: float  # put a row into a hash table
    hash_join: float  # probe a hash table with a row, or give out a joined one
    merge: float  # merge a sorted row
    sort: float  # sort a row, comparisons of a million rows included
    aggregate: float  # add a row to its group
    compare: float  # compare a pair of rows
    statement: float  # seconds of every statement, however small
    disk: PlaceCosts
    executors: PlaceCosts
    process: PlaceCosts
    kept_share: float = 1.0  # of building a state, what is left to pay where the batch builds it anyway

    def place(self, name: str) -> PlaceCosts:
        found: PlaceCosts = getattr(self, name)
        return found


# On two cores, from docs/performance.md and `headwater bench floor`; the compute constants are of TPC-H at scale 1.
SPARK = Costs(
    lane="spark",
    scan=5e-8,  # 6 million rows in four columns take 0.25-0.33 s
    pipeline=1e-8,  # Q6 filters and sums them in little more than the scan
    hash_build=2e-7,  # a broadcast is a job of its own
    hash_join=1e-7,  # Q5's five joins over 7.5 million rows in 2.3 s
    merge=2e-7,  # both sides pass an exchange
    sort=5e-7,  # a sorted write of 6 million rows in 3 s
    aggregate=4e-7,  # Q1: eight sums over 6 million rows in 2-3 s
    compare=2e-9,  # generated code compares some hundred million pairs a second and core
    statement=0.12,  # parsing to planning 0.05-0.25 s, one job 0.05-0.08 s
    disk=PlaceCosts(
        scan=5e-8,  # a past is read as any table is
        probe=1e-6,  # 60,000 rows found by key in 6 million take 55 ms
        write=5e-7,  # sorted by key and written
        insert=1e-6,  # 1,500 rows in 7-11 ms, nearly all of it the commit
        delete=2e-6,  # written as an insert is, and once more when it is folded with the row that it cancels
        append=0.03,  # a statement's share and a commit
        density=0.4,  # Parquet, compressed
    ),
    executors=PlaceCosts(
        scan=4.5e-8,  # no faster than the page cache: 0.23-0.33 s for 6 million rows
        probe=1e-6,  # looked up in the copy on disk
        write=1.1e-6,  # written, and cached: 3.5 s for 6 million rows
        insert=1e-6,
        delete=2e-6,
        append=0.05,  # the cached copy takes a union with the segment
        density=0.5,  # 12 MB for a million rows of three columns
    ),
    process=PlaceCosts(
        scan=5e-8,  # Spark reads the copy on disk
        probe=5e-7,  # a sorted copy is at hand
        write=5.3e-7,  # written, and loaded: 0.17 s for 6 million rows
        insert=1e-6,
        delete=2e-6,
        append=0.03,
        density=1.0,  # held as it is typed
    ),
)
LOCAL = Costs(
    lane="local",
    scan=1.5e-8,  # the whole of Q5 over 7.5 million rows from Parquet in 0.10 s
    pipeline=2e-9,
    hash_build=2e-8,
    hash_join=1e-8,
    merge=2e-8,
    sort=1e-7,
    aggregate=1e-8,
    compare=1e-9,
    statement=0.004,  # 15 ms for four statements, most of it planning
    disk=PlaceCosts(
        scan=1.5e-8,
        probe=1e-6,  # 60,000 rows found by key in 6 million take 55 ms
        write=5e-7,  # Spark builds it, sorted by key
        insert=1e-6,
        delete=2e-6,
        append=0.01,  # 7-11 ms a commit
        density=0.4,
    ),
    executors=PlaceCosts(scan=1.5e-8, probe=1e-6, write=1.1e-6, insert=1e-6, delete=2e-6, append=0.01, density=0.5),
    process=PlaceCosts(
        scan=5e-9,  # resident rows
        probe=2e-7,
        write=5.3e-7,
        insert=1e-6,  # on disk and in the process
        delete=2e-6,
        append=0.01,
        density=1.0,
    ),
)
LANES = {costs.lane: costs for costs in (SPARK, LOCAL)}


def looked_up(place: PlaceCosts, keys: float, rows: float, keyed: bool) -> float:
    """Reading a stored past's rows for some keys: by probing it, or by scanning it where that is less."""
    return min(place.probe * keys, place.scan * rows) if keyed else place.scan * rows


# -- corrected by history

FULL, REFRESH, BUILD = "full", "refresh", "build"  # kinds of work whose seconds are predicted and measured
COMPUTE = ("scan", "pipeline", "hash_build", "hash_join", "merge", "sort", "aggregate", "compare")
OF_LANE = {FULL: COMPUTE, REFRESH: ("statement",), BUILD: ()}
OF_PLACES = {FULL: (), REFRESH: ("scan", "probe", "insert", "delete", "append"), BUILD: ("write",)}
DAMPING = 0.5  # of the distance in logarithms: one pause of the machine moves a constant by half of what it showed
FARTHEST = 4.0  # one measurement moves a constant by this factor at most
BOUND = 100.0  # and all of them together by this one: beyond it the model is wrong, not the machine

T = TypeVar("T", Costs, PlaceCosts)


def corrected(costs: Costs, work: str, predicted: float, measured: float, default: Costs | None = None) -> Costs:
    """The constants of one kind of work, scaled towards what a run took, by half the way and within bounds of
    `default` (the lane's own)."""
    if predicted <= 0 or measured <= 0:
        return costs
    ratio = min(FARTHEST, max(1 / FARTHEST, (measured / predicted) ** DAMPING))
    usual = default or LANES.get(costs.lane, costs)
    names = OF_PLACES[work]
    moved = _scaled(costs, usual, OF_LANE[work], ratio)
    return replace(
        moved,
        disk=_scaled(costs.disk, usual.disk, names, ratio),
        executors=_scaled(costs.executors, usual.executors, names, ratio),
        process=_scaled(costs.process, usual.process, names, ratio),
    )


def _scaled(now: T, usual: T, names: Iterable[str], ratio: float) -> T:
    def within(name: str) -> float:
        common = getattr(usual, name)
        return min(BOUND * common, max(common / BOUND, ratio * getattr(now, name)))

    return _with(now, {name: within(name) for name in names})


def _with(costs: T, values: dict[str, float]) -> T:
    changed: T = replace(costs, **values)  # type: ignore[arg-type]  # every named constant is a float
    return changed


# -- fitted to a probe


@dataclass(frozen=True)
class Sample:
    """What a probe has measured: one constant's work over so many rows; `place` for a stored past's."""

    constant: str
    rows: float
    seconds: float
    place: str | None = None


FLOORS = ("statement", "append")  # constants that are seconds, not seconds a row


def calibrated(costs: Costs, samples: Iterable[Sample]) -> Costs:
    """The constants that a probe has measured, a row's at two sizes or more, by the median slope between them (Theil
    and Sen: a pause in one run is not taken for the cost); whatever is not measured stays."""
    grouped: dict[tuple[str | None, str], list[Sample]] = {}
    for sample in samples:
        grouped.setdefault((sample.place, sample.constant), []).append(sample)
    for (place, constant), found in grouped.items():
        value = median(each.seconds for each in found) if constant in FLOORS else _slope(found)
        if value <= 0:
            continue
        if place is None:
            costs = _with(costs, {constant: value})
        else:
            costs = replace(costs, **{place: _with(costs.place(place), {constant: value})})  # type: ignore[arg-type]
    return costs


def _slope(samples: list[Sample]) -> float:
    slopes = [(b.seconds - a.seconds) / (b.rows - a.rows) for a, b in combinations(samples, 2) if a.rows != b.rows]
    return median(slopes) if slopes else 0.0
