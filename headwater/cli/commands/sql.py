"""`headwater sql`: any Spark SQL over the tables and views, and the DDL of materialized views."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from headwater.cli import options, sources
from headwater.cli.grid import grid
from headwater.cli.session import begin

MOST_ROWS = 100  # what a person may still read


def register(app: typer.Typer) -> None:
    app.command()(sql)


def sql(
    ctx: typer.Context,
    statement: Annotated[
        str | None,
        typer.Argument(metavar="SQL", help="The SQL, or - to read it from standard input.", show_default=False),
    ] = None,
    file: options.SqlFile = None,
    limit: Annotated[
        int, typer.Option("--limit", "-n", metavar="N", min=0, help="Most rows to print; 0 for all of them.")
    ] = MOST_ROWS,
    warehouse: options.Warehouse = None,
    json: options.Json = False,
) -> None:
    """Run SQL over tables and views.

    Any Spark SQL query, and CREATE, REFRESH, EXPLAIN and DROP MATERIALIZED VIEW.

    headwater sql "SELECT status, count(*) FROM orders GROUP BY status"
    """
    session = begin(ctx, warehouse, json)
    text = sources.statement(statement, file)
    with session.lake() as lake:
        lake.progress("running")
        rows, truncated = fetch(lake.sql(text), limit)
    if rows is None:
        session.answer({"columns": [], "rows": [], "truncated": False})
        return
    columns = [{"name": field.name, "type": str(field.type)} for field in rows.schema]
    session.answer(
        {"columns": columns, "rows": rows.to_pylist() if session.json else [], "truncated": truncated},
        grid(rows, truncated, session.out.width),
    )


def fetch(result: Any, limit: int) -> tuple[Any, bool]:
    """The first rows of a Spark frame as Arrow, uniquely named, and whether there are more; None for no result."""
    if result is None or not result.columns:
        return None, False
    rows = (result.limit(limit + 1) if limit else result).toArrow()
    rows = rows.rename_columns(unique(rows.schema.names))
    return (rows.slice(0, limit), True) if limit and rows.num_rows > limit else (rows, False)


def unique(names: list[str]) -> list[str]:
    """A join can give a name twice, a JSON object cannot: `id`, `id` becomes `id`, `id_2`."""
    found: list[str] = []
    for given in names:
        name, number = given, 1
        while name in found:
            number += 1
            name = f"{given}_{number}"
        found.append(name)
    return found
