"""What a refresh from cron costs: a new process, from its start to the committed view, after a small change.

Idea: the views are built once; then, run after run, a change arrives and `headwater refresh VIEW` is started as a shell
would start it. The process finds in the warm copy what the one before it held. Its wall time is what a user waits;
the refresh's own seconds are what it reports.
Invariant: every run must reach the change's versions in the local lane, and a JVM is never started by it.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import headwater as hw
from headwater.bench import tpch
from headwater.bench.changes import Pattern
from headwater.bench.timeline import CHANGING, apply_change, change_stream

VIEWS = ("q3", "q5")
ORDERS_CHANGED = 12  # about a hundred rows: as many orders inserted and deleted, each with its items


@dataclass(frozen=True)
class Run:
    """One new process: wall seconds, and the seconds and lane of the refresh that it reports."""

    view: str
    process_seconds: float
    refresh_seconds: float
    lane: str
    rows_changed: int


@dataclass(frozen=True)
class Measured:
    """All runs; the first of each view, which fills the warm copy, is not among them."""

    scale: float
    machine: Mapping[str, object]
    runs: tuple[Run, ...]

    def medians(self) -> dict[str, float]:
        """View -> median wall seconds."""
        views = dict.fromkeys(run.view for run in self.runs)
        return {view: statistics.median(run.process_seconds for run in self.runs if run.view == view) for view in views}

    def save(self, folder: Path) -> Path:
        path = folder / f"process-sf{self.scale:g}.json"
        path.write_text(json.dumps(asdict(self) | {"medians": self.medians()}, indent=1) + "\n", encoding="utf-8")
        return path


def measure(scale: float, repeats: int, data: Path, work: Path, seed: int, say: Callable[[str], None]) -> Measured:
    from headwater.bench import machine

    warehouse = str(work / "warehouse")
    with hw.connect(warehouse) as lake:
        say("loading the tables and building the views")
        read = {name for view in VIEWS for name in tpch.tables_of(tpch.view_text(view))}
        tpch.load(lake, tpch.generate(scale, data), sorted(read))
        for view in VIEWS:
            lake.create_view(view, tpch.view_text(view))
        described = machine.describe(lake.spark)
        paths = {name: lake.table(name).path for name in CHANGING}
    stream, runs = change_stream(paths, seed, Pattern.SPREAD), []
    for number in range(repeats + 1):
        with hw.connect(warehouse) as lake:
            change = stream.next(ORDERS_CHANGED / len(stream.live))
            for name in CHANGING:
                apply_change(lake.table(name), name, change)
        for view in VIEWS:
            say(f"{view}: process {number + 1} of {repeats + 1}")
            run = _run(warehouse, view)
            runs += [run] if number else []
    return Measured(scale, described, tuple(runs))


def _run(warehouse: str, view: str) -> Run:
    command = [str(Path(sys.executable).with_name("headwater")), "--warehouse", warehouse, "refresh", view, "--json"]
    start = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    seconds = time.perf_counter() - start
    (report,) = json.loads(done.stdout)["refreshes"]
    if report["lane"] != "local":
        raise RuntimeError(f"{view} was refreshed in lane {report['lane']}: {report['reason']}")
    return Run(view, seconds, report["seconds"], report["lane"], report["rows_changed"])
