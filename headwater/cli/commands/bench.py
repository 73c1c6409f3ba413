"""`headwater bench`: the commands of `headwater.bench`, imported when one is asked for."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import typer
from typer.core import TyperGroup


class Benchmarks(TyperGroup):
    """The group that `headwater.bench.cli` defines, in the place of this one."""

    @cached_property
    def _real(self) -> Any:
        from headwater.bench.cli import app

        app.info.name = "bench"
        whole = typer.Typer(rich_markup_mode=None)
        whole.add_typer(app, name="bench")
        group: Any = typer.main.get_command(whole)
        return group.commands["bench"]

    def list_commands(self, ctx: Any) -> list[str]:
        return list(self._real.commands)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        return self._real.commands.get(cmd_name)


def register(app: typer.Typer) -> None:
    group = typer.Typer(cls=Benchmarks, help="Measure refreshes against full recomputation.", no_args_is_help=True)
    app.add_typer(group, name="bench")
