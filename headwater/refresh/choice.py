"""Incremental or full: decided for each refresh by what both have cost on this view before.

Idea: an incremental refresh costs a floor and so much for each changed row; both are fitted to the view's own recent
refreshes, and taken from `FLOOR_SECONDS` and `ROW_SECONDS` before there are any. A full refresh costs what the last one
cost. Full is chosen only when it is clearly cheaper, so that the choice does not flap.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import median

FLOOR_SECONDS = 0.25  # a change plan of a few joins on two cores, see docs/performance.md
ROW_SECONDS = 10e-6  # per changed row of a base table, same place
FULL_MARGIN = 1.25  # full must be predicted cheaper by this factor
MEMORY = 16  # recent refreshes that the fit looks at
SPREAD = 2  # two samples tell a slope when one has this many times the rows of the other


@dataclass(frozen=True)
class Sample:
    """A measured incremental refresh: rows changed in the tables, seconds."""

    rows: int
    seconds: float


@dataclass(frozen=True)
class Choice:
    strategy: str  # incremental | full
    reason: str
    alternatives: dict[str, float]


@dataclass(frozen=True)
class CostModel:
    """What is known of one view's costs."""

    full_seconds: float | None = None
    samples: tuple[Sample, ...] = ()

    def measured(self, rows: int, seconds: float) -> CostModel:
        return CostModel(self.full_seconds, (*self.samples, Sample(rows, seconds))[-MEMORY:])

    def rebuilt(self, seconds: float) -> CostModel:
        """After a full refresh; the oldest sample is forgotten, so that incremental is tried again in time."""
        return CostModel(seconds, self.samples[1:])

    def incremental_seconds(self, rows: int) -> float:
        floor, per_row = fit(self.samples)
        return floor + per_row * rows

    def choose(self, rows: int, incremental: float | None = None) -> Choice:
        """Incremental or full; `incremental` is the prediction for the lane that would take it."""
        incremental = self.incremental_seconds(rows) if incremental is None else incremental
        alternatives = {"incremental": round(incremental, 4)}
        if self.full_seconds is None:
            return Choice("incremental", f"{rows:,} changed rows; no full refresh has been measured yet.", alternatives)
        alternatives["full"] = round(self.full_seconds, 4)
        both = f"{incremental:.2f} s incremental against {self.full_seconds:.2f} s full"
        compared = f"{both}, predicted for {rows:,} changed rows"
        if incremental > FULL_MARGIN * self.full_seconds:
            return Choice("full", f"Recomputing is cheaper: {compared}.", alternatives)
        return Choice("incremental", f"Cheaper: {compared}.", alternatives)


def fit(samples: Sequence[Sample]) -> tuple[float, float]:
    """Floor and cost per row, neither negative; the default cost per row where the samples lie too close to tell.

    The median keeps a first refresh in a cold process, or a pause of the machine, from being taken for the cost.
    """
    if not samples:
        return FLOOR_SECONDS, ROW_SECONDS
    per_row = _slope(samples)
    return max(0.0, median(s.seconds - per_row * s.rows for s in samples)), per_row


def _slope(samples: Sequence[Sample]) -> float:
    """The median slope over pairs of samples that lie far apart (Theil and Sen)."""
    slopes = [
        (b.seconds - a.seconds) / (b.rows - a.rows)
        for a, b in combinations(sorted(samples, key=lambda sample: sample.rows), 2)
        if b.rows > SPREAD * max(1, a.rows)
    ]
    if slopes:
        return max(0.0, median(slopes))
    largest = max(samples, key=lambda sample: sample.rows)
    return min(ROW_SECONDS, largest.seconds / max(1, largest.rows))
