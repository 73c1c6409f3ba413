"""`headwater explain`: what a refresh of a view will do, and why."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

import typer
from rich.console import RenderableType
from rich.text import Text

from headwater.cli import options, screen
from headwater.cli.session import begin


def register(app: typer.Typer) -> None:
    app.command()(explain)


def explain(
    ctx: typer.Context,
    view: Annotated[str, typer.Argument(metavar="VIEW", help="The view.", show_default=False)],
    sql: Annotated[bool, typer.Option("--sql", help="Show the SQL of the refresh as well.")] = False,
    warehouse: options.Warehouse = None,
    json: options.Json = False,
) -> None:
    """Show how the next refresh of a view will work, and why.

    Per operator: the rule that moves it, where its past is read from, and what the last refresh measured.
    """
    session = begin(ctx, warehouse, json)
    with session.lake() as lake:
        explained = lake.view(view).explain(sql=sql)
    session.answer(explained.as_dict(), *_shown(explained, session.out.width))


def _shown(explained: Any, width: int) -> list[RenderableType]:
    from rich.syntax import Syntax

    words: list[RenderableType] = [Text(screen.hanging(str(replace(explained, sql="")), width))]
    if explained.sql:
        words += [Text(), Syntax(explained.sql, "sql", theme="ansi_dark", background_color="default", word_wrap=True)]
    return words
