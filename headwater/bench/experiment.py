"""One query of the refresh benchmark: a view and its opponent, change after change.

Idea: a fresh lake over clones of the tables. For each change that arrives, the view is refreshed and Spark computes
the query anew from the same version, in the same process, taking turns in who goes first.
Invariant: both sides see the same files, read into the page cache beforehand, and neither pays for the other's
garbage. At the end the view is verified against its own SQL; a wrong view is a failed run.
"""

from __future__ import annotations

import logging
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from shutil import rmtree
from typing import TYPE_CHECKING

import headwater as hw
from headwater.bench import tpch
from headwater.bench.machine import Bystanders
from headwater.bench.opponent import Opponent
from headwater.bench.results import Measurement, QueryResult
from headwater.bench.timeline import Replay, Step, Timeline

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from headwater.api.lake import Lake
    from headwater.api.view import View

IDLE_REFRESHES = 5
READ_AT_ONCE = 16 << 20  # bytes

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Setting:
    """What one experiment is given: a Spark, the tables and their changes, a folder, how to refresh, whom to tell."""

    spark: SparkSession
    timeline: Timeline
    folder: Path
    lane: str
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
    """One query: its lake, its view, its opponent; `result` is what is known so far."""

    def __init__(self, query: str, setting: Setting) -> None:
        self.result = QueryResult(query)
        self._setting = setting
        self._sql = tpch.view_text(query)
        self._replay = Replay(setting.timeline, tpch.tables_of(self._sql), setting.folder / "tables")
        self._opponent = Opponent(setting.spark, self._sql, setting.folder / "recomputed")

    def run(self) -> QueryResult:
        with hw.connect(str(self._setting.folder / "warehouse"), spark=self._setting.spark) as lake:
            for name, path in self._replay.paths.items():
                lake.attach(name, str(path))
            self._say("the opponent's settings")
            self._files_arrived()
            calibration = self._opponent.calibrate()
            self._learn(settings=self._opponent.settings, calibration=calibration)
            self._say("creating the view")
            with self._view(lake) as view:
                self._measure(view)
        return self.result

    @contextmanager
    def _view(self, lake: Lake) -> Iterator[View]:
        start = time.perf_counter()
        view = lake.create_view(f"{self.result.query}_view", self._sql, policy=self._setting.policy)
        self._learn(create_seconds=time.perf_counter() - start)
        try:
            yield view
        finally:
            view.drop()

    def _measure(self, view: View) -> None:
        bystanders = Bystanders(self._setting.spark)
        for at, step in enumerate(self._setting.timeline.steps):
            self._say(f"{step.rate:g} % changed" + ("" if step.measured else ", warming up"))
            self._replay.arrive(step)
            self._files_arrived()
            measurement = self._compare(view, step, opponent_first=at % 2 == 1)
            if step.measured:
                self._learn(measurements=(*self.result.measurements, measurement))
        self._learn(bystanders=bystanders.cores())
        if self._opponent.reads_cache():
            raise RuntimeError("the opponent read what was cached in the executors, so it recomputed nothing")
        self._say("verifying")
        self._learn(idle_seconds=_idle_seconds(view, self._setting.lane))
        verification = view.verify()
        self._learn(verified=verification.ok, view_rows=verification.rows)

    def _files_arrived(self) -> None:
        files = self._replay.files()
        _read_into_page_cache(files)
        self._opponent.read(files)

    def _compare(self, view: View, step: Step, opponent_first: bool) -> Measurement:
        recompute = self._recompute() if opponent_first else None
        self._collect_garbage()
        start = time.perf_counter()
        refresh = view.refresh(lane=self._setting.lane)
        total = time.perf_counter() - start
        self._require_arrived(refresh.cursor, step)
        return Measurement(
            rate=step.rate,
            recompute_seconds=recompute if recompute is not None else self._recompute(),
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

    def _recompute(self) -> float:
        self._collect_garbage()
        return self._opponent.run()

    def _collect_garbage(self) -> None:
        jvm = self._setting.spark._jvm
        if jvm is not None:
            jvm.java.lang.System.gc()

    def _learn(self, **facts: object) -> None:
        self.result = replace(self.result, **facts)  # type: ignore[arg-type]

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
