"""Running SQL text: the statements of the DDL, and any other query over the lake's tables and views."""

from __future__ import annotations

from functools import singledispatch
from typing import TYPE_CHECKING, Any

from headwater.errors import HeadwaterError
from headwater.sql.ddl import CreateView, DropView, ExplainView, RefreshView, read_statement
from headwater.sql.parse import parse_query, tables_read

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from headwater.api.lake import Lake


def run(lake: Lake, text: str) -> DataFrame:
    statement = read_statement(text)
    if statement is not None:
        return lake.spark.createDataFrame([execute(statement, lake)])
    names = _tables(lake, text)
    folders = lake._folders(names)
    lane = lake._lane
    return lane.user_query(text, {name: lane.user_frame(folder, folder.latest()) for name, folder in folders.items()})


def _tables(lake: Lake, text: str) -> list[str]:
    """The lake's tables that a query names; what is not the lake's is left to Spark."""
    try:
        named = tables_read(parse_query(text))
    except HeadwaterError:
        return []
    return [name for name in named if lake._catalog.find(name) is not None]


@singledispatch
def execute(statement: Any, lake: Lake) -> dict[str, Any]:
    """Run one statement; the row that describes what was done."""
    raise HeadwaterError("sql.ddl", why=f"{type(statement).__name__} cannot be run")


@execute.register(CreateView)
def _(statement: CreateView, lake: Lake) -> dict[str, Any]:
    existing = lake._catalog.find(statement.name)
    if statement.if_not_exists and existing is not None and existing.kind == "view":
        return {"view": existing.name, "result": "exists already"}
    view = lake.create_view(
        statement.name,
        statement.query,
        policy=statement.policy,
        state_budget=statement.state_budget,
        replace=statement.replace,
    )
    return {"view": view.name, "result": f"created with {view.rows or 0} rows"}


@execute.register(RefreshView)
def _(statement: RefreshView, lake: Lake) -> dict[str, Any]:
    report = lake.view(statement.name).refresh(full=statement.full)
    return {
        "view": report.view,
        "strategy": report.strategy,
        "lane": report.lane,
        "rows_changed": report.rows_changed,
        "seconds": report.seconds,
        "reason": report.reason,
    }


@execute.register(DropView)
def _(statement: DropView, lake: Lake) -> dict[str, Any]:
    if statement.if_exists and lake._catalog.find(statement.name) is None:
        return {"view": statement.name, "result": "was not there"}
    lake.view(statement.name).drop()
    return {"view": statement.name, "result": "dropped"}


@execute.register(ExplainView)
def _(statement: ExplainView, lake: Lake) -> dict[str, Any]:
    if statement.name is not None:
        return {"explanation": str(lake.view(statement.name).explain(sql=True))}
    assert statement.create is not None
    return {"explanation": str(lake._explain_new(statement.create))}
