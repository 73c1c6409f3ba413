"""Spark sessions: one made for a laptop, and two private ones for our own work on any cluster.

Idea: a refresh wants few, quick jobs; a build wants throughput. Each gets a session of its own (`newSession`:
same cluster, own temporary views and settings), so that neither disturbs the user's or flips settings back and forth.
A process has one local Spark at most: the lakes that use it are counted, and the last one to close stops it.
"""

from __future__ import annotations

import logging
import os
import sys
import threading
from dataclasses import dataclass
from pathlib import Path

from pyspark import SparkContext
from pyspark.sql import SparkSession

from headwater.engine.spark import gateway
from headwater.engine.spark.java import java_home

LOCAL_MEMORY = "4g"
SPLITS = 2  # a scan is cut into this many pieces a core, so that no core waits long for the other
COMPILED_STAGES = 2_000  # Spark keeps 100; a dozen views have more, and each miss compiles Java for 50-100 ms
JVM_OPTIONS = "-XX:-DontCompileHugeMethods"  # a generated method above 8 kB would otherwise stay interpreted
# Measured (see docs/performance.md): adaptive execution costs a small job a third of its time and helps large ones.
QUICK = {
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.leafNodeDefaultParallelism": "1",
    "spark.sql.files.maxPartitionBytes": "32m",
    "spark.sql.files.openCostInBytes": "1m",
    "spark.sql.sources.bucketing.autoBucketedScan.enabled": "false",  # on, each cached result clones the session
    "spark.sql.optimizer.excludedRules": "org.apache.spark.sql.catalyst.optimizer.InferFiltersFromConstraints",
    "spark.sql.codegen.wholeStage.union.enabled": "false",  # one method for all branches grows too large for the JIT
    # Rows above this size stay outside the plan: as a local relation, the optimizer would carry and rewrite every one.
    "spark.sql.execution.arrow.localRelationThreshold": "16KB",
}
LARGE = {"spark.sql.adaptive.enabled": "true"}
COMMON = {
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    "spark.sql.legacy.createHiveTableByDefault": "false",
    "spark.sql.sources.partitionColumnTypeInference.enabled": "false",
}
# What Spark prints while it starts says nothing to a user; what goes wrong reaches them as an exception.
LOGGING = Path(__file__).with_name("log4j2.properties")
INHERITED = ("spark.sql.session.timeZone", "spark.sql.ansi.enabled", "spark.sql.caseSensitive")


def local_session(**conf: str) -> SparkSession:
    """A local Spark on all cores, bound to loopback, quiet; `conf` adds or overrides settings."""
    quiet()
    os.environ["JAVA_HOME"] = java_home()
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    cores = os.cpu_count() or 1
    settings = {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.memory": LOCAL_MEMORY,
        "spark.sql.shuffle.partitions": str(cores),
        "spark.sql.session.timeZone": "UTC",
        "spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile={LOGGING.as_uri()} {JVM_OPTIONS}",
        "spark.sql.codegen.cache.maxEntries": str(COMPILED_STAGES),
        **{key.replace("__", "."): value for key, value in conf.items()},
    }
    gateway.start(settings)
    builder = SparkSession.builder.master(f"local[{cores}]").appName("headwater")
    for key, value in settings.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()


class LocalSpark:
    """The local Spark that the lakes of this process share."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._context: SparkContext | None = None  # the one that was started here
        self._users = 0

    def borrow(self) -> SparkSession:
        """A session on it, started if need be; where somebody else's Spark runs, a session of our own on that."""
        with self._lock:
            running = SparkSession.getActiveSession() or SparkSession._instantiatedSession
            if running is not None and is_stopped(running):
                running = None
            if running is not None and running.sparkContext is not self._context:
                return _as_local(running)
            session = running or local_session()
            if session.sparkContext is not self._context:
                self._context, self._users = session.sparkContext, 0
            self._users += 1
            return session

    def give_back(self, session: SparkSession) -> None:
        """Stops it when nobody else uses it; what was not started here, or was stopped elsewhere, is left alone."""
        with self._lock:
            if self._context is None or session.sparkContext is not self._context:
                return
            self._users -= 1
            if self._users == 0:
                self._context = None
                if not is_stopped(session):
                    session.stop()


LOCAL_SPARK = LocalSpark()


def _as_local(running: SparkSession) -> SparkSession:
    """A session on somebody else's Spark, under the settings of a local one."""
    session = running.newSession()
    session.conf.set("spark.sql.session.timeZone", "UTC")
    session.conf.set("spark.sql.ansi.enabled", "true")
    return session


def is_stopped(session: SparkSession) -> bool:
    """True when the session's Spark is no longer there, whoever stopped it."""
    context = session.sparkContext
    return context._jsc is None or bool(context._jsc.sc().isStopped())


@dataclass(frozen=True)
class Sessions:
    """The user's session and our two."""

    user: SparkSession
    quick: SparkSession
    large: SparkSession

    @classmethod
    def of(cls, user: SparkSession) -> Sessions:
        quiet()
        cores = str(user.sparkContext.defaultParallelism)
        splits = {"spark.sql.shuffle.partitions": cores, "spark.sql.files.minPartitionNum": str(SPLITS * int(cores))}
        quick = _private(user, QUICK | splits)
        return cls(user, quick, _private(user, LARGE | {"spark.sql.shuffle.partitions": str(4 * int(cores))}))


def _private(user: SparkSession, settings: dict[str, str]) -> SparkSession:
    session = user.newSession()
    inherited = {key: value for key in INHERITED if (value := user.conf.get(key, None)) is not None}
    for key, value in {**COMMON, **inherited, **settings}.items():
        session.conf.set(key, value)
    return session


def quiet() -> None:
    """pyspark logs every refused query with its whole JVM stack; the refusal is raised anyway."""
    logging.getLogger("SQLQueryContextLogger").setLevel(logging.CRITICAL + 1)
