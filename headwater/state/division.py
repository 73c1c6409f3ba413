"""One memory budget for a lake, divided among its views by what each saves with it.

    seconds saved per second of life = sum over views of   refreshes per second x (cost(0) - cost(m))

Idea: every view's selection yields its cost as a step function of memory (`Selection.curve`). `by_hull` follows the
lower convex hulls of those functions, the steepest piece first: what is left at the end is less than one piece, so it
loses at most what that piece would have saved. `exactly` is the dynamic program over all steps and is taken while few
sums of steps are undominated (`FRONT`): lakes have tens of views with tens of steps each, and few of their sums are.
Invariant: shares add up to at most the budget, each at a step of its view's curve, and the whole never costs more than
with less memory (for `exactly`; the hull's loss is bounded as said).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

Curve = Sequence[tuple[float, float]]  # (bytes, seconds of a refresh), from no bytes on, falling
GIGABYTE = 1e9
FRONT = 20_000  # undominated sums of steps that are carried along: a second of work for a lake of a hundred views


@dataclass(frozen=True)
class Demand:
    """What a view makes of memory, and how often it is refreshed."""

    curve: Curve
    refreshes: float = 1.0  # per second, or in any unit of time that all views share

    def saved(self, size: float) -> float:
        """Seconds saved per unit of time with so many bytes."""
        place = bisect_right(self.curve, size, key=lambda step: step[0]) - 1
        return self.refreshes * (self.curve[0][1] - self.curve[max(0, place)][1])


@dataclass(frozen=True)
class Division:
    """Who gets how many bytes, what that saves, and what one more gigabyte would save on top."""

    shares: Mapping[str, float]
    saved: float
    next_gigabyte: float
    method: str
    reason: str


def divide(demands: Mapping[str, Demand], budget: float) -> Division:
    """The budget's best division, exactly where that is little work."""
    found = exactly(demands, budget)
    more = exactly(demands, budget + GIGABYTE)
    if found is not None and more is not None:
        reason = "every sum of the views' steps was looked at"
        return Division(found, saved(demands, found), saved(demands, more) - saved(demands, found), "exact", reason)
    shares, larger = by_hull(demands, budget), by_hull(demands, budget + GIGABYTE)
    reason = f"the views' steps have more than {FRONT:,} undominated sums"
    gain = max(0.0, saved(demands, larger) - saved(demands, shares))
    return Division(shares, saved(demands, shares), gain, "hull", reason)


def saved(demands: Mapping[str, Demand], shares: Mapping[str, float]) -> float:
    return sum(demand.saved(shares[name]) for name, demand in demands.items())


# -- greedily


@dataclass(frozen=True)
class Piece:
    """From one corner of a hull to the next."""

    view: str
    end: float  # bytes at its end
    size: float
    gain: float

    @property
    def slope(self) -> float:
        return self.gain / self.size


def by_hull(demands: Mapping[str, Demand], budget: float) -> dict[str, float]:
    """The steepest pieces first; a piece that no longer fits ends its view's turn, and single steps use up what is
    left."""
    shares, left = dict.fromkeys(demands, 0.0), budget
    stopped: set[str] = set()
    pieces = [piece for name, demand in demands.items() for piece in hull(name, demand)]
    for piece in sorted(pieces, key=lambda each: -each.slope):
        if piece.view in stopped:
            continue
        if piece.size > left:
            stopped.add(piece.view)
            continue
        shares[piece.view] = piece.end
        left -= piece.size
    return _used_up(demands, shares, left)


def hull(name: str, demand: Demand) -> list[Piece]:
    """The pieces of a curve's lower convex hull; along them every byte saves less than the one before."""
    corners: list[tuple[float, float]] = []
    for at, _ in demand.curve:
        point = (at, demand.saved(at))
        while len(corners) > 1 and not _steeper(corners[-2], corners[-1], point):
            corners.pop()
        corners.append(point)
    between = pairwise(corners)
    return [Piece(name, b[0], b[0] - a[0], b[1] - a[1]) for a, b in between if b[0] > a[0]]


def _steeper(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> bool:
    """Whether the way from a to b gains more a byte than that from b to c."""
    return (b[1] - a[1]) * (c[0] - b[0]) > (c[1] - b[1]) * (b[0] - a[0])


def _used_up(demands: Mapping[str, Demand], shares: dict[str, float], left: float) -> dict[str, float]:
    """What is left goes to the step that saves most among those that it pays for, and so on."""
    while True:
        steps = [(name, at) for name in demands for at, _ in demands[name].curve if 0 < at - shares[name] <= left]
        gains = [(demands[name].saved(at) - demands[name].saved(shares[name]), name, at) for name, at in steps]
        gain, name, at = max(gains, default=(0.0, "", 0.0))
        if gain <= 0:
            return shares
        left -= at - shares[name]
        shares[name] = at


# -- exactly


def exactly(demands: Mapping[str, Demand], budget: float) -> dict[str, float] | None:
    """The best of all divisions at steps of the curves; None when too many of their sums are worth a look."""
    fronts: list[list[Sum]] = []
    front = [Sum(0.0, 0.0, 0, 0.0)]
    for demand in demands.values():
        if len(front) * len(demand.curve) > 20 * FRONT:
            return None
        front = undominated(
            Sum(each.size + at, each.saved + demand.saved(at), place, at)
            for place, each in enumerate(front)
            for at, _ in demand.curve
            if each.size + at <= budget
        )
        if len(front) > FRONT:
            return None
        fronts.append(front)
    return _traced(demands, fronts)


@dataclass(frozen=True)
class Sum:
    """Some views' memory together, what it saves, and how the sum came about."""

    size: float
    saved: float
    before: int  # its place in the front of the views before the last
    share: float  # of the last


def undominated(sums: Iterable[Sum]) -> list[Sum]:
    """Those that save more than every smaller one."""
    found: list[Sum] = []
    for each in sorted(sums, key=lambda one: (one.size, -one.saved)):
        if not found or each.saved > found[-1].saved:
            found.append(each)
    return found


def _traced(demands: Mapping[str, Demand], fronts: list[list[Sum]]) -> dict[str, float]:
    shares: dict[str, float] = {}
    place = -1
    for name, front in zip(reversed(list(demands)), reversed(fronts), strict=True):
        shares[name] = front[place].share
        place = front[place].before
    return {name: shares[name] for name in demands}
