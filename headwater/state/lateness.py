"""How late rows come: for a table that was mostly there at once and whose remainder fades out.

    rows |#
         |#
         |#            share of the total
         |#  #         that has come by now    = F(time since the first arrival)
         |#  #  .      what is still to come   = arrived * (1 - F) / F
         +----------> intervals

Idea: F is learned from earlier periods (`LatenessCdf`, in seconds), or it is geometric (`LongTail`, in intervals
between refreshes): each row comes in an interval with the same probability p, and otherwise in a later one. p is fitted
to the sizes of successive intervals by maximum likelihood, given that only the first K intervals have been seen.
Invariant: F never falls, stays within 0 and 1; nothing predicted is negative.
Complexity: linear in the arrivals looked at.
Limits: one tail a period; a p below LEAST_P fades so slowly that the recent pace predicts as well, and is left to that.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

RISE = 3.0  # an interval this many times as large as the one before it begins a new period,
RISE_ROWS = 5.0  # counted from a few rows on, which come and go by chance
LEAST_P = 0.5  # the remainder at least halves from interval to interval, else a tail is not told from a varying pace
FEWEST_INTERVALS = 3  # with rows in them: after two, a first load and a steady pace look the same
FIT_FACTOR = 2.0  # each interval follows from the one before it within this factor,
FIT_SPREAD = 2.0  # give or take so many standard deviations of a count, and a row
FIRST_SHARE = 0.5  # a period fades when at least this share of its rows came first
FIT_STEPS = 60  # halvings of the interval that holds 1 - p: to the last bit of a double


@dataclass(frozen=True)
class LongTail:
    """Rows come in interval k = 0, 1, 2, ... with probability p * (1 - p) ** k."""

    p: float

    def __post_init__(self) -> None:
        if not 0 < self.p <= 1:
            raise ValueError(f"p is {self.p}, not a probability above 0")

    def share(self, interval: int) -> float:
        """What share of all rows comes in one interval."""
        return self.p * (1 - self.p) ** interval

    def arrived_by(self, intervals: float) -> float:
        """What share has come when so many intervals have passed."""
        return 1 - (1 - self.p) ** intervals

    def remainder(self, arrived: float, intervals: float) -> float:
        """How many rows are still to come."""
        share = self.arrived_by(intervals)
        return arrived * (1 - share) / share if share > 0 else 0.0

    def next(self, arrived: float, intervals: float, ahead: float = 1.0) -> float:
        """How many rows come in the next interval, or in `ahead` of them."""
        return self.remainder(arrived, intervals) * self.arrived_by(ahead)


def fit_long_tail(sizes: Sequence[float]) -> LongTail | None:
    """The tail whose mean interval, among the first `len(sizes)`, is that of the rows; None when none fades so."""
    total = sum(sizes)
    if total <= 0 or len(sizes) < 2:
        return None
    mean = sum(interval * size for interval, size in enumerate(sizes)) / total
    if mean >= (len(sizes) - 1) / 2:
        return None
    low, high = 0.0, 1.0
    for _ in range(FIT_STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if _mean_interval(middle, len(sizes)) > mean else (middle, high)
    return LongTail(1 - low) if low < 1 else None


def _mean_interval(q: float, intervals: int) -> float:
    weights = [q**interval for interval in range(intervals)]
    return sum(interval * weight for interval, weight in enumerate(weights)) / sum(weights)


def fading(sizes: Sequence[float]) -> tuple[LongTail, tuple[float, ...]] | None:
    """The tail that the newest period follows, with its intervals; without its first load where only the rest fits."""
    period = tuple(sizes[rises(sizes)[-1] :])
    for run in (period, period[1:]):
        tail = fit_long_tail(run) if sum(size > 0 for size in run) >= FEWEST_INTERVALS else None
        if tail is not None and tail.p >= LEAST_P and _fits(tail, run):
            return tail, run
    return None


def rises(sizes: Sequence[float]) -> list[int]:
    """Where periods begin, the first of them at 0."""
    return [0, *(at for at in range(1, len(sizes)) if sizes[at] > RISE * (sizes[at - 1] + RISE_ROWS))]


def _fits(tail: LongTail, sizes: Sequence[float]) -> bool:
    """Whether each interval is what the one before it leads to, and less: a load and then a steady pace is no tail,
    however slow the pace."""
    falling = all(after < before or not after for before, after in pairwise(sizes))
    return falling and all(_follows(after, (1 - tail.p) * before) for before, after in pairwise(sizes))


def _follows(size: float, expected: float) -> bool:
    chance = FIT_SPREAD * math.sqrt(expected) + 1
    return expected / FIT_FACTOR - chance <= size <= expected * FIT_FACTOR + chance


@dataclass(frozen=True)
class LatenessCdf:
    """F, as points (seconds since a period's first arrival, share of its rows); straight lines between them."""

    seconds: tuple[float, ...]
    shares: tuple[float, ...]

    def __call__(self, seconds: float) -> float:
        """What share of a period's rows has come so long after its first arrival."""
        if seconds < self.seconds[0]:
            return 0.0
        at = bisect_right(self.seconds, seconds) - 1
        if at == len(self.seconds) - 1:
            return self.shares[-1]
        along = (seconds - self.seconds[at]) / (self.seconds[at + 1] - self.seconds[at])
        return min(1.0, self.shares[at] + along * (self.shares[at + 1] - self.shares[at]))

    def remainder(self, arrived: float, seconds: float) -> float:
        """How many rows are still to come; nothing follows from a time at which nothing used to be there."""
        share = self(seconds)
        return arrived * (1 - share) / share if share > 0 else 0.0

    def next(self, arrived: float, seconds: float, ahead: float) -> float:
        """How many rows come in the `ahead` seconds that follow."""
        share = self(seconds)
        return arrived * max(0.0, self(seconds + ahead) - share) / share if share > 0 else 0.0


Dated = tuple[float, float]  # when (unix time), how many rows came


def learn_lateness(periods: Iterable[Sequence[Dated]]) -> LatenessCdf | None:
    """The mean of what finished periods did; each counts the same, however many rows it had."""
    known = [period for period in periods if sum(size for _, size in period) > 0]
    if not known:
        return None
    cumulated = [_cumulated(period) for period in known]
    moments = sorted({moment for times, _ in cumulated for moment in times})
    shares = [sum(_reached(one, moment) for one in cumulated) / len(cumulated) for moment in moments]
    return LatenessCdf(tuple(moments), tuple(shares))


def _cumulated(period: Sequence[Dated]) -> tuple[list[float], list[float]]:
    total, so_far = sum(size for _, size in period), 0.0
    times: list[float] = []
    shares: list[float] = []
    for moment, size in period:
        so_far += size
        times.append(max(0.0, moment - period[0][0]))
        shares.append(min(1.0, so_far / total))
    shares[-1] = 1.0
    return times, shares


def _reached(cumulated: tuple[list[float], list[float]], moment: float) -> float:
    times, shares = cumulated
    at = bisect_right(times, moment)
    return shares[at - 1] if at else 0.0


def split_periods(arrivals: Sequence[Dated]) -> list[tuple[Dated, ...]]:
    """The arrivals, cut where a new period begins."""
    cuts = [*rises([size for _, size in arrivals]), len(arrivals)]
    return [tuple(arrivals[start:end]) for start, end in pairwise(cuts) if start < end]


def faded(period: Sequence[Dated]) -> bool:
    """True for a period whose rows came first of all, and then fewer and fewer."""
    total = sum(size for _, size in period)
    return len(period) >= FEWEST_INTERVALS and period[0][1] >= FIRST_SHARE * total
