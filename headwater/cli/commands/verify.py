"""`headwater verify`: compare views with their own SQL, recomputed by Spark at their cursor."""

from __future__ import annotations

from typing import Any

import typer
from rich.console import Group
from rich.text import Text

from headwater.cli import options, screen
from headwater.cli.freshness import chosen
from headwater.cli.grid import record
from headwater.cli.session import begin


def register(app: typer.Typer) -> None:
    app.command()(verify)


def verify(
    ctx: typer.Context,
    views: options.Views = None,
    all_views: options.All = False,
    warehouse: options.Warehouse = None,
    json: options.Json = False,
) -> None:
    """Compare views with their own SQL, recomputed by Spark.

    The SQL is evaluated at the view's cursor and compared row for row. Exit status 1 if a view differs.
    """
    session = begin(ctx, warehouse, json)
    names = options.view_names(views, all_views)
    found: list[Any] = []
    with session.lake() as lake:
        for view in chosen(lake, names):
            lake.progress.about(view.name)
            lake.progress("verifying")
            found.append(view.verify())
    ok = all(verification.ok for verification in found)
    document = {"ok": ok, "verifications": [verification.as_dict() for verification in found]}
    session.answer(document, Group(*(lines(verification) for verification in found)))
    if not ok:
        raise typer.Exit(1)


def lines(verification: Any) -> Text:
    """The verdict in one line, and rows that show a difference below it."""
    line = Text.assemble((verification.view, "bold"), "  ")
    checked = f", {screen.rows_of(verification.rows)} checked in {screen.seconds(verification.seconds)}"
    if verification.ok:
        return line.append("equals its recompute", style="green").append(checked)
    line.append("differs from its recompute", style="red")
    line.append(
        f": {screen.rows_of(verification.missing)} missing, {screen.rows_of(verification.extra)} too many{checked}"
    )
    for example in verification.examples:
        line.append(f"\n  {record(example)}", style="dim")
    return line
