"""`headwater tables` and `headwater views`: what is in the warehouse, and how fresh it is."""

from __future__ import annotations

from typing import Any

import typer
from rich.console import RenderableType
from rich.text import Text

from headwater.cli import options, screen
from headwater.cli.freshness import behind, standing
from headwater.cli.session import begin


def register(app: typer.Typer) -> None:
    app.command()(tables)
    app.command()(views)


def tables(ctx: typer.Context, warehouse: options.Warehouse = None, json: options.Json = False) -> None:
    """List the tables with their version, rows and columns."""
    session = begin(ctx, warehouse, json)
    with session.lake() as lake:
        found = [_table(table) for table in lake.tables()]
    session.answer({"tables": found}, _tables(found) if found else screen.dim(NO_TABLES))


def views(ctx: typer.Context, warehouse: options.Warehouse = None, json: options.Json = False) -> None:
    """List the views, and how far each is behind what it reads."""
    session = begin(ctx, warehouse, json)
    with session.lake() as lake:
        now = standing(lake)
        found = [_view(view, now) for view in lake.views()]
    session.answer({"views": found}, _views(found) if found else screen.dim(NO_VIEWS))


NO_TABLES = "No tables yet. Make one with: headwater create --table NAME data.csv"
NO_VIEWS = 'No views yet. Make one with: headwater create NAME "SELECT ..."'


def _table(table: Any) -> dict[str, Any]:
    if table.missing is not None:
        gone: dict[str, Any] = {"version": None, "rows": None, "columns": []}
        return {"name": table.name, **gone, "path": str(table.path), "missing": table.missing}
    columns = [{"name": field.name, "type": str(field.type), "nullable": field.nullable} for field in table.schema]
    return {
        "name": table.name,
        "version": table.version,
        "rows": table.rows,
        "columns": columns,
        "path": str(table.path),
    }


def _tables(found: list[dict[str, Any]]) -> RenderableType:
    columns = [screen.name("table"), screen.number("version"), screen.number("rows"), screen.text("columns")]
    return screen.listing(
        columns,
        (
            (
                table["name"],
                *(("", "") if table.get("missing") else (str(table["version"]), screen.count(table["rows"]))),
                screen.warn(f"missing: {table['path']}")
                if table.get("missing")
                else screen.joined(column["name"] for column in table["columns"]),
            )
            for table in found
        ),
    )


def _view(view: Any, now: dict[str, int]) -> dict[str, Any]:
    missed = behind(view, now)
    last = view.history(limit=1).to_pylist()
    return {
        "name": view.name,
        "policy": str(view.policy),
        "rows": view.rows,
        "fresh": not missed,
        "behind": missed,
        "cursor": dict(view.cursor),
        "last_refresh": {key: last[0][key] for key in ("started_at", "strategy", "lane", "seconds")} if last else None,
        "definition": view.definition,
        "path": str(view.path),
    }


def _views(found: list[dict[str, Any]]) -> RenderableType:
    columns = [
        screen.name("view"),
        screen.number("rows"),
        screen.text("policy"),
        screen.text("behind"),
        screen.plain("refreshed"),
        screen.plain("how"),
    ]
    return screen.listing(
        columns,
        (
            (view["name"], screen.count(view["rows"]), view["policy"], _behind(view["behind"]), *_last(view))
            for view in found
        ),
    )


def _behind(missed: dict[str, int | None]) -> Text:
    if not missed:
        return screen.good("fresh")
    return screen.warn(screen.joined(f"{name} by {'?' if lag is None else lag}" for name, lag in missed.items()))


def _last(view: dict[str, Any]) -> tuple[str, str]:
    last = view["last_refresh"]
    if last is None:
        return "never", ""
    to_the_minute = screen.when(last["started_at"]).rpartition(":")[0]
    return to_the_minute, f"{last['strategy']}, {screen.seconds(last['seconds'])}"
