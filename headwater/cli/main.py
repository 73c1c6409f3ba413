"""`headwater`: the app and its commands.

Idea: parsing only; a command's work is imported when it runs, so that `headwater --help` is instant.
Invariant: exit status 0, 1 (a refusal or a failed verification), 2 (usage); every exception of a command is told by
`failures`.
"""

from __future__ import annotations

from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from headwater import __version__
from headwater.cli import failures, options
from headwater.cli.commands import bench, create, demo, explain, history, listings, refresh, sql, states, verify
from headwater.cli.session import Session, begin


class Commands(TyperGroup):
    """The group of all commands, in the order they were added; whatever one raises becomes an answer."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(self.commands)

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise failures.interrupted(ctx.ensure_object(Session)) from None
        except failures.PASSED_ON:
            raise
        except Exception as error:
            raise failures.report(ctx.ensure_object(Session), error) from None


app = typer.Typer(
    cls=Commands,
    help="Keeps SQL views on Apache Spark fresh, by the change and not by the whole.",
    epilog="Start with: headwater demo",
    context_settings={"help_option_names": ["--help", "-h"]},
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"headwater {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def common(
    ctx: typer.Context,
    warehouse: options.Warehouse = None,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    session = begin(ctx, warehouse)
    session.debug = debug
    if ctx.invoked_subcommand is None:
        typer.echo(ctx.get_help())


for command in (demo, sql, listings, create, refresh, explain, verify, history, states, bench):
    command.register(app)


def main() -> None:
    app(prog_name="headwater")


if __name__ == "__main__":
    main()
