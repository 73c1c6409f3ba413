"""`headwater demo`: a guided tour over a year of flights."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from headwater.cli import options
from headwater.cli.demo import Stage
from headwater.cli.progress import Progress
from headwater.cli.refusals import Refusal
from headwater.cli.session import Session, begin, connect

if TYPE_CHECKING:
    from headwater.cli.demo.tour import Step

DEFAULT_FOLDER = "headwater-demo"
MARKER = ".headwater-demo"  # in a folder that a demo made, and that the next one may replace
DAYS = 300
YEARS = 2  # enough for a recompute to take seconds, little enough for two minutes in all on two cores
MOST_YEARS = 30
LAST_DAY = 364  # the tour needs one more


def register(app: typer.Typer) -> None:
    app.command()(demo)


def demo(
    ctx: typer.Context,
    days: Annotated[
        int, typer.Option("--days", metavar="N", min=1, max=LAST_DAY, help="How many days of flights to begin with.")
    ] = DAYS,
    years: Annotated[
        int,
        typer.Option("--years", metavar="N", min=1, max=MOST_YEARS, help="Put the same year before it, N - 1 times."),
    ] = YEARS,
    warehouse: Annotated[
        str | None,
        typer.Option("--warehouse", "-w", metavar="DIR", help="Where to put it; ./headwater-demo if left out."),
    ] = None,
    json: options.Json = False,
) -> None:
    """Take a tour of two minutes over real data."""
    session = begin(ctx, warehouse, json)
    stage = Stage(session.chosen or DEFAULT_FOLDER, days, years)
    started = time.perf_counter()
    steps = play(session, stage)
    finish(session, stage, steps, time.perf_counter() - started)


def play(session: Session, stage: Stage) -> list[Step]:
    """Run the tour, telling each step as it ends."""
    from headwater.cli.demo import telling
    from headwater.cli.demo.flights import arrivals, data_folder
    from headwater.cli.demo.tour import Played, tour

    data_folder()  # says what is missing before a folder is made
    fresh(Path(stage.folder))
    telling.console(session.out)
    if not session.json:
        session.out.print(telling.introduction(stage))
    steps: list[Step] = []
    with Progress(session.err, "reading the data"):
        data = arrivals(stage.days, stage.years)
    with connect(stage.folder) as lake:
        for step in _watched(session, lake, tour(lake, data, stage.days)):
            steps.append(step)
            if not session.json:
                session.out.print(telling.tell(step, sum(isinstance(each, Played) for each in steps)))
    return steps


def _watched(session: Session, lake: Any, steps: Iterator[Step]) -> Iterator[Step]:
    """The steps, with progress shown while each is in the making and gone before it is told."""
    while True:
        with Progress(session.err) as progress:
            lake.progress = progress
            step = next(steps, None)
        if step is None:
            return
        yield step


def finish(session: Session, stage: Stage, steps: list[Step], seconds: float) -> None:
    from headwater.cli.demo import telling

    document = telling.document(stage, steps, seconds)
    next_commands = telling.next_commands(stage.folder, own_command())
    session.answer(document, telling.ending(steps, stage.folder, seconds), next_commands)
    if not document["ok"]:
        raise typer.Exit(1)


def fresh(folder: Path) -> None:
    """An empty folder with the marker; an earlier demo is replaced, anything else is left alone."""
    if folder.exists() and not (folder / MARKER).is_file() and (folder.is_file() or any(folder.iterdir())):
        raise Refusal("demo.folder", path=folder)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / MARKER).touch()


def own_command() -> str:
    """How this program can be called again from here."""
    if shutil.which("headwater"):
        return "headwater"
    called = Path(sys.argv[0])
    return os.path.relpath(called) if called.name == "headwater" else "headwater"
