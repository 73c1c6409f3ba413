"""The results as a person reads them: rich tables for the terminal, and numbers with units."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console
from rich.table import Column, Table

from headwater.bench.results import Cell, QueryResult, Report, ViewResult

if TYPE_CHECKING:
    from headwater.bench.floor import Timing
    from headwater.bench.process import Measured as Processes

PIPE_WIDTH = 180  # characters: what the widest table needs
MOST_BYSTANDERS = 0.2  # cores that other programs may use before the times mean little
UNITS = ("B", "kB", "MB", "GB", "TB")


def stdout() -> Console:
    """The terminal; a pipe gets whole lines."""
    return Console(width=None if sys.stdout.isatty() else PIPE_WIDTH, highlight=False)


def show_report(report: Report, console: Console) -> None:
    console.print(_medians(report))
    console.print(_views(report))
    console.print(_means(report))
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
    numbers = ("changed", "Spark", "DuckDB", "refresh", "with upkeep", "ratios", "", "jobs", "rows read", "state")
    table = _table(title, ("query", "lane"), numbers, ("strategy",))
    for result in report.queries:
        cells = [cell for cell in report.cells() if cell.query == result.query]
        for at, cell in enumerate(cells):
            table.add_row(*_row(cell), end_section=at == len(cells) - 1)
    return table


def _row(cell: Cell) -> tuple[str, ...]:
    return (
        cell.query,
        cell.asked,
        f"{cell.rate:g} %",
        seconds(cell.recompute),
        seconds(cell.duckdb),
        seconds(cell.refresh),
        seconds(cell.total),
        _coloured(cell.ratio),
        _coloured(cell.duckdb_ratio),
        f"{cell.jobs:g}",
        f"{cell.rows_read:,.0f}",
        size(cell.state_bytes),
        ", ".join(cell.strategies) if not cell.is_idle else "its tables did not change",
    )


def _coloured(ratio: float) -> str:
    return f"[{'green' if ratio >= 1 else 'red'}]{ratio:.2f}[/]"


def _means(report: Report) -> Table:
    numbers = ("changed", "queries", "Spark / refresh", "lowest", "DuckDB / refresh")
    table = _table("Geometric means", ("lane",), numbers)
    for mean in report.means():
        ratios = (_coloured(mean.ratio), _coloured(mean.lowest), _coloured(mean.duckdb_ratio))
        table.add_row(mean.asked, f"{mean.rate:g} %", str(mean.queries), *ratios)
    return table


def _views(report: Report) -> Table:
    words = ("verified", "Spark's settings for recomputing")
    table = _table("The views", ("query", "lane"), ("rows", "created in", "nothing new"), words)
    for result in report.queries:
        for view in result.views:
            table.add_row(*_view_row(result, view))
    return table


def _view_row(result: QueryResult, view: ViewResult) -> tuple[str, ...]:
    verified = {True: "[green]yes[/]", False: "[red]NO[/]", None: view.refused or "-"}[view.verified]
    rows = "-" if view.rows is None else f"{view.rows:,}"
    return (
        result.query,
        view.asked,
        rows,
        seconds(view.create_seconds),
        seconds(view.idle_seconds),
        verified,
        result.settings or "-",
    )


def show_floor(timings: list[Timing], console: Console) -> None:
    table = _table("What a refresh is made of", ("step",), ("median", "minimum"))
    for timing in timings:
        table.add_row(timing.name, seconds(timing.median), seconds(timing.minimum))
    console.print(table)


def show_processes(measured: Processes, console: Console) -> None:
    title = f"A new process, TPC-H at scale {measured.scale:g}, about a hundred rows changed"
    table = _table(title, ("view", "lane"), ("process", "its refresh", "rows changed"))
    for run in measured.runs:
        words = (seconds(run.process_seconds), seconds(run.refresh_seconds), str(run.rows_changed))
        table.add_row(run.view, run.lane, *words)
    console.print(table)
    for view, median in measured.medians().items():
        console.print(f"{view}: median [bold]{seconds(median)}[/] from the start of the process to its end")


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
