"""`headwater states`: the pasts that views keep, so that a refresh need not recompute them."""

from __future__ import annotations

from typing import Annotated

import typer

from headwater.cli import options, screen
from headwater.cli.session import begin

WIDE = 110  # characters
LONGEST_LABEL = {True: 60, False: 28}  # characters of an operator's description, on a wide screen or not


def register(app: typer.Typer) -> None:
    app.command()(states)


def states(
    ctx: typer.Context,
    view: Annotated[
        str | None, typer.Argument(metavar="VIEW", help="The view; every view if left out.", show_default=False)
    ] = None,
    warehouse: options.Warehouse = None,
    json: options.Json = False,
) -> None:
    """Show what views keep to refresh quickly, and its size."""
    session = begin(ctx, warehouse, json)
    with session.lake() as lake:
        views = lake.views() if view is None else [lake.view(view)]
        kept = [{"view": each.name, **past.as_dict()} for each in views for past in each.states()]
    total = sum(past["bytes"] for past in kept)
    if not kept:
        session.answer({"states": [], "bytes": 0}, screen.dim("Nothing is stored."))
        return
    columns = [
        screen.name("view"),
        screen.text("past"),
        screen.text("key"),
        screen.text("place"),
        screen.number("rows"),
        screen.number("size"),
        screen.number("segments"),
    ]
    table = screen.listing(
        columns,
        (
            (
                past["view"],
                screen.clipped(past["node"], LONGEST_LABEL[session.out.width >= WIDE]),
                screen.joined(past["key"]),
                past["place"],
                screen.count(past["rows"]),
                screen.size(past["bytes"]),
                screen.count(past["segments"]),
            )
            for past in kept
        ),
    )
    session.answer({"states": kept, "bytes": total}, table, screen.dim(f"{screen.size(total)} in all"))
