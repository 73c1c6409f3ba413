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
    """One change, brought into a view by a refresh and, beside it, by two engines computing the query anew."""

    rate: float  # percent of the orders that are inserted, and deleted
    asked: str  # the lane that was asked for
    recompute_seconds: float  # Spark's query and the write of its result
    duckdb_seconds: float  # the same of DuckDB
    refresh_seconds: float  # from the call to the committed view, as Headwater reports it
    total_seconds: float  # of the whole call, upkeep of stored pasts included, by the benchmark's own clock
    upkeep_seconds: float
    strategy: str
    lane: str  # the lane that took it
    reason: str
    jobs: int
    rows_read: int
    rows_changed: int  # in the view
    state_bytes: int
    changes: Mapping[str, RowChange]  # per table that the view reads
    phases: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class ViewResult:
    """The view of a query that is refreshed in one lane."""

    asked: str  # the lane
    create_seconds: float
    idle_seconds: float | None = None  # a refresh with nothing new
    verified: bool | None = None
    rows: int | None = None
    refused: str | None = None  # why the lane cannot carry it

    @property
    def ok(self) -> bool:
        return self.refused is not None or self.verified is True


@dataclass(frozen=True)
class QueryResult:
    """Everything measured for one query; `error` says why it ended early, if it did."""

    query: str
    settings: str = ""  # the opponent's, chosen by calibration
    calibration: Mapping[str, float] = field(default_factory=dict)  # settings -> seconds
    views: tuple[ViewResult, ...] = ()
    bystanders: float | None = None  # cores that other processes used meanwhile
    measurements: tuple[Measurement, ...] = ()
    error: str | None = None

    @property
    def ok(self) -> bool:
        return self.error is None and bool(self.views) and all(view.ok for view in self.views)

    @property
    def recompute(self) -> float:
        """The median over all rates, which a recompute hardly depends on."""
        return statistics.median(one.recompute_seconds for one in self.measurements)

    @property
    def duckdb(self) -> float:
        return statistics.median(one.duckdb_seconds for one in self.measurements)


@dataclass(frozen=True)
class Cell:
    """The medians of one query in one lane at one rate."""

    query: str
    asked: str
    rate: float
    recompute: float
    duckdb: float
    refresh: float
    total: float
    jobs: float
    rows_read: float
    state_bytes: float
    strategies: tuple[str, ...]  # those that occurred

    @property
    def ratio(self) -> float:
        return self.recompute / self.refresh

    @property
    def duckdb_ratio(self) -> float:
        return self.duckdb / self.refresh

    @property
    def is_idle(self) -> bool:
        """True where no table of the query changed: there was nothing to refresh, and nothing to boast of."""
        return self.strategies == ("none",)


@dataclass(frozen=True)
class Mean:
    """Geometric means over the queries that a lane carries, at one rate."""

    asked: str
    rate: float
    ratio: float  # Spark's recompute / refresh
    duckdb_ratio: float
    lowest: float  # ratio of any query
    queries: int


@dataclass(frozen=True)
class Report:
    """One run of the benchmark: the machine, how it was run, and the results."""

    scale: float
    pattern: str
    lanes: tuple[str, ...]
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

    def means(self) -> list[Mean]:
        """By lane, then by rate; of the queries whose tables changed."""
        cells = [cell for cell in self.cells() if not cell.is_idle]
        found = sorted({(self.lanes.index(cell.asked), cell.rate) for cell in cells})
        return [
            _mean(rate, [cell for cell in cells if (cell.asked, cell.rate) == (self.lanes[lane], rate)])
            for lane, rate in found
        ]

    def to_json(self) -> str:
        derived = {
            "medians": [
                asdict(cell) | {"ratio": cell.ratio, "duckdb_ratio": cell.duckdb_ratio} for cell in self.cells()
            ],
            "means": [asdict(mean) for mean in self.means()],
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
        for name in ("medians", "means"):
            data.pop(name, None)
        queries = tuple(_query_result(one) for one in data.pop("queries"))
        return cls(**data | {name: tuple(data[name]) for name in ("notes", "lanes")}, queries=queries)


def cells_of(result: QueryResult) -> list[Cell]:
    """In the order in which the lanes were measured, then of the rates."""
    lanes = dict.fromkeys(one.asked for one in result.measurements)
    rates = sorted({one.rate for one in result.measurements})
    found = {
        (lane, rate): [one for one in result.measurements if (one.asked, one.rate) == (lane, rate)]
        for lane in lanes
        for rate in rates
    }
    return [_cell(result.query, lane, rate, ones) for (lane, rate), ones in found.items() if ones]


def _mean(rate: float, cells: Sequence[Cell]) -> Mean:
    return Mean(
        asked=cells[0].asked,
        rate=rate,
        ratio=geometric_mean(cell.ratio for cell in cells),
        duckdb_ratio=geometric_mean(cell.duckdb_ratio for cell in cells),
        lowest=min(cell.ratio for cell in cells),
        queries=len(cells),
    )


def geometric_mean(values: Iterable[float]) -> float:
    """The n-th root of the product; raises for no values and for values that are not above zero."""
    logarithms = [math.log(value) for value in values]
    return math.exp(statistics.fmean(logarithms))


def _cell(query: str, asked: str, rate: float, found: Sequence[Measurement]) -> Cell:
    def median(name: str) -> float:
        return statistics.median(getattr(one, name) for one in found)

    return Cell(
        query=query,
        asked=asked,
        rate=rate,
        recompute=median("recompute_seconds"),
        duckdb=median("duckdb_seconds"),
        refresh=median("refresh_seconds"),
        total=median("total_seconds"),
        jobs=median("jobs"),
        rows_read=median("rows_read"),
        state_bytes=median("state_bytes"),
        strategies=tuple(sorted({one.strategy for one in found})),
    )


def _query_result(data: dict[str, Any]) -> QueryResult:
    views = tuple(ViewResult(**one) for one in data["views"])
    return QueryResult(**data | {"views": views, "measurements": tuple(map(_measurement, data["measurements"]))})


def _measurement(data: dict[str, Any]) -> Measurement:
    return Measurement(**data | {"changes": {table: RowChange(**rows) for table, rows in data["changes"].items()}})
