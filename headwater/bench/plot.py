"""The results as a picture: per query, seconds of both recomputes and of the refreshes, on a log scale.

A diamond is an engine that recomputes; a dot is a refresh, in a colour for its lane that darkens with the rate.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from headwater.bench.refusals import Refusal
from headwater.bench.results import QueryResult, Report, cells_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

REFRESH_COLOURS = {  # light for small changes
    "spark": ("#9ecae1", "#4292c6", "#08519c", "#08306b"),
    "local": ("#a1d99b", "#41ab5d", "#006d2c", "#00441b"),
    "auto": ("#bcbddc", "#807dba", "#54278f", "#3f007d"),
}
SPARK_COLOUR, DUCKDB_COLOUR = "#d94801", "#c9a400"
LINE_COLOUR = "#d0d0d0"
TICKS = (1, 2, 5)  # times powers of ten
ROW_INCHES = 0.42
KEY_INCHES = 0.2
WIDTH_INCHES = 9.5
DOTS_PER_INCH = 150


def save_plot(report: Report, path: Path) -> None:
    try:
        from matplotlib.figure import Figure  # opens no window and touches no global state
    except ImportError:
        raise Refusal("bench.package", package="matplotlib") from None

    results = [result for result in report.queries if any(not cell.is_idle for cell in cells_of(result))]
    figure = Figure(
        figsize=(WIDTH_INCHES, 2.0 + KEY_INCHES * len(report.means()) + ROW_INCHES * max(1, len(results))),
        layout="constrained",
    )
    _draw(figure.add_subplot(), report, results)
    figure.savefig(path, dpi=DOTS_PER_INCH)


def _draw(axes: Axes, report: Report, results: list[QueryResult]) -> None:
    spark, duckdb = [result.recompute for result in results], [result.duckdb for result in results]
    refreshed = [{(cell.asked, cell.rate): cell.refresh for cell in cells_of(result)} for result in results]
    rows = range(len(results))
    for row in rows:
        ends = [spark[row], duckdb[row], *refreshed[row].values()]
        axes.plot([min(ends), max(ends)], [row, row], color=LINE_COLOUR, linewidth=3, zorder=1)
    axes.scatter(spark, rows, marker="D", s=46, color=SPARK_COLOUR, zorder=3, label="Spark recomputes all")
    axes.scatter(duckdb, rows, marker="D", s=46, color=DUCKDB_COLOUR, zorder=3, label="DuckDB recomputes all")
    rates = sorted({mean.rate for mean in report.means()})
    for mean in report.means():
        key = (mean.asked, mean.rate)
        measured = [row for row in rows if key in refreshed[row]]
        values = [refreshed[row][key] for row in measured]
        ratios = f"Spark takes {mean.ratio:.1f}×, DuckDB {mean.duckdb_ratio:.1f}× as long (geometric means)"
        label = f"refresh, lane {mean.asked}, {mean.rate:g} % changed: {ratios}"
        colour = _colour(mean.asked, rates.index(mean.rate))
        axes.scatter(values, measured, s=58, color=colour, edgecolors="white", zorder=4, label=label)
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


def _colour(lane: str, at: int) -> str:
    shades = REFRESH_COLOURS[lane]
    return shades[min(at, len(shades) - 1)]
