"""One query of the refresh benchmark: a view for each lane and their opponents, change after change.

Idea: a fresh lake over clones of the tables. For each change that arrives, the views are refreshed, and Spark and
DuckDB compute the query anew from the same version, in the same process, taking turns in who goes first.
Invariant: all sides see the same files, read into the page cache beforehand, and none pays for another's garbage.
At the end the views are verified against their own SQL; a wrong view is a failed run.
"""

from __future__ import annotations

import logging
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from shutil import rmtree
from typing import TYPE_CHECKING

import headwater as hw
from headwater.bench import tpch
from headwater.bench.duckdb_opponent import DuckDB
from headwater.bench.machine import Bystanders
from headwater.bench.opponent import Opponent
from headwater.bench.results import Measurement, QueryResult, ViewResult
from headwater.bench.timeline import Replay, Step, Timeline
from headwater.errors import HeadwaterError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from headwater.api.lake import Lake
    from headwater.api.view import View

IDLE_REFRESHES = 5
REFUSED = "lane.impossible"
READ_AT_ONCE = 16 << 20  # bytes

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Setting:
    """What one experiment is given: a Spark, the tables and their changes, a folder, how to refresh, whom to tell."""

    spark: SparkSession
    timeline: Timeline
    folder: Path
    lanes: tuple[str, ...]
    policy: str
    say: Callable[[str], None]


def measure_query(query: str, setting: Setting) -> QueryResult:
    """Everything about one query; what goes wrong ends the query, not the run."""
    experiment = None
    try:
        experiment = Experiment(query, setting)
        return experiment.run()
    except Exception as error:
        logger.exception("%s ended early", query)
        found = experiment.result if experiment else QueryResult(query)
        return replace(found, error=f"{type(error).__name__}: {error}")
    finally:
        rmtree(setting.folder, ignore_errors=True)


class Experiment:
    """One query: its lake, its views, its opponents; `result` is what is known so far."""

    def __init__(self, query: str, setting: Setting) -> None:
        self.result = QueryResult(query)
        self._setting = setting
        self._sql = tpch.view_text(query)
        self._replay = Replay(setting.timeline, tpch.tables_of(self._sql), setting.folder / "tables")
        self._opponent = Opponent(setting.spark, self._sql, setting.folder / "recomputed")
        self._duckdb = DuckDB(self._sql, setting.folder / "duckdb")
        self._views: dict[str, ViewResult] = {}

    def run(self) -> QueryResult:
        with hw.connect(str(self._setting.folder / "warehouse"), spark=self._setting.spark) as lake:
            for name, path in self._replay.paths.items():
                lake.attach(name, str(path))
            self._say("the opponent's settings")
            self._files_arrived()
            calibration = self._opponent.calibrate()
            self._learn(settings=self._opponent.settings, calibration=calibration)
            with ExitStack() as stack:
                self._measure({lane: stack.enter_context(self._view(lake, lane)) for lane in self._setting.lanes})
        return self.result

    @contextmanager
    def _view(self, lake: Lake, lane: str) -> Iterator[View]:
        self._say(f"creating the view for lane {lane}")
        start = time.perf_counter()
        view = lake.create_view(f"{self.result.query}_{lane}", self._sql, policy=self._setting.policy)
        self._learn_of(ViewResult(lane, time.perf_counter() - start))
        try:
            yield view
        finally:
            view.drop()

    def _measure(self, views: dict[str, View]) -> None:
        bystanders = Bystanders(self._setting.spark)
        for at, step in enumerate(self._setting.timeline.steps):
            self._say(f"{step.rate:g} % changed" + ("" if step.measured else ", warming up"))
            self._replay.arrive(step)
            self._files_arrived()
            found = self._compare(views, step, opponents_first=at % 2 == 1)
            if step.measured:
                self._learn(measurements=(*self.result.measurements, *found))
        self._learn(bystanders=bystanders.cores())
        if self._opponent.reads_cache():
            raise RuntimeError("the opponent read what was cached in the executors, so it recomputed nothing")
        for lane, view in views.items():
            self._say(f"verifying the view of lane {lane}")
            idle, verification = _idle_seconds(view, lane), view.verify()
            known = replace(self._views[lane], idle_seconds=idle, verified=verification.ok, rows=verification.rows)
            self._learn_of(known)

    def _files_arrived(self) -> None:
        files = self._replay.files()
        _read_into_page_cache(files)
        self._opponent.read(files)
        self._duckdb.read(files)

    def _compare(self, views: dict[str, View], step: Step, opponents_first: bool) -> list[Measurement]:
        """One measurement a lane; those that refuse the change are left out from now on."""
        recomputed = self._recompute() if opponents_first else None
        found = [self._refresh(view, lane, step) for lane, view in list(views.items())]
        spark, duckdb = recomputed or self._recompute()
        for lane in [lane for lane, each in zip(views, found, strict=True) if each is None]:
            del views[lane]
        return [replace(each, recompute_seconds=spark, duckdb_seconds=duckdb) for each in found if each is not None]

    def _refresh(self, view: View, lane: str, step: Step) -> Measurement | None:
        """The refresh alone; what the opponents take is filled in by whoever asked. None when the lane refuses it."""
        self._collect_garbage()
        start = time.perf_counter()
        try:
            refresh = view.refresh(lane=lane)
        except HeadwaterError as error:
            if error.key != REFUSED:
                raise
            self._learn_of(replace(self._views[lane], refused=error.sentence))
            return None
        total = time.perf_counter() - start
        self._require_arrived(refresh.cursor, step)
        return Measurement(
            rate=step.rate,
            asked=lane,
            recompute_seconds=0.0,
            duckdb_seconds=0.0,
            refresh_seconds=refresh.seconds,
            total_seconds=total,
            upkeep_seconds=refresh.upkeep_seconds,
            strategy=refresh.strategy,
            lane=refresh.lane,
            reason=refresh.reason,
            jobs=refresh.jobs,
            rows_read=refresh.rows_read,
            rows_changed=refresh.rows_changed,
            state_bytes=sum(past.bytes for past in view.states()),
            changes={name: change for name, change in step.changes.items() if name in self._replay.paths},
            phases=dict(refresh.phases),
        )

    def _require_arrived(self, cursor: Mapping[str, int], step: Step) -> None:
        """A refresh that overlooked the change would be quick."""
        expected = {name: step.versions[name] for name in step.versions.keys() & self._replay.paths.keys()}
        if {name: cursor[name] for name in expected} != expected:
            raise RuntimeError(f"the view stands at {cursor}, and the change is at {expected}")

    def _recompute(self) -> tuple[float, float]:
        """Seconds of Spark and of DuckDB."""
        self._collect_garbage()
        return self._opponent.run(), self._duckdb.run()

    def _collect_garbage(self) -> None:
        jvm = self._setting.spark._jvm
        if jvm is not None:
            jvm.java.lang.System.gc()

    def _learn(self, **facts: object) -> None:
        self.result = replace(self.result, **facts)  # type: ignore[arg-type]

    def _learn_of(self, view: ViewResult) -> None:
        self._views[view.asked] = view
        self._learn(views=tuple(self._views.values()))

    def _say(self, text: str) -> None:
        self._setting.say(f"{self.result.query}: {text}")


def _idle_seconds(view: View, lane: str) -> float:
    """The median of refreshes with nothing new, by our own clock."""
    seconds = []
    for _ in range(IDLE_REFRESHES):
        start = time.perf_counter()
        view.refresh(lane=lane)
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


def _read_into_page_cache(files: Mapping[str, Sequence[str]]) -> None:
    for paths in files.values():
        for path in paths:
            with open(path, "rb") as file:
                while file.read(READ_AT_ONCE):
                    pass
