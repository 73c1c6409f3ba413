"""EXPLAIN: what a refresh of a view will do and what the last one did, from the same values that the executor runs.

Idea: one line per plan operator with the rule that moves it, where its past is read from, and what was measured;
then the statements in their order. Nothing here decides anything.
"""

from __future__ import annotations

from collections.abc import Mapping

from headwater.algebra.nodes import (
    Aggregate,
    Distinct,
    Filter,
    Generate,
    Join,
    Node,
    Project,
    Scan,
    Single,
    TopK,
    Unfold,
    Union,
    Window,
)
from headwater.delta.partials import recipe
from headwater.delta.pasts import PARTIALS, ROWS, Past, is_snapshot
from headwater.refresh.report import Explanation, OperatorReport

Stages = Mapping[str, tuple[int | None, float]]
Sizes = Mapping[str, tuple[int, int, int]]  # past name -> rows, bytes, files


def operators(plan: Node, pasts: tuple[Past, ...], sizes: Sizes, stages: Stages) -> tuple[OperatorReport, ...]:
    """The plan as a list in reading order, each operator with its rule, its past and its last measurements."""
    ids = {node: number for number, node in enumerate(dict.fromkeys(plan.walk()))}
    found: list[OperatorReport] = []

    def visit(node: Node, depth: int, asked_by: Node | None) -> None:
        rows, seconds = measured(node, ids[node], stages, node is plan)
        past = past_text(node, asked_by, pasts, sizes)
        found.append(OperatorReport(ids[node], depth, node.label, rule(node), past, rows, seconds))
        for child in node.children:
            visit(child, depth + 1, node)

    visit(plan, 0, None)
    return tuple(found)


def rule(node: Node) -> str:
    """How the node's change is found, in one phrase."""
    if isinstance(node, Scan):
        return "reads the table's own change"
    if isinstance(node, Single):
        return "never changes"
    if isinstance(node, (Filter, Project, Union, Unfold, Generate)):
        return "passes the change through"
    if isinstance(node, Join) and node.kind == "inner":
        return "joins each side's change with the other side's past"
    if isinstance(node, Join):
        return "joins changes with pasts; rows that gain or lose their first match are found by counting matches"
    if isinstance(node, Distinct) or (isinstance(node, Aggregate) and recipe(node) is not None):
        return "adds the change's partial sums to the touched groups"
    if isinstance(node, Aggregate):
        return "computes the touched groups again from their rows"
    if isinstance(node, Window):
        return "computes the touched partitions again" if node.keys else "computes its one partition, all rows, again"
    if isinstance(node, TopK):
        return "finds the first rows anew among the stored ones and the change"
    return "-"


def past_text(node: Node, asked_by: Node | None, pasts: tuple[Past, ...], sizes: Sizes) -> str:
    """Where the node's past is read from."""
    for past in pasts:
        if past.node == node:
            what = {ROWS: "its rows", PARTIALS: "its partial sums"}[past.form]
            rows, size, files = sizes.get(past.name, (0, 0, 0))
            return f"{what} on disk: {rows:,} rows, {readable(size)}, {files} file{'s' if files != 1 else ''}"
    if isinstance(asked_by, Join) and is_snapshot(node):
        return "the table itself, at the cursor"
    reads = isinstance(asked_by, (Join, Aggregate, Window, TopK))
    if reads and not (isinstance(asked_by, Aggregate) and recipe(asked_by)):
        return "computed from the pasts below"
    return "not needed"


def measured(node: Node, number: int, stages: Stages, top: bool) -> tuple[int | None, float | None]:
    """Rows and seconds of the node's statements in the last refresh."""
    suffix = f"_{type(node).__name__.lower()}_{number}"
    own = {name: values for name, values in stages.items() if name.rstrip("b").endswith(suffix)}
    if top and "view_change" in stages:
        own["view_change"] = stages["view_change"]
    if not own:
        return None, None
    rows = [
        values[0]
        for name, values in own.items()
        if name.startswith(("change", "net", "view", "upkeep", "groups", "both")) and values[0] is not None
    ]
    return (rows[-1] if rows else None), sum(seconds for _, seconds in own.values())


def readable(size: float) -> str:
    for unit in ("B", "kB", "MB", "GB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} TB"


def render(explanation: Explanation) -> str:
    """The explanation as text for a terminal."""
    e = explanation
    lines = [f"View {e.view}: policy {e.policy}, next refresh {e.strategy}", f"  because: {e.reason}"]
    if e.strategy == "incremental":
        lines.append(f"  lane:    {e.lane}")
    lines.append("  cursor:  " + ", ".join(f"{table} v{version}" for table, version in e.cursor.items()))
    if e.pending:
        lines.append(
            "  pending: " + ", ".join(f"{table} {versions} version(s)" for table, versions in e.pending.items())
        )
    lines += [f"  expects: {e.expected.sentence(table)}" for table in e.expected]
    if e.alternatives:
        lines.append("  weighed: " + ", ".join(f"{name} {seconds:.2f} s" for name, seconds in e.alternatives.items()))
    if e.pinned:
        lines.append(f"  ties:    the text allows several answers; this one is kept: {e.pinned}")
    if e.operators:
        lines += ["", "Plan (each operator: how its change is found; where its past is read)"]
    for item in e.operators:
        indent = "  " * item.depth
        lines.append(f"  {indent}{item.label}")
        lines.append(f"  {indent}  change: {item.rule}{_measured(item)}")
        if item.past != "not needed":
            lines.append(f"  {indent}  past:   {item.past}")
    if e.sql:
        lines += ["", "Statements", e.sql]
    return "\n".join(lines)


def _measured(item: OperatorReport) -> str:
    if item.seconds is None:
        return ""
    rows = "" if item.rows is None else f"{item.rows:,} rows, "
    return f"  [last: {rows}{item.seconds * 1000:.0f} ms]"
