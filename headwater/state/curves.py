"""Cost as a function of memory: a step function that never rises, kept as the few points where it falls.

    cost                      at   = [0, 3, 7]          units of memory
     9 |###                   cost = [9, 5, 2]
     5 |   ####
     2 |       #######
       +---------------> m

Idea: states are few and large, so a cost that is defined for thousands of budgets has a handful of different values.
`bisected` finds them by binary search: where the two ends of a range cost the same, so does everything between them.
`tabulated` asks for every budget; it is the twin that the other is tested against. Splitting memory between two inputs
(`split`) tries only the points at which the input with fewer of them falls.
Invariant: what is bisected never rises, and neither do sums and minima of such functions, in floating point included.
Complexity: `bisected` asks for O(b log M) budgets where the function has b steps; `split` costs O(b) for each.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Units = NDArray[np.int64]
Seconds = NDArray[np.float64]
AT_ONCE = 1 << 18  # pairs of a budget and a step that are tried in one go: a few megabytes


@dataclass(frozen=True, eq=False)
class Curve:
    """Least cost by memory: `cost[i]` from `at[i]` units on."""

    at: Units
    cost: Seconds

    def __call__(self, units: Units) -> Seconds:
        """The cost at each budget; infinite at a negative one."""
        found: Seconds = self.cost[np.maximum(np.searchsorted(self.at, units, side="right") - 1, 0)]
        return np.where(units < 0, np.inf, found)

    def least(self, units: int) -> int:
        """The least memory that costs as little as so many units do."""
        return int(self.at[max(0, int(np.searchsorted(self.at, units, side="right")) - 1)])

    def value(self, units: int) -> float:
        return float(self(np.array([units], dtype=np.int64))[0])

    def __len__(self) -> int:
        return len(self.at)


def flat(cost: float) -> Curve:
    return Curve(np.zeros(1, dtype=np.int64), np.array([cost], dtype=np.float64))


FREE = flat(0.0)
Evaluate = Callable[[Units], Seconds]
Tabulate = Callable[[Evaluate, int], Curve]


def bisected(cost: Evaluate, most: int) -> Curve:
    """The steps of a function that never rises, between no memory and `most`, all ranges of a level at once."""
    ends = np.array([0, most], dtype=np.int64)
    values = cost(ends)
    low, high, at_low, at_high = ends[:1], ends[1:], values[:1], values[1:]
    steps, falls = [low], [at_low]
    while low.size:
        differs = at_low > at_high
        close = differs & (high - low == 1)
        steps.append(high[close])
        falls.append(at_high[close])
        low, high, at_low, at_high = (each[differs & ~close] for each in (low, high, at_low, at_high))
        middle = (low + high) // 2
        at_middle = cost(middle) if middle.size else at_low
        low, high = np.concatenate([low, middle]), np.concatenate([middle, high])
        at_low, at_high = np.concatenate([at_low, at_middle]), np.concatenate([at_middle, at_high])
    return _ordered(np.concatenate(steps), np.concatenate(falls))


def _ordered(at: Units, cost: Seconds) -> Curve:
    order = np.argsort(at, kind="stable")
    return Curve(at[order], cost[order])


def tabulated(cost: Evaluate, most: int) -> Curve:
    """The twin: every budget is asked for."""
    at = np.arange(most + 1, dtype=np.int64)
    values = cost(at)
    falls = np.concatenate([[True], values[1:] < values[:-1]])
    return Curve(at[falls], values[falls])


def split(first: Curve, second: Curve, units: Units) -> Seconds:
    """The least sum of both costs when they share the memory."""
    few, many = (first, second) if len(first) <= len(second) else (second, first)
    rows = max(1, AT_ONCE // len(few))
    parts = [units[start : start + rows] for start in range(0, len(units), rows)]
    sums = [(few.cost + many(part[:, None] - few.at)).min(axis=1) for part in parts]
    return np.concatenate(sums) if sums else np.empty(0)


def split_everywhere(first: Curve, second: Curve, units: Units) -> Seconds:
    """The twin: every division of the memory is tried."""
    return np.array([_least(first, second, int(each)) for each in units], dtype=np.float64)


def _least(first: Curve, second: Curve, units: int) -> float:
    if units < 0:
        return float("inf")
    of_first = np.arange(units + 1, dtype=np.int64)
    return float((first(of_first) + second(units - of_first)).min())


def best_split(first: Curve, second: Curve, units: int) -> tuple[int, int]:
    """How two inputs share the memory at their least cost, each given no more than it makes use of."""
    given = first.at[first.at <= units]
    sums = first.cost[: len(given)] + second(units - given)
    of_first = int(given[int(np.argmin(sums))])
    return of_first, second.least(units - of_first)
