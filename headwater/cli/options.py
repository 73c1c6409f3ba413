"""Options and arguments that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Warehouse = Annotated[
    str | None,
    typer.Option(
        "--warehouse",
        "-w",
        metavar="DIR",
        help="The warehouse folder; otherwise $HEADWATER_WAREHOUSE, or ./warehouse.",
        show_default=False,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]
Views = Annotated[list[str] | None, typer.Argument(metavar="VIEW", help="The views.", show_default=False)]
All = Annotated[bool, typer.Option("--all", "-a", help="Every view, each after the views that it reads.")]
SqlFile = Annotated[
    Path | None, typer.Option("--file", "-f", metavar="FILE", help="Read the SQL from a file.", show_default=False)
]


def view_names(views: list[str] | None, all_views: bool) -> list[str]:
    """The names given, none meaning all; a usage error unless it is one or the other."""
    if bool(views) == all_views:
        raise typer.BadParameter("name one or more views, or use --all for every view")
    return views or []
