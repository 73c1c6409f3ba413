"""`headwater create` and `headwater append`: views from SQL, tables and rows from files."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from headwater.cli import options, screen, sources
from headwater.cli.session import Session, begin

Name = Annotated[str, typer.Argument(metavar="NAME", help="The name of the view or table.", show_default=False)]
Nulls = Annotated[
    list[str] | None,
    typer.Option("--null", metavar="TEXT", help="Text that means a missing value, such as NA; can be given again."),
]


class Policy(StrEnum):
    auto = "auto"
    incremental = "incremental"
    strict = "strict"
    full = "full"


class State(StrEnum):
    needed = "needed"
    diss = "diss"
    recycler = "recycler"
    all = "all"
    none = "none"


def register(app: typer.Typer) -> None:
    app.command()(create)
    app.command()(append)


def create(
    ctx: typer.Context,
    name: Name,
    source: Annotated[
        str | None,
        typer.Argument(
            metavar="SOURCE", help="A view's SELECT, or - for standard input; a table's data file.", show_default=False
        ),
    ] = None,
    file: options.SqlFile = None,
    policy: Annotated[
        Policy | None,
        typer.Option(
            "--policy",
            "-p",
            metavar="POLICY",
            help="How the view is refreshed: auto (if left out), incremental, strict or full.",
        ),
    ] = None,
    budget: Annotated[
        str | None,
        typer.Option("--budget", metavar="SIZE", help="What a view may store, such as 2GB; no limit if left out."),
    ] = None,
    state: Annotated[
        State | None,
        typer.Option(
            "--state", metavar="WHO", help="Who chooses what a view stores: needed, diss, recycler, all or none."
        ),
    ] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Replace the view if there is one.")] = False,
    table: Annotated[bool, typer.Option("--table", "-t", help="Make a table from a data file.")] = False,
    partition_by: Annotated[
        str | None, typer.Option("--partition-by", metavar="A,B", help="Columns that partition the table.")
    ] = None,
    null: Nulls = None,
    warehouse: options.Warehouse = None,
    json: options.Json = False,
) -> None:
    """Create a view from a SELECT, or a table from a file.

    A table's file is CSV, TSV, Parquet or JSON lines.

    headwater create revenue "SELECT day, sum(price) AS price FROM orders GROUP BY day"

    headwater create --table orders orders.csv --null NA
    """
    session = begin(ctx, warehouse, json)
    if table:
        _refuse(policy=policy, replace=replace, file=file, budget=budget, state=state)
        _create_table(session, name, source, null or [], partition_by)
    else:
        _refuse(**{"partition-by": partition_by, "null": null})
        _create_view(session, name, sources.statement(source, file), policy or Policy.auto, replace, budget, state)


def _refuse(**given: Any) -> None:
    """Options that belong to the other kind are a mistake, not noise."""
    for option, value in given.items():
        if value:
            raise typer.BadParameter(f"--{option} is for {'tables' if option in ('partition-by', 'null') else 'views'}")


def _create_view(
    session: Session, name: str, sql: str, policy: Policy, replace: bool, budget: str | None, state: State | None
) -> None:
    with session.lake() as lake:
        lake.progress("creating", name)
        view = lake.create_view(
            name, sql, policy=policy.value, state_budget=budget, state=state and state.value, replace=replace
        )
        created = {"name": view.name, "policy": str(view.policy), "rows": view.rows, "cursor": dict(view.cursor)}
    session.answer(
        {"view": created}, Text.assemble(("created view ", ""), (name, "bold"), f": {screen.rows_of(created['rows'])}")
    )


def _create_table(session: Session, name: str, source: str | None, nulls: list[str], partition_by: str | None) -> None:
    if source is None:
        raise typer.BadParameter("name the data file: headwater create --table NAME data.csv")
    columns = [column.strip() for column in partition_by.split(",")] if partition_by else None
    data = sources.rows(Path(source), nulls)
    with session.lake(make=True) as lake:
        lake.progress("writing", name)
        table = lake.create_table(name, data, partition_by=columns)
        created = _table(table)
    session.answer({"table": created}, _sentence("created table ", created))


def append(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(metavar="TABLE", help="The table.", show_default=False)],
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A CSV, Parquet or JSON-lines file.", show_default=False)
    ],
    null: Nulls = None,
    warehouse: options.Warehouse = None,
    json: options.Json = False,
) -> None:
    """Append a file's rows to a table, as one new version."""
    session = begin(ctx, warehouse, json)
    with session.lake() as lake:
        table = lake.table(name)
        data = sources.rows(file, null or [], table.schema)
        lake.progress("appending to", name)
        table.append(data)
        appended = _table(table)
    sentence = _sentence(f"appended {screen.rows_of(data.num_rows)} to ", appended)
    session.answer({"table": appended, "appended": data.num_rows}, sentence)


def _table(table: Any) -> dict[str, Any]:
    return {"name": table.name, "version": table.version, "rows": table.rows}


def _sentence(did: str, table: dict[str, Any]) -> Text:
    return Text.assemble(did, (table["name"], "bold"), f": {screen.rows_of(table['rows'])}, version {table['version']}")
