"""A lake whose views are typed and first built by DuckDB, so that the local lane can be tried without a JVM.

Limits: types are DuckDB's; queries must be ones to which it gives the types that Spark gives.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import duckdb

import headwater as hw
from headwater.algebra.nodes import Node, Relation, Scan, Schema
from headwater.engine.compiler import compile_plan
from headwater.engine.local.arrow import to_duckdb
from headwater.engine.local.lane import LocalLane, leaf_name
from headwater.engine.local.residents import name_of
from headwater.engine.local.statements import restructured
from headwater.engine.local.written import LaneSql
from headwater.engine.types import plan_schema
from headwater.lake.arrow_types import plain_table
from tests.delta.harness import transpiled


class Unchecked(LocalLane):
    """Runs any plan that sqlglot can write for DuckDB."""

    @staticmethod
    def _written(plan: Node, prefix: str, folders: Mapping[str, str]) -> str:
        def name(leaf: Scan | Relation) -> str:
            known = leaf_name(leaf)
            return f"resident_{name_of(folders[known])}" if known in folders else f"hw_{prefix}_{known}"

        return restructured(compile_plan(plan, name, hints=False)).sql(dialect=LaneSql)


class InPlaceOfSpark:
    """What the library asks of the Spark lane, done by another DuckDB."""

    name = "spark"
    started = True
    functions: Mapping[str, str] = {}

    def __init__(self) -> None:
        self.lane = Unchecked()
        self.calls: list[str] = []
        self.tables: dict[str, Any] = {}

    def snapshot(self, folder: Any, version: int, large: bool = False) -> Any:
        return folder.read(version)

    def analyse(self, sql: str, tables: dict[str, Any] | None = None) -> Schema:
        self.tables.update(tables or {})
        return plan_schema(rows_of(sql, self.tables).schema)

    def reads_the_clock(self, sql: str, tables: dict[str, Any]) -> bool:
        return False

    def work(self, prefix: str, large: bool = False) -> Any:
        self.calls.append("large" if large else "quick")
        return self.lane.work(prefix)

    def stop(self) -> None:
        self.lane.close()


def rows_of(sql: str, tables: dict[str, Any]) -> Any:
    """A query in Spark's SQL, evaluated by DuckDB over Arrow tables."""
    connection = duckdb.connect()
    for name, rows in tables.items():
        connection.register(name, to_duckdb(rows))
    return plain_table(connection.sql(transpiled(sql)).to_arrow_table())


def connect(path: Any, **options: Any) -> Any:
    lake = hw.connect(str(path), **options)
    lake._spark_lane_ = InPlaceOfSpark()
    return lake
