"""Which lane takes a refresh: by what each has cost on this view before, where the local one can take it at all.

Idea: a refresh in either lane costs a floor and so much for each changed row, fitted to the view's own refreshes. The
local floor is far below Spark's and its slope may be steeper, so the lines cross where a change is large.
Invariant: the lane changes what a refresh costs and never what it gives. A lane that is forced and cannot take the
refresh is refused by name; one that was chosen and fails gives way to Spark.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from headwater.refresh.choice import FLOOR_SECONDS, MEMORY, ROW_SECONDS, Sample, fit

# Before there are measurements: a change plan of a few joins on two cores, see docs/performance.md.
DEFAULTS: Mapping[str, tuple[float, float]] = {"spark": (FLOOR_SECONDS, ROW_SECONDS), "local": (0.05, 5e-6)}
STAY_MARGIN = 1.3  # the other lane must be predicted cheaper by this factor before a view changes lanes
SPARK_START_SECONDS = 5.0  # what the first use of Spark adds in a process that has none running


@dataclass(frozen=True)
class LaneChoice:
    """A lane, why, and the seconds predicted for each that was possible."""

    lane: str
    reason: str
    alternatives: dict[str, float] = field(default_factory=dict)
    forced: bool = False

    @property
    def seconds(self) -> float | None:
        return self.alternatives.get(self.lane)


@dataclass(frozen=True)
class LaneCosts:
    """What is known of one view's refreshes in each lane."""

    samples: Mapping[str, tuple[Sample, ...]] = field(default_factory=dict)
    last: str | None = None

    def measured(self, lane: str, rows: int, seconds: float) -> LaneCosts:
        """After a refresh; a first one in the process also wrote the statements, and tells nothing of the others.

        The other lane's oldest sample is forgotten, so that a lane that was slow once is tried again in time.
        """
        samples = {other: kept[1:] for other, kept in self.samples.items() if other != lane}
        known = self.samples.get(lane)
        samples[lane] = () if known is None else (*known, Sample(rows, seconds))[-MEMORY:]
        return replace(self, samples=samples, last=lane)

    def seconds(self, lane: str, rows: int) -> float:
        floor, per_row = fit(self.samples[lane]) if self.samples.get(lane) else DEFAULTS[lane]
        return floor + per_row * rows

    def choose(self, rows: int, wanted: str, refusal: str | None, spark_runs: bool) -> LaneChoice:
        """The lane of a refresh; `refusal` is why the local one cannot take it."""
        predicted = {lane: self.seconds(lane, rows) for lane in DEFAULTS}
        if not spark_runs:
            predicted["spark"] += SPARK_START_SECONDS
        shown = {lane: round(value, 4) for lane, value in predicted.items()}
        if wanted != "auto":
            return LaneChoice(wanted, "It was asked for.", shown, forced=True)
        if refusal is not None:
            return LaneChoice("spark", refusal, {"spark": shown["spark"]})
        favoured = self.last or "local"
        other = "local" if favoured == "spark" else "spark"
        lane = other if predicted[favoured] > STAY_MARGIN * predicted[other] else favoured
        compared = f"{shown['local']:.3f} s in the local lane against {shown['spark']:.3f} s on Spark"
        return LaneChoice(lane, f"{compared}, predicted for {rows:,} changed rows.", shown)
