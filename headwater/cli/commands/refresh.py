"""`headwater refresh`: bring views up to date, each after the views that it reads."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import typer
from rich.console import Group
from rich.text import Text

from headwater.cli import failures, options, screen
from headwater.cli.freshness import chosen
from headwater.cli.session import begin


class Lane(StrEnum):
    auto = "auto"
    spark = "spark"
    local = "local"


def register(app: typer.Typer) -> None:
    app.command()(refresh)


def refresh(
    ctx: typer.Context,
    views: options.Views = None,
    all_views: options.All = False,
    full: Annotated[bool, typer.Option("--full", help="Recompute instead of advancing by the change.")] = False,
    tables: Annotated[
        str | None,
        typer.Option("--tables", metavar="A,B", help="Take in only these tables' changes; others stay where they are."),
    ] = None,
    lane: Annotated[
        Lane | None,
        typer.Option("--lane", metavar="LANE", help="auto, spark or local: which engine carries the change."),
    ] = None,
    warehouse: options.Warehouse = None,
    json: options.Json = False,
) -> None:
    """Bring views up to date with the tables they read.

    headwater refresh revenue --tables orders
    """
    session = begin(ctx, warehouse, json)
    names = options.view_names(views, all_views)
    only = [table.strip() for table in tables.split(",")] if tables else None
    done: list[Any] = []
    failed: Exception | None = None
    with session.lake() as lake:
        for view in chosen(lake, names):
            lake.progress.about(view.name)
            try:
                done.append(view.refresh(tables=only, full=full, lane=lane and lane.value))
            except Exception as error:
                failed = error
                break
    if failed is not None and (session.debug or not done):
        raise failed
    document: dict[str, Any] = {"refreshes": [refreshed.as_dict() for refreshed in done]}
    if failed is not None:
        document["error"] = failures.describe(failed)
    session.answer(document, Group(*(_lines(refreshed) for refreshed in done)))
    if failed is not None:
        if not session.json:
            failures.show(session, failures.describe(failed))
        raise typer.Exit(1)


def _lines(refreshed: Any) -> Text:
    """One line on what happened, and one on why where that is not the usual."""
    line = Text.assemble((refreshed.view, "bold"), "  ")
    if refreshed.strategy == "none":
        return line.append("nothing new", style="dim")
    line.append(refreshed.strategy, style="green" if refreshed.strategy == "incremental" else "yellow")
    line.append(f", {screen.rows_of(refreshed.rows_changed)} changed in {screen.seconds(refreshed.seconds)}")
    if refreshed.lane == "local":
        line.append(", local lane")
    if refreshed.strategy != "incremental":
        line.append(f"\n  {refreshed.reason}", style="dim")
    return line
