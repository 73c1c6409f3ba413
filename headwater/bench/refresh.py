"""Refresh against full recompute on TPC-H: a whole run, from generating the data to the report.

Idea: the changes are made once and replayed for every query, each in a lake of its own (see `timeline`). At each
rate one change that is not measured warms both sides up; medians are taken over the others.
Limits: one view at a time, so views that share work or memory are not measured. The folder of the work grows by the
tables' size with every change, since deletes that fall anywhere rewrite almost every file.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import headwater as hw
from headwater.bench import machine, tpch
from headwater.bench.changes import Pattern
from headwater.bench.experiment import Setting, measure_query
from headwater.bench.opponent import candidates
from headwater.bench.results import Report
from headwater.bench.timeline import CHANGING, Step, Timeline, make_timeline, plan_steps

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from headwater.api.lake import Lake

NOTES = (
    "All sides run the same text; an ORDER BY that no LIMIT reads is left out.",
    "A change at rate r inserts r of the orders and deletes r of the orders, each with all of its items.",
    "Both opponents are timed from the query's text to its result on disk; finding files and committing are free.",
    "Refresh seconds are from the call to the committed view; the total adds the upkeep of stored pasts.",
)


@dataclass(frozen=True)
class Options:
    """What is measured, and how."""

    scale: float
    queries: tuple[str, ...]
    rates: tuple[float, ...]  # percent
    repeats: int
    pattern: Pattern
    lanes: tuple[str, ...]  # a view for each
    policy: str  # of the views
    seed: int
    data: Path  # where generated data are kept from run to run
    work: Path  # an empty folder for everything else that the run writes


@dataclass(frozen=True)
class Progress:
    """Who is told how far the run is."""

    say: Callable[[str], None] = lambda text: None
    found: Callable[[Report], object] = lambda report: None  # the report so far, after every query


def run(options: Options, progress: Progress) -> Report:
    progress.say(f"TPC-H data at scale {options.scale:g}")
    data = tpch.generate(options.scale, options.data)
    with hw.connect(str(options.work / "source"), lane="spark") as source:
        report = _empty_report(options, source.spark)
        timeline = _timeline(source, data, options, progress)
        for query in options.queries:
            setting = Setting(source.spark, timeline, options.work / query, options.lanes, options.policy, progress.say)
            result = measure_query(query, setting)
            report = replace(report, queries=(*report.queries, result))
            progress.found(report)
    return report


def _empty_report(options: Options, spark: SparkSession) -> Report:
    return Report(
        scale=options.scale,
        pattern=options.pattern.value,
        lanes=options.lanes,
        policy=options.policy,
        repeats=options.repeats,
        seed=options.seed,
        date=datetime.now(UTC).isoformat(timespec="seconds"),
        machine=machine.describe(spark),
        settings=candidates(spark.sparkContext.defaultParallelism),
        notes=NOTES,
        queries=(),
    )


def _timeline(source: Lake, data: Path, options: Options, progress: Progress) -> Timeline:
    read = {name for query in options.queries for name in tpch.tables_of(tpch.view_text(query))}
    progress.say("loading the tables")
    tables = tpch.load(source, data, sorted(read | set(CHANGING)))
    plan = plan_steps(options.rates, options.repeats)

    def made(steps: int, step: Step) -> None:
        rows = sum(change.inserted + change.deleted for change in step.changes.values())
        progress.say(f"made change {steps} of {len(plan)}: {step.rate:g} % of the orders, {rows:,} rows")

    return make_timeline(tables, plan, options.pattern, options.seed, made)
