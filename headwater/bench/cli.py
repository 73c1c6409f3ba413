"""`headwater bench`: parsing only; what is measured is imported when it is asked for.

Invariant: with `--json` stdout carries one JSON document and nothing else; what is going on goes to stderr.
Exit status 1 when a view was wrong or a query could not be measured.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

OUT = Path("docs/benchmarks")  # where a run in the repository leaves its report
FLOOR_ROWS = 6_000_000  # lineitem's at scale 1
MOST_PERCENT = 50.0

app = typer.Typer(help="Measure refreshes against full recomputation.", no_args_is_help=True, rich_markup_mode=None)

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]
Work = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR", help="A new folder for everything it writes; temporary by default.", show_default=False
    ),
]


@app.command()
def refresh(
    scale: Annotated[float, typer.Option(min=0.001, help="TPC-H's scale factor; 1 is six million items.")] = 1.0,
    queries: Annotated[
        str, typer.Option(help="Such as q3,q5; all: every one of TPC-H.", show_default="ten joins and sums")
    ] = "",
    changes: Annotated[str, typer.Option(help="Per cent of the orders inserted, and deleted.")] = "0.01,0.1,1",
    repeats: Annotated[int, typer.Option(min=1, help="Measured changes per rate.")] = 3,
    pattern: Annotated[str, typer.Option(help="Where changes fall: spread or recent.")] = "spread",
    lanes: Annotated[str, typer.Option(help="A view for each: spark, local or auto.")] = "spark,local",
    policy: Annotated[str, typer.Option(help="The policy of the views.")] = "auto",
    seed: Annotated[int, typer.Option(help="Of the changes.")] = 1,
    data: Annotated[Path | None, typer.Option(metavar="DIR", help="Where generated data are kept.")] = None,
    work: Work = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="For the report.", show_default=f"{OUT}, where it exists")
    ] = None,
    as_json: Json = False,
) -> None:
    """TPC-H queries as views: seconds of a refresh beside those of Spark computing the query anew."""
    from headwater.bench import refresh as benchmark
    from headwater.bench import tpch
    from headwater.bench.changes import Pattern
    from headwater.bench.show import show_report, stdout

    chosen, rates, spread, views = _queries(queries), _rates(changes), _pattern(pattern), _lanes(lanes)
    target = out or (OUT if OUT.is_dir() else Path())
    with _folder(work) as folder, _progress() as say:
        options = benchmark.Options(
            scale, chosen, rates, repeats, Pattern(spread), views, policy, seed, data or tpch.default_cache(), folder
        )
        report = benchmark.run(options, benchmark.Progress(say, lambda so_far: so_far.save(target)))
    _plot(report, target)
    if as_json:
        typer.echo(report.to_json(), nl=False)
    else:
        show_report(report, stdout())
    raise typer.Exit(0 if report.ok else 1)


@app.command()
def floor(
    rows: Annotated[int, typer.Option(min=1000, help="Rows of the large side of a join.")] = FLOOR_ROWS,
    runs: Annotated[int, typer.Option(min=1, help="Runs per step.")] = 20,
    work: Work = None,
    as_json: Json = False,
) -> None:
    """The steps that every refresh is made of, timed one by one on this machine."""
    import headwater as hw
    from headwater.bench import floor as benchmark
    from headwater.bench import machine
    from headwater.bench.show import show_floor, stdout

    with _folder(work) as folder, _progress() as say, hw.connect(str(folder / "warehouse"), lane="spark") as lake:
        described = machine.describe(lake.spark)
        timings = benchmark.measure(lake.spark, folder, rows, runs, say)
    if as_json:
        typer.echo(json.dumps({"machine": described, "timings": [asdict(one) for one in timings]}, indent=1))
    else:
        show_floor(timings, stdout())


@app.command()
def process(
    scale: Annotated[float, typer.Option(min=0.001, help="TPC-H's scale factor.")] = 1.0,
    repeats: Annotated[int, typer.Option(min=1, help="Measured processes per view.")] = 5,
    seed: Annotated[int, typer.Option(help="Of the changes.")] = 1,
    data: Annotated[Path | None, typer.Option(metavar="DIR", help="Where generated data are kept.")] = None,
    work: Work = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="For the report.", show_default=f"{OUT}, where it exists")
    ] = None,
    as_json: Json = False,
) -> None:
    """A new process after a small change: `headwater refresh` from its start to the committed view."""
    from headwater.bench import process as benchmark
    from headwater.bench import tpch
    from headwater.bench.show import show_processes, stdout

    target = out or (OUT if OUT.is_dir() else Path())
    with _folder(work) as folder, _progress() as say:
        measured = benchmark.measure(scale, repeats, data or tpch.default_cache(), folder, seed, say)
    measured.save(target)
    if as_json:
        typer.echo(json.dumps(asdict(measured), indent=1))
    else:
        show_processes(measured, stdout())


def _queries(text: str) -> tuple[str, ...]:
    from headwater.bench import tpch

    if text.strip().lower() == "all":
        return tpch.ALL_QUERIES
    wanted = _names(text)
    for name in wanted:
        if name not in tpch.ALL_QUERIES:
            raise typer.BadParameter(f"{name!r} is not one of {', '.join(tpch.ALL_QUERIES)}", param_hint="--queries")
    return wanted or tpch.QUERIES


def _lanes(text: str) -> tuple[str, ...]:
    from headwater.engine.lanes import LANES

    wanted = _names(text)
    if not wanted or not set(wanted) <= set(LANES):
        raise typer.BadParameter(f"{text!r} is not a list of {', '.join(LANES)}", param_hint="--lanes")
    return wanted


def _names(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name.strip().lower() for name in text.split(",") if name.strip()))


def _rates(text: str) -> tuple[float, ...]:
    try:
        rates = tuple(float(rate) for rate in text.split(","))
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not a list of numbers", param_hint="--changes") from None
    if not all(0 < rate <= MOST_PERCENT for rate in rates):
        raise typer.BadParameter(f"a rate is above 0 and at most {MOST_PERCENT:g} per cent", param_hint="--changes")
    return tuple(sorted(set(rates)))


def _pattern(text: str) -> str:
    from headwater.bench.changes import Pattern

    if text not in list(Pattern):
        raise typer.BadParameter(f"{text!r} is not one of {', '.join(Pattern)}", param_hint="--pattern")
    return text


def _plot(report: object, target: Path) -> None:
    from headwater.bench.plot import save_plot
    from headwater.bench.results import Report

    assert isinstance(report, Report)
    if any(result.measurements for result in report.queries):
        save_plot(report, target / f"{report.name}.png")


@contextmanager
def _folder(work: Path | None) -> Iterator[Path]:
    """The folder to work in: the one given, which is left behind, or a temporary one."""
    from headwater.bench.refusals import Refusal

    if work is None:
        with tempfile.TemporaryDirectory(prefix="headwater-bench-") as name:
            yield Path(name)
        return
    work.mkdir(parents=True, exist_ok=True)
    if any(work.iterdir()):
        raise Refusal("bench.folder", path=work)
    yield work


@contextmanager
def _progress() -> Iterator[Callable[[str], None]]:
    """Says what is going on: one changing line on a terminal, plain lines elsewhere."""
    console = Console(stderr=True, highlight=False, markup=False)
    if not console.is_terminal:
        yield lambda text: console.print(text)
        return
    with console.status("starting") as status:
        yield status.update
