"""The third opponent: DuckDB computing the query anew from the tables' Parquet files, and writing the result to disk.

Idea: what somebody has who leaves Spark for a single machine, at its best: all cores, the files in the page cache,
an open connection. Its texts are the same; TPC-H's mean the same in both dialects. It is not charged for finding the
table's files or for committing the result.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import duckdb


class DuckDB:
    def __init__(self, sql: str, folder: Path) -> None:
        """`folder` takes the results; it is the opponent's own."""
        folder.mkdir(parents=True, exist_ok=True)
        self._target = folder / "result.parquet"
        self._connection = duckdb.connect()
        self._sql = sql

    def read(self, files: Mapping[str, Sequence[str]]) -> None:
        """From now on the tables are these files."""
        for name, paths in files.items():
            self._connection.read_parquet(list(paths)).create_view(name)

    def run(self) -> float:
        """Seconds from the text of the query to its result on disk; the better of two, since the first one in a row
        finds its caches taken by the other engine."""
        return min(self._once(), self._once())

    def _once(self) -> float:
        start = time.perf_counter()
        self._connection.execute(f"COPY ({self._sql}) TO '{self._target}' (FORMAT parquet)")
        return time.perf_counter() - start
