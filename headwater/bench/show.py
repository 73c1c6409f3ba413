"""The results as a person reads them: rich tables for the terminal, and numbers with units."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console
from rich.table import Column, Table

from headwater.bench.results import Cell, QueryResult, Report

if TYPE_CHECKING:
    from headwater.bench.floor import Timing

PIPE_WIDTH = 160  # characters: what the widest table needs
MOST_BYSTANDERS = 0.2  # cores that other programs may use before the times mean little
UNITS = ("B", "kB", "MB", "GB", "TB")


def stdout() -> Console:
    """The terminal; a pipe gets whole lines."""
    return Console(width=None if sys.stdout.isatty() else PIPE_WIDTH, highlight=False)


def show_report(report: Report, console: Console) -> None:
    console.print(_medians(report))
    console.print(_views(report))
    for rate, mean in report.geometric_means().items():
        console.print(f"geometric mean of recompute / refresh at {rate:g} %: [bold]{mean:.2f}[/]")
    for result in report.queries:
        if result.error:
            console.print(f"[red]{result.query} ended early:[/] {result.error}", markup=True, highlight=False)
    busy = max((result.bystanders or 0.0 for result in report.queries), default=0.0)
    if busy > MOST_BYSTANDERS:
        console.print(f"[yellow]Other programs used up to {busy:.1f} cores: these times are not to be relied on.[/]")
    for note in report.notes:
        console.print(note, style="dim", highlight=False)


def _table(title: str, first: Sequence[str], numbers: Sequence[str], words: Sequence[str] = ()) -> Table:
    whole = (Column(name, no_wrap=True) for name in first)
    columns: list[Column | str] = [*whole, *(Column(name, justify="right", no_wrap=True) for name in numbers), *words]
    return Table(*columns, title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD)


def _medians(report: Report) -> Table:
    title = f"TPC-H at scale {report.scale:g}, medians of {report.repeats}"
    numbers = ("changed", "recompute", "refresh", "with upkeep", "ratio", "jobs", "rows read", "state")
    table = _table(title, ("query",), numbers, ("strategy",))
    for result in report.queries:
        cells = [cell for cell in report.cells() if cell.query == result.query]
        for at, cell in enumerate(cells):
            table.add_row(*_row(cell), end_section=at == len(cells) - 1)
    return table


def _row(cell: Cell) -> tuple[str, ...]:
    colour = "green" if cell.ratio >= 1 else "red"
    return (
        cell.query,
        f"{cell.rate:g} %",
        seconds(cell.recompute),
        seconds(cell.refresh),
        seconds(cell.total),
        f"[{colour}]{cell.ratio:.2f}[/]",
        f"{cell.jobs:g}",
        f"{cell.rows_read:,.0f}",
        size(cell.state_bytes),
        ", ".join(cell.strategies),
    )


def _views(report: Report) -> Table:
    words = ("verified", "Spark's settings for recomputing")
    table = _table("The views", ("query",), ("rows", "created in", "nothing new"), words)
    for result in report.queries:
        table.add_row(*_view_row(result))
    return table


def _view_row(result: QueryResult) -> tuple[str, ...]:
    verified = {True: "[green]yes[/]", False: "[red]NO[/]", None: "-"}[result.verified]
    rows = "-" if result.view_rows is None else f"{result.view_rows:,}"
    return (
        result.query,
        rows,
        seconds(result.create_seconds),
        seconds(result.idle_seconds),
        verified,
        result.settings or "-",
    )


def show_floor(timings: list[Timing], console: Console) -> None:
    table = _table("What a refresh is made of", ("step",), ("median", "minimum"))
    for timing in timings:
        table.add_row(timing.name, seconds(timing.median), seconds(timing.minimum))
    console.print(table)


def seconds(value: float | None) -> str:
    if value is None:
        return "-"
    if value >= 1:
        return f"{value:.2f} s"
    return f"{value * 1000:.0f} ms" if value >= 0.01 else f"{value * 1000:.1f} ms"


def size(count: float) -> str:
    """Bytes in the largest unit that leaves at least one."""
    for unit in UNITS[:-1]:
        if count < 1000:
            return f"{count:.0f} {unit}" if unit in UNITS[:2] else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} {UNITS[-1]}"
