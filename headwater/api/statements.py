"""Running SQL text: the statements of the DDL, and whatever else only reads the lake's tables and views."""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from fnmatch import fnmatchcase
from functools import singledispatch
from typing import TYPE_CHECKING, Any

from headwater.algebra.nodes import Column
from headwater.errors import HeadwaterError
from headwater.sql.ddl import CreateView, DropView, ExplainView, RefreshView, read_statement
from headwater.sql.parse import parse_query, tables_read
from headwater.sql.statements import LEADING, TELLING, WORD, as_text, opening, refuse_what_does_not_read

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from headwater.api.lake import Lake


SHOW = re.compile(r"SHOW\s+(TABLES|VIEWS)(?:\s+(?:LIKE\s+)?'(?P<like>[^']*)')?", re.IGNORECASE)
LISTED = (Column("name", "string"), Column("kind", "string"))


def run(lake: Lake, text: str) -> DataFrame:
    text = as_text(text)
    statement = read_statement(text)
    if statement is not None:
        return lake.spark.createDataFrame([execute(statement, lake)])
    refuse_what_does_not_read(text)
    listing = SHOW.fullmatch(_bare(text))
    if listing is not None:
        return lake._lane.user_rows(_listed(lake, listing[1].upper(), listing["like"]), LISTED)
    names = _tables(lake, text)
    folders = lake._folders(names)
    lane = lake._lane
    return lane.user_query(text, {name: lane.user_frame(folder, folder.latest()) for name, folder in folders.items()})


def _bare(text: str) -> str:
    return text[LEADING.match(text).end() :].strip().rstrip(";").rstrip()  # type: ignore[union-attr]


def _listed(lake: Lake, what: str, like: str | None) -> list[dict[str, str]]:
    """The lake's tables and views by name; `like` is Spark's: * for any letters, | between alternatives."""
    patterns = ("*" if like is None else like).lower().split("|")
    kinds = {"table": "table", "parquet": "attached folder", "view": "materialized view"}
    return [
        {"name": entry.name, "kind": kinds[entry.kind]}
        for entry in lake._catalog.entries()
        if (what == "TABLES" or entry.kind == "view") and any(fnmatchcase(entry.name.lower(), p) for p in patterns)
    ]


def _tables(lake: Lake, text: str) -> list[str]:
    """The lake's tables that a text names; what is not the lake's is left to Spark.

    Where the text is not a query for our parser (DESCRIBE, or syntax that it does not know), any word may be a name.
    """
    named: Iterable[str] = dict.fromkeys(word.lower() for word in WORD.findall(text))
    if not set(opening(text)[0][:1]) & TELLING:
        with suppress(HeadwaterError):
            named = tables_read(parse_query(text))
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
