"""The tour as a person sees it, and as JSON: every step becomes a few lines, and part of one document."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.syntax import Syntax
from rich.text import Text

from headwater.cli import screen
from headwater.cli.commands.verify import lines
from headwater.cli.demo import Stage
from headwater.cli.demo.flights import YEAR
from headwater.cli.demo.tour import Built, Compared, Loaded, Played, Step, Verified

WIDTH = 100  # characters; longer lines of prose are hard to read

INTRODUCTION = (
    "A year of flights from New York: five tables that keep changing, a view that joins all five, and a view over that "
    "view. After each change Headwater advances both views by the change; beside it stands what Spark needs to compute "
    "them anew and to write them, in the same warm session."
)


def introduction(stage: Stage) -> Group:
    loaded = f"The first {stage.days} days of {YEAR} are loaded"
    if stage.years > 1:
        before = "the year before" if stage.years == 2 else f"the {stage.years - 1} years before"
        loaded += f", and as {before} it copies of {YEAR}"
    return Group(
        Rule(Text("Headwater", "bold"), style="dim"),
        Text(INTRODUCTION),
        screen.dim(f"Warehouse: {stage.folder}. {loaded}."),
        Text(),
    )


def tell(step: Step, number: int) -> RenderableType:
    match step:
        case Loaded():
            return _loaded(step)
        case Built():
            return _built(step)
        case Played():
            return _played(step, number)
        case Verified():
            return _verified(step)


def _loaded(step: Loaded) -> Text:
    tables = screen.joined(f"{name} {screen.count(rows)}" for name, rows in step.tables.items())
    return Text.assemble(("Loaded ", ""), tables, f" rows in {screen.seconds(step.seconds)}.")


def _built(step: Built) -> Group:
    head = Text.assemble(
        "\nCreated ", (step.view, "bold"), f": {screen.rows_of(step.rows)} in {screen.seconds(step.seconds)}"
    )
    sql = Syntax("", "sql", theme="ansi_dark", background_color="default").highlight(step.definition)
    return Group(head, _indented(sql))


def _indented(renderable: RenderableType) -> Padding:
    return Padding(renderable, (0, 0, 0, 2), expand=False)


def _played(step: Played, number: int) -> Group:
    return Group(
        Text(),
        Rule(Text(f"{number}  {step.scene.title}", "bold"), align="left", style="dim"),
        Text(step.scene.happens),
        Text(_touched(step), "cyan"),
        screen.dim(step.scene.why),
        Text(),
        _indented(_comparison(step.views)),
    )


def _touched(step: Played) -> str:
    parts = []
    for table in step.added:
        new, gone = step.added[table], step.removed[table]
        did = "changed" if new and gone else "new" if new else "deleted"
        parts.append(f"{table}: {screen.count(max(new, gone))} {did}")
    return screen.joined(parts)


def _comparison(views: Iterable[Compared]) -> RenderableType:
    columns = [
        screen.name("view"),
        screen.number("rows changed"),
        screen.number("of"),
        screen.number("refresh"),
        screen.number("recompute"),
        screen.number("faster"),
    ]
    return screen.listing(
        columns,
        (
            (
                compared.view,
                screen.count(compared.rows_changed),
                screen.count(compared.rows),
                _refreshed(compared),
                screen.seconds(compared.recompute_seconds),
                _ratio(compared.ratio),
            )
            for compared in views
        ),
    )


def _refreshed(compared: Compared) -> str:
    full = " (full)" if compared.strategy == "full" else ""
    return f"{screen.seconds(compared.seconds)}{full}"


def _ratio(ratio: float) -> Text:
    words = f"{ratio:.1f}×" if ratio < 9.95 else f"{ratio:.0f}×"
    return screen.good(words) if ratio >= 1 else screen.warn(words)


def _verified(step: Verified) -> Group:
    return Group(
        Text(),
        Rule(Text("Is it right?", "bold"), align="left", style="dim"),
        Text("Each view's own SQL, recomputed by Spark at the view's cursor and compared row for row:"),
        *(_indented(lines(verification)) for verification in step.verifications),
    )


def ending(steps: list[Step], folder: str, seconds: float) -> Group:
    compared = [view for step in steps if isinstance(step, Played) for view in step.views]
    refresh = sum(view.seconds for view in compared)
    upkeep = sum(view.upkeep_seconds for view in compared)
    recompute = sum(view.recompute_seconds for view in compared)
    sums = (
        f"All refreshes: {screen.seconds(refresh)} until the views were up to date, and {screen.seconds(upkeep)} after "
        f"that to keep the stored pasts. All recomputes: {screen.seconds(recompute)}."
    )
    return Group(
        Text(),
        Rule(Text("What next", "bold"), align="left", style="dim"),
        Text(sums),
        screen.dim(f"The tour took {screen.seconds(seconds)}. Its warehouse stays in {folder}; look around in it:"),
        Text(),
    )


def next_commands(folder: str, command: str) -> str:
    """Whole lines, to be copied."""
    lines = (
        f"export HEADWATER_WAREHOUSE={folder}",
        f"{command} views",
        f"{command} explain departures",
        f"{command} history",
        f'{command} sql "SELECT * FROM airline_months ORDER BY average_delay DESC" -n 10',
        f'{command} create late "SELECT dest, avg(arr_delay) AS late FROM departures GROUP BY dest"',
    )
    return "".join(f"  {line}\n" for line in lines)


def console(out: Console) -> None:
    """Prose is easier to read in a column that is not too wide."""
    out.width = min(out.width, WIDTH)


def document(stage: Stage, steps: list[Step], seconds: float) -> dict[str, Any]:
    loaded = [step for step in steps if isinstance(step, Loaded)]
    verified = [each for step in steps if isinstance(step, Verified) for each in step.verifications]
    return {
        "warehouse": stage.folder,
        "days": stage.days,
        "years": stage.years,
        "tables": loaded[0].tables if loaded else {},
        "views": [step for step in steps if isinstance(step, Built)],
        "scenes": [_scene(step) for step in steps if isinstance(step, Played)],
        "verifications": [each.as_dict() for each in verified],
        "ok": all(each.ok for each in verified),
        "seconds": seconds,
    }


def _scene(step: Played) -> dict[str, Any]:
    changed = {name: {"added": step.added[name], "removed": step.removed[name]} for name in step.added}
    return {"title": step.scene.title, "happens": step.scene.happens, "changed": changed, "views": list(step.views)}
