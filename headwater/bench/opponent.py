"""The opponent: Spark computing the query anew from the tables' files, and writing the result to disk.

Idea: what a Spark user has without Headwater, at its best: a session of its own, settings chosen per query by trying
the candidates, warm. It is not charged for finding the table's files or for committing the result.
Invariant: it reads the very files of the version that the view is refreshed to, and nothing that is cached.
Complexity: calibration runs every candidate once and the best few again.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

WARM_UPS = 2  # before calibration: generated code must be compiled and the JVM warm
FINALISTS = 2  # candidates that run a second time
CACHED = "InMemoryTableScan"  # how a plan says that it reads what somebody cached


def candidates(cores: int) -> dict[str, dict[str, str]]:
    """Settings that were the fastest for some query, by name; `docs/benchmarks/README.md` says how they were found."""
    adaptive = {"spark.sql.adaptive.enabled": "true"}
    fixed = {"spark.sql.adaptive.enabled": "false"}
    hash_join = {
        "spark.sql.join.preferSortMergeJoin": "false",
        "spark.sql.adaptive.maxShuffledHashJoinLocalMapThreshold": "256m",
    }
    splits = {"spark.sql.files.minPartitionNum": str(4 * cores)}  # finer ones balance the cores better
    broadcast = {"spark.sql.autoBroadcastJoinThreshold": "64m"}
    return {
        "adaptive": adaptive | _partitions(cores),
        "adaptive, 2 partitions a core": adaptive | _partitions(2 * cores),
        "adaptive, 4 partitions a core": adaptive | _partitions(4 * cores),
        "adaptive, finer splits": adaptive | _partitions(2 * cores) | splits,
        "adaptive, hash joins": adaptive | _partitions(2 * cores) | hash_join,
        "adaptive, hash joins, broadcasts to 64 MB": adaptive | _partitions(2 * cores) | hash_join | broadcast,
        "fixed plan": fixed | _partitions(cores),
        "fixed plan, finer splits": fixed | _partitions(cores) | splits,
    }


def _partitions(count: int) -> dict[str, str]:
    return {"spark.sql.shuffle.partitions": str(count)}


class Opponent:
    def __init__(self, spark: SparkSession, sql: str, folder: Path) -> None:
        """`folder` takes the results; it is the opponent's own."""
        self._session = spark.newSession()
        self._sql = sql
        self._folder = folder
        self._runs = 0
        self._set: Mapping[str, str] = {}
        self.settings = ""  # the name of those chosen

    def read(self, files: Mapping[str, Sequence[str]]) -> None:
        """From now on the tables are these files."""
        for name, paths in files.items():
            self._session.read.parquet(*paths).createOrReplaceTempView(name)

    def calibrate(self) -> dict[str, float]:
        """Choose the fastest settings; what each candidate took."""
        tried = candidates(self._session.sparkContext.defaultParallelism)
        for _ in range(WARM_UPS):
            self.run()
        seconds = {name: self._try(settings) for name, settings in tried.items()}
        for name in sorted(seconds, key=seconds.__getitem__)[:FINALISTS]:
            seconds[name] = min(seconds[name], self._try(tried[name]))
        self.settings = min(seconds, key=seconds.__getitem__)
        self._use(tried[self.settings])
        return seconds

    def _try(self, settings: Mapping[str, str]) -> float:
        self._use(settings)
        return self.run()

    def run(self) -> float:
        """Seconds from the text of the query to its result on disk."""
        target = self._folder / f"run-{self._runs}"
        self._runs += 1
        start = time.perf_counter()
        self._session.sql(self._sql).write.parquet(str(target))
        seconds = time.perf_counter() - start
        shutil.rmtree(target)
        return seconds

    def reads_cache(self) -> bool:
        """Whether Spark would answer from something that was cached in the executors, which would be no recompute."""
        plan = self._session.sql(self._sql)._jdf.queryExecution().executedPlan()
        return CACHED in plan.toString()

    def _use(self, settings: Mapping[str, str]) -> None:
        for key in self._set:
            self._session.conf.unset(key)
        for key, value in settings.items():
            self._session.conf.set(key, value)
        self._set = settings
