"""`headwater history`: the refreshes that were done, the newest first."""

from __future__ import annotations

import json as json_module
from typing import Annotated, Any

import typer
from rich.console import Group, RenderableType
from rich.text import Text

from headwater.cli import options, screen
from headwater.cli.session import begin

MOST_ENTRIES = 20
ROOM_FOR_REASONS = 110  # characters
IN_JSON = ("cursor_before", "cursor_after", "phases", "operators")  # columns that the table keeps as JSON text


def register(app: typer.Typer) -> None:
    app.command()(history)


def history(
    ctx: typer.Context,
    view: Annotated[
        str | None, typer.Argument(metavar="VIEW", help="The view; every view if left out.", show_default=False)
    ] = None,
    limit: Annotated[
        int, typer.Option("--limit", "-n", metavar="N", min=1, help="Most refreshes to show.")
    ] = MOST_ENTRIES,
    warehouse: options.Warehouse = None,
    json: options.Json = False,
) -> None:
    """Show past refreshes: what was done, why, what it cost."""
    session = begin(ctx, warehouse, json)
    with session.lake() as lake:
        views = lake.views() if view is None else [lake.view(view)]
        entries = [_entry(row) for each in views for row in each.history(limit=limit).to_pylist()]
    entries.sort(key=lambda entry: (entry["started_at"], entry["sequence"] or 0), reverse=True)
    entries = entries[:limit]
    session.answer(
        {"history": entries}, _listing(entries, session.out.width) if entries else screen.dim("No refreshes yet.")
    )


def _entry(row: dict[str, Any]) -> dict[str, Any]:
    return row | {name: json_module.loads(row[name]) if row.get(name) else None for name in IN_JSON}


def _listing(entries: list[dict[str, Any]], width: int) -> RenderableType:
    """A table; the reasons are its last column where that has room, else those that matter stand below it."""
    wide = width >= ROOM_FOR_REASONS
    columns = [
        screen.plain("started"),
        screen.name("view"),
        screen.plain("did"),
        screen.plain("lane"),
        screen.number("rows"),
        screen.number("seconds"),
        screen.number("jobs"),
        *([screen.text("why")] if wide else []),
    ]
    rows = ((*_cells(entry), *([_why(entry)] if wide else [])) for entry in entries)
    notes = [] if wide else [_note(entry) for entry in entries if entry["error"] or entry["strategy"] == "full"]
    return Group(screen.listing(columns, rows), *([Text(), *notes] if notes else []))


def _cells(entry: dict[str, Any]) -> tuple[RenderableType, ...]:
    return (
        screen.when(entry["started_at"]),
        entry["view"],
        screen.bad("failed") if entry["error"] else Text(entry["strategy"] or screen.UNKNOWN),
        Text(entry["lane"] or screen.UNKNOWN),
        screen.count(entry["rows_changed"]),
        screen.seconds(entry["seconds"]),
        screen.count(entry["jobs"]),
    )


def _why(entry: dict[str, Any]) -> Text:
    return screen.bad(entry["error"]) if entry["error"] else Text(entry["reason"] or "")


def _note(entry: dict[str, Any]) -> Text:
    did = "failed" if entry["error"] else entry["strategy"]
    return Text.assemble((f"{screen.when(entry['started_at'])} {entry['view']} {did}: ", "dim"), _why(entry))
