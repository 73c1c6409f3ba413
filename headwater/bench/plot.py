"""The results as a picture: per query, seconds of Spark's recompute and of the refresh at each rate, on a log scale."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from headwater.bench.refusals import Refusal
from headwater.bench.results import QueryResult, Report, cells_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

REFRESH_COLOURS = ("#9ecae1", "#4292c6", "#08519c", "#08306b")  # light for small changes
RECOMPUTE_COLOUR = "#d94801"
LINE_COLOUR = "#d0d0d0"
TICKS = (1, 2, 3, 5, 7)  # times powers of ten
ROW_INCHES = 0.42
WIDTH_INCHES = 9.5
DOTS_PER_INCH = 150


def save_plot(report: Report, path: Path) -> None:
    try:
        from matplotlib.figure import Figure  # opens no window and touches no global state
    except ImportError:
        raise Refusal("bench.package", package="matplotlib") from None

    results = [result for result in report.queries if result.measurements]
    figure = Figure(figsize=(WIDTH_INCHES, 2.0 + ROW_INCHES * max(1, len(results))), layout="constrained")
    _draw(figure.add_subplot(), report, results)
    figure.savefig(path, dpi=DOTS_PER_INCH)


def _draw(axes: Axes, report: Report, results: list[QueryResult]) -> None:
    recomputed = [result.recompute for result in results]
    refreshed = [{cell.rate: cell.refresh for cell in cells_of(result)} for result in results]
    rows = range(len(results))
    for row in rows:
        ends = [recomputed[row], *refreshed[row].values()]
        axes.plot([min(ends), max(ends)], [row, row], color=LINE_COLOUR, linewidth=3, zorder=1)
    axes.scatter(recomputed, rows, marker="D", s=46, color=RECOMPUTE_COLOUR, zorder=3, label="Spark recomputes all")
    for at, (rate, mean) in enumerate(report.geometric_means().items()):
        measured = [row for row in rows if rate in refreshed[row]]
        values = [refreshed[row][rate] for row in measured]
        label = f"refresh, {rate:g} % changed: recompute takes {mean:.1f}× as long (geometric mean)"
        axes.scatter(values, measured, s=58, color=_colour(at), edgecolors="white", zorder=4, label=label)
    _label(axes, report, [result.query for result in results])


def _label(axes: Axes, report: Report, queries: list[str]) -> None:
    from matplotlib.ticker import LogLocator, NullFormatter

    axes.set_yticks(range(len(queries)), [query.upper() for query in queries])
    axes.invert_yaxis()
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(LogLocator(subs=TICKS))
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g} s")
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_xlabel("seconds until the view is up to date (log scale)")
    axes.grid(axis="x", which="both", color="#eeeeee", zorder=0)
    axes.set_axisbelow(True)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.tick_params(axis="y", length=0)
    axes.set_title(f"TPC-H at scale {report.scale:g}, {_machine(report.machine)}", loc="left")
    axes.figure.legend(loc="outside lower center", frameon=False)


def _machine(machine: Any) -> str:
    return f"{machine.get('spark_cores')} cores, pyspark {machine.get('pyspark')}"


def _colour(at: int) -> str:
    return REFRESH_COLOURS[min(at, len(REFRESH_COLOURS) - 1)]
