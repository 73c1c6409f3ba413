"""What a refresh costs at the least: the steps that every refresh is made of, timed one by one on this machine.

Idea: each probe is one step as a refresh makes it, in the engine's own session for small work; the floor of a
refresh is the sum of the steps it takes. Medians and minima over many runs, after warming up.
Limits: probes run alone; in a refresh several of them share the planner's caches and the executors.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from headwater.engine.spark.session import Sessions
from headwater.lake.delta_table import DeltaFolder

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SMALL = 100  # rows of a small change
GROUPS = 25
WARM_UPS = 5
VERSIONS_KEPT = 12  # the files that a snapshot is made of


@dataclass(frozen=True)
class Timing:
    """One probe: the median and the minimum over the runs, in seconds."""

    name: str
    median: float
    minimum: float
    runs: int


def measure(
    spark: SparkSession, folder: Path, rows: int, runs: int, say: Callable[[str], None] = lambda text: None
) -> list[Timing]:
    """Every probe, in the order of the table; `rows` is the size of the large side."""
    say(f"writing {rows:,} rows")
    session = Sessions.of(spark).quick
    found = []
    for name, probe in (_spark_probes(session, folder, rows) | _lake_probes(folder)).items():
        say(name)
        found.append(_time(name, probe, runs))
    return found


def _time(name: str, probe: Callable[[], object], runs: int) -> Timing:
    for _ in range(WARM_UPS):
        probe()
    seconds = []
    for _ in range(runs):
        start = time.perf_counter()
        probe()
        seconds.append(time.perf_counter() - start)
    return Timing(name, statistics.median(seconds), min(seconds), runs)


def _spark_probes(spark: SparkSession, folder: Path, rows: int) -> dict[str, Callable[[], object]]:
    files = _large_side(spark, folder / "large", rows)
    schema = spark.read.parquet(files[0]).schema
    large = spark.read.schema(schema).parquet(*files)
    large.createOrReplaceTempView("large")
    held = spark.read.schema(schema).parquet(*files).where("k >= 0").persist()
    held.count()
    held.createOrReplaceTempView("held")
    small = small_change(rows)
    spark.createDataFrame(small).createOrReplaceTempView("small")

    def join(side: str) -> Callable[[], object]:
        text = f"""select /*+ BROADCAST(small) */ g, sum(v * w) from {side} join small using (k) group by g"""
        return lambda: spark.sql(text).toArrow()

    return {
        "plan `select 1`": lambda: spark.sql("select 1")._jdf.queryExecution().executedPlan(),
        "`select 1`, collected": lambda: spark.sql("select 1").toArrow(),
        f"createDataFrame of {SMALL} Arrow rows": lambda: spark.createDataFrame(small),
        f"{SMALL} Arrow rows there and back (local relation)": lambda: spark.createDataFrame(small).toArrow(),
        f"group {SMALL} rows (one shuffle)": lambda: spark.sql("select k % 5, sum(w) from small group by 1").toArrow(),
        f"DataFrame over {len(files)} Parquet files": lambda: spark.read.schema(schema).parquet(*files),
        f"sum over {rows:,} rows of Parquet": lambda: spark.sql("select sum(v) from large").toArrow(),
        f"{SMALL} rows broadcast against {rows:,} of Parquet": join("large"),
        f"{SMALL} rows broadcast against {rows:,} cached": join("held"),
        f"Spark writes {SMALL} rows as Parquet": lambda: (
            spark.table("small").write.mode("overwrite").parquet(str(folder / "written"))
        ),
    }


def _lake_probes(folder: Path) -> dict[str, Callable[[], object]]:
    rows = small_change(SMALL)
    table = DeltaFolder.create(folder / "delta", rows.schema)
    for _ in range(VERSIONS_KEPT):
        table.append(rows)
    return {
        "open a Delta table": lambda: DeltaFolder.open(table.path).latest(),
        "look for new versions": table.latest,
        "find and read the change of one version": lambda: table.changes(table.latest() - 1).read(),
        f"write {SMALL} rows into a file": lambda: table.write(rows),
        "commit alone": lambda: table.commit([]),
        f"append {SMALL} rows (file and commit)": lambda: table.append(rows),
    }


def small_change(keys: int) -> pa.Table:
    """Signed rows for keys below `keys`, spread evenly."""
    weights = np.where(np.arange(SMALL) % 2 == 0, 1, -1)
    return pa.table({"k": np.linspace(0, keys - 1, SMALL).astype(np.int64), "w": weights})


def _large_side(spark: SparkSession, folder: Path, rows: int) -> list[str]:
    numbers = spark.range(0, rows, 1, VERSIONS_KEPT)
    rows_of_three = numbers.selectExpr("id as k", f"id % {GROUPS} as g", "cast(id % 1000 as decimal(15, 2)) as v")
    rows_of_three.write.parquet(str(folder))
    return sorted(str(path) for path in folder.glob("*.parquet"))
