"""One run of a command: its warehouse, how it answers, and the lake that it opens.

Idea: a command asks the session for the lake and hands it what to say; where that goes, in which form, and what the
terminal shows meanwhile is decided here alone.
Invariant: with `--json` stdout carries one JSON document and nothing else.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import typer
from rich.console import Console, RenderableType

from headwater.cli import screen
from headwater.cli.json_text import to_json
from headwater.cli.progress import Progress
from headwater.cli.refusals import Refusal

DEFAULT_WAREHOUSE = "warehouse"
WAREHOUSE_VARIABLE = "HEADWATER_WAREHOUSE"
OWN_FOLDER = "_headwater"  # what makes a folder a warehouse


def connect(path: str) -> Any:
    """`headwater.connect`, imported when it is needed; the one place that tests replace."""
    import headwater

    return headwater.connect(path, warm=True)


@dataclass
class Session:
    """The options that every command shares, and the two streams."""

    chosen: str | None = None  # what --warehouse said, if anything
    json: bool = False
    debug: bool = False
    out: Console = field(default_factory=screen.stdout)
    err: Console = field(default_factory=screen.stderr)

    @property
    def warehouse(self) -> str:
        return self.chosen or os.environ.get(WAREHOUSE_VARIABLE) or DEFAULT_WAREHOUSE

    @contextmanager
    def lake(self, *, make: bool = False) -> Iterator[Any]:
        """The lake, with progress shown while it works; the folder must be a warehouse already unless `make`."""
        if not make:
            require_warehouse(self.warehouse)
        with Progress(self.err, "opening the warehouse") as progress, connect(self.warehouse) as lake:
            lake.progress = progress
            yield lake

    def answer(self, document: dict[str, Any], *renderables: RenderableType) -> None:
        """Print the document with `--json`, and what a person reads otherwise; a plain string is never wrapped."""
        if self.json:
            typer.echo(to_json(document))
            return
        for renderable in renderables:
            self.out.print(renderable, soft_wrap=isinstance(renderable, str))


def require_warehouse(path: str) -> None:
    """Looking around must not leave an empty warehouse behind where a path was mistyped."""
    if "://" in path or Path(path).is_file():
        return  # object storage is asked when it is opened; a file has an error of its own
    if not (Path(path) / OWN_FOLDER).is_dir():
        raise Refusal("cli.no_warehouse", path=path)


def begin(ctx: typer.Context, warehouse: str | None = None, json: bool = False) -> Session:
    """The session of this run: the command's own options over those given before it."""
    session = ctx.find_root().ensure_object(Session)
    session.chosen = warehouse or session.chosen
    session.json = session.json or json
    return session
