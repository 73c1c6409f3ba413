"""What a benchmark found, as values: measurements, their medians, and the JSON they are kept in.

Idea: every single measurement is kept; a `Cell`, the medians of one query at one rate, is derived whenever it is shown.
Invariant: `Report.from_json(report.to_json())` equals the report.
"""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class RowChange:
    """How many rows of one table a change brings and takes."""

    inserted: int
    deleted: int


@dataclass(frozen=True)
class Measurement:
    """One change, brought into the view by a refresh and, beside it, by Spark computing the query anew."""

    rate: float  # percent of the orders that are inserted, and deleted
    recompute_seconds: float  # Spark's query and the write of its result
    refresh_seconds: float  # from the call to the committed view, as Headwater reports it
    total_seconds: float  # of the whole call, upkeep of stored pasts included, by the benchmark's own clock
    upkeep_seconds: float
    strategy: str
    lane: str
    reason: str
    jobs: int
    rows_read: int
    rows_changed: int  # in the view
    state_bytes: int
    changes: Mapping[str, RowChange]  # per table that the view reads
    phases: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class QueryResult:
    """Everything measured for one query; `error` says why it ended early, if it did."""

    query: str
    create_seconds: float | None = None
    settings: str = ""  # the opponent's, chosen by calibration
    calibration: Mapping[str, float] = field(default_factory=dict)  # settings -> seconds
    idle_seconds: float | None = None  # a refresh with nothing new
    verified: bool | None = None
    view_rows: int | None = None
    bystanders: float | None = None  # cores that other processes used meanwhile
    measurements: tuple[Measurement, ...] = ()
    error: str | None = None

    @property
    def ok(self) -> bool:
        return self.error is None and self.verified is True

    @property
    def recompute(self) -> float:
        """The median over all rates, which a recompute hardly depends on."""
        return statistics.median(one.recompute_seconds for one in self.measurements)


@dataclass(frozen=True)
class Cell:
    """The medians of one query at one rate."""

    query: str
    rate: float
    recompute: float
    refresh: float
    total: float
    jobs: float
    rows_read: float
    state_bytes: float
    strategies: tuple[str, ...]  # those that occurred

    @property
    def ratio(self) -> float:
        return self.recompute / self.refresh


@dataclass(frozen=True)
class Report:
    """One run of the benchmark: the machine, how it was run, and the results."""

    scale: float
    pattern: str
    lane: str
    policy: str
    repeats: int
    seed: int
    date: str
    machine: Mapping[str, Any]
    settings: Mapping[str, Mapping[str, str]]  # the opponent's candidates by name
    notes: tuple[str, ...]
    queries: tuple[QueryResult, ...]

    @property
    def name(self) -> str:
        """What its files are called."""
        return f"refresh-sf{self.scale:g}"

    @property
    def ok(self) -> bool:
        return all(result.ok for result in self.queries)

    def cells(self) -> list[Cell]:
        """In the order of the queries, then of the rates."""
        return [cell for result in self.queries for cell in cells_of(result)]

    def geometric_means(self) -> dict[float, float]:
        """Rate -> geometric mean, over the queries, of recompute / refresh."""
        ratios: dict[float, list[float]] = {}
        for cell in self.cells():
            ratios.setdefault(cell.rate, []).append(cell.ratio)
        return {rate: geometric_mean(found) for rate, found in sorted(ratios.items())}

    def to_json(self) -> str:
        derived = {
            "medians": [asdict(cell) | {"ratio": cell.ratio} for cell in self.cells()],
            "geometric_means": {f"{rate:g}": mean for rate, mean in self.geometric_means().items()},
        }
        return json.dumps(asdict(self) | derived, indent=1) + "\n"

    def save(self, folder: Path) -> Path:
        """Write the JSON into the folder, over what an earlier run left there."""
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{self.name}.json"
        path.write_text(self.to_json(), encoding="utf-8")
        return path

    @classmethod
    def from_json(cls, text: str) -> Report:
        data = json.loads(text)
        for name in ("medians", "geometric_means"):
            data.pop(name, None)
        queries = tuple(_query_result(one) for one in data.pop("queries"))
        return cls(**data | {"notes": tuple(data["notes"])}, queries=queries)


def cells_of(result: QueryResult) -> list[Cell]:
    rates = sorted({one.rate for one in result.measurements})
    return [_cell(result.query, rate, [one for one in result.measurements if one.rate == rate]) for rate in rates]


def geometric_mean(values: Iterable[float]) -> float:
    """The n-th root of the product; raises for no values and for values that are not above zero."""
    logarithms = [math.log(value) for value in values]
    return math.exp(statistics.fmean(logarithms))


def _cell(query: str, rate: float, found: Sequence[Measurement]) -> Cell:
    def median(name: str) -> float:
        return statistics.median(getattr(one, name) for one in found)

    return Cell(
        query=query,
        rate=rate,
        recompute=median("recompute_seconds"),
        refresh=median("refresh_seconds"),
        total=median("total_seconds"),
        jobs=median("jobs"),
        rows_read=median("rows_read"),
        state_bytes=median("state_bytes"),
        strategies=tuple(sorted({one.strategy for one in found})),
    )


def _query_result(data: dict[str, Any]) -> QueryResult:
    return QueryResult(**data | {"measurements": tuple(_measurement(one) for one in data["measurements"])})


def _measurement(data: dict[str, Any]) -> Measurement:
    return Measurement(**data | {"changes": {table: RowChange(**rows) for table, rows in data["changes"].items()}})
