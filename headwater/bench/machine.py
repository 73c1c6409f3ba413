"""The machine a benchmark ran on: a result means nothing without it."""

from __future__ import annotations

import os
import platform
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

BUSY_FIELDS = (0, 1, 2, 5, 6, 7)  # of /proc/stat: user, nice, system, interrupts and what a hypervisor took
PACKAGES = ("headwater", "pyspark", "deltalake", "pyarrow", "duckdb")


def describe(spark: SparkSession) -> dict[str, Any]:
    """Cores, memory, load, operating system and versions, as values that JSON knows."""
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "spark_cores": spark.sparkContext.defaultParallelism,
        "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9, 1),
        "spark_driver_memory": spark.conf.get("spark.driver.memory", "1g"),
        "load_at_start": round(os.getloadavg()[0], 2),
        "system": platform.platform(),
        "python": platform.python_version(),
        "java": _java(spark),
    } | {name: _version(name) for name in PACKAGES}


class Bystanders:
    """How many cores processes that are not ours have used since this was made; None where Linux does not tell."""

    def __init__(self, spark: SparkSession) -> None:
        jvm = spark._jvm
        self._ours = [os.getpid(), *([int(jvm.java.lang.ProcessHandle.current().pid())] if jvm else [])]
        self._start = self._reading()

    def cores(self) -> float | None:
        now = self._reading()
        if self._start is None or now is None or now[0] <= self._start[0]:
            return None
        return max(0.0, round((now[1] - self._start[1]) / (now[0] - self._start[0]), 2))

    def _reading(self) -> tuple[float, float] | None:
        """Seconds on the clock, and CPU seconds of everyone else."""
        try:
            fields = Path("/proc/stat").read_text().splitlines()[0].split()[1:]
            ours = [Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13] for pid in self._ours]
        except OSError:
            return None
        ticks = sum(int(fields[at]) for at in BUSY_FIELDS) - sum(int(count) for pair in ours for count in pair)
        return time.monotonic(), ticks / os.sysconf("SC_CLK_TCK")


def _processor() -> str:
    """Its model, where Linux says so."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def _java(spark: SparkSession) -> str:
    jvm = spark._jvm
    return str(jvm.java.lang.System.getProperty("java.version")) if jvm else "unknown"


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
