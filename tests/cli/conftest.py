"""A lake of fakes: what the command line sees of the API, without Spark, Delta or files."""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pytest
from typer.testing import CliRunner

from headwater.errors import HeadwaterError
from headwater.lake.history import SCHEMA
from headwater.refresh.report import Explanation, OperatorReport, Refresh, StoredPast, Verification

MOMENT = datetime.datetime(2024, 2, 29, 12, 0, tzinfo=datetime.UTC)
ORDERS = pa.schema([("id", pa.int64()), ("status", pa.string()), ("price", pa.decimal128(12, 2))])


@dataclass
class FakeTable:
    name: str
    version: int = 0
    rows: int | None = 3
    schema: pa.Schema = ORDERS
    path: str = "warehouse/orders"
    missing: str | None = None
    appended: list[pa.Table] = field(default_factory=list)

    def append(self, data: pa.Table) -> int:
        self.appended.append(data)
        self.rows = (self.rows or 0) + data.num_rows
        self.version += 1
        return self.version


@dataclass
class FakeView:
    name: str
    cursor: dict[str, int]
    version: int = 0
    rows: int | None = 2
    policy: str = "auto"
    definition: str = "SELECT status, count(*) AS n FROM orders GROUP BY status"
    path: str = "warehouse/revenue"
    strategy: str = "incremental"
    ok: bool = True
    error: Exception | None = None
    pasts: tuple[StoredPast, ...] = (StoredPast("join_4", ("id",), "disk", 1_234, 56_789, 2),)
    refreshed: list[dict[str, Any]] = field(default_factory=list)
    log: list[str] = field(default_factory=list)

    @property
    def reads(self) -> tuple[str, ...]:
        return tuple(self.cursor)

    def refresh(self, tables: list[str] | None = None, full: bool = False, lane: str | None = None) -> Refresh:
        self.log.append(self.name)
        self.refreshed.append({"tables": tables, "full": full})
        if self.error:
            raise self.error
        reason = "The operator window has no incremental rule yet." if self.strategy == "full" else ""
        return Refresh(self.name, self.strategy, "spark", reason, 0.25, 7, self.cursor, 3)

    def verify(self) -> Verification:
        self.log.append(self.name)
        wrong = () if self.ok else ({"status": None, "n": 3},)
        return Verification(self.name, self.ok, 0 if self.ok else 1, 0, 2, 1.5, wrong)

    def explain(self, sql: bool = False) -> Explanation:
        scan = OperatorReport(0, 0, "scan orders", "reads the change", "not needed", 7, 0.01)
        statement = "SELECT 1" if sql else ""
        return Explanation(
            self.name, "auto", "incremental", "Cheaper.", self.cursor, {"orders": 1}, (scan,), {"full": 2.0}, statement
        )

    def history(self, limit: int | None = None) -> pa.Table:
        row = dict.fromkeys(SCHEMA.names) | {
            "view": self.name,
            "sequence": 1,
            "started_at": MOMENT,
            "seconds": 0.25,
            "strategy": "incremental",
            "lane": "spark",
            "reason": "Cheaper.",
            "cursor_before": json.dumps({"orders": 0}),
            "cursor_after": json.dumps({"orders": 1}),
            "rows_changed": 7,
            "phases": json.dumps({"publish": 0.1}),
        }
        return pa.Table.from_pylist([row], SCHEMA).slice(0, limit)

    def states(self) -> tuple[StoredPast, ...]:
        return self.pasts


class FakeFrame:
    """As much of a Spark DataFrame as is asked for."""

    def __init__(self, rows: pa.Table) -> None:
        self._rows = rows
        self.columns = rows.schema.names

    def limit(self, count: int) -> FakeFrame:
        return FakeFrame(self._rows.slice(0, count))

    def toArrow(self) -> pa.Table:
        return self._rows


class FakeLake:
    def __init__(self) -> None:
        self.fake_tables = {"orders": FakeTable("orders", version=3)}
        self.fake_views = {"revenue": FakeView("revenue", {"orders": 3})}
        self.statements: list[str] = []
        self.created: list[dict[str, Any]] = []
        self.answer: Any = None
        self.progress: Any = None
        self.closed = False

    def __enter__(self) -> FakeLake:
        return self

    def __exit__(self, *details: object) -> None:
        self.closed = True

    def tables(self) -> list[FakeTable]:
        return list(self.fake_tables.values())

    def views(self) -> list[FakeView]:
        return list(self.fake_views.values())

    def table(self, name: str) -> FakeTable:
        return self._known(self.fake_tables, "table.unknown", name)

    def view(self, name: str) -> FakeView:
        return self._known(self.fake_views, "view.unknown", name)

    @staticmethod
    def _known(found: dict[str, Any], key: str, name: str) -> Any:
        if name not in found:
            raise HeadwaterError(key, name=name, known=", ".join(found))
        return found[name]

    def create_table(self, name: str, data: pa.Table, partition_by: list[str] | None = None) -> FakeTable:
        self.created.append({"table": name, "data": data, "partition_by": partition_by})
        return FakeTable(name, rows=data.num_rows)

    def create_view(self, name: str, sql: str, policy: str = "auto", replace: bool = False, **states: Any) -> FakeView:
        told = {option: value for option, value in states.items() if value is not None}
        self.created.append({"view": name, "sql": sql, "policy": policy, "replace": replace, **told})
        return FakeView(name, {"orders": 3}, policy=policy)

    def sql(self, text: str) -> Any:
        self.statements.append(text)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer if self.answer is None else FakeFrame(self.answer)


@pytest.fixture
def fake(monkeypatch, tmp_path) -> FakeLake:
    """The lake that every command opens, in a folder that looks like a warehouse."""
    lake = FakeLake()
    opened = lambda path: lake  # noqa: E731
    monkeypatch.setattr("headwater.cli.session.connect", opened)
    monkeypatch.setattr("headwater.cli.commands.demo.connect", opened)
    (tmp_path / "warehouse" / "_headwater").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("HEADWATER_WAREHOUSE", raising=False)
    return lake


@pytest.fixture
def run() -> Callable[..., Any]:
    """Run the command line in this process: `run("views", "--json")`."""
    from headwater.cli.main import app

    def run(*arguments: str, **options: Any) -> Any:
        return CliRunner().invoke(app, list(arguments), prog_name="headwater", **options)

    return run


@pytest.fixture(autouse=True)
def _no_width_of_a_terminal(monkeypatch):
    """Whoever runs the tests may have one; a test that wants a width sets it."""
    monkeypatch.delenv("COLUMNS", raising=False)
