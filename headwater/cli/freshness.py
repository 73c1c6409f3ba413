"""How far a view is behind what it reads, and in which order views are refreshed.

Idea: a cursor names one version for each table or view that a view reads; the difference to where those stand now is
how far it is behind, and the names are the edges along which views depend on each other.
Invariant: only logs are read; Spark is not started.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from graphlib import TopologicalSorter
from typing import Any

Behind = dict[str, int | None]  # versions behind per source; None for a source that is gone


def behind(view: Any, standing: Mapping[str, int]) -> Behind:
    """The sources that have moved on since the view's cursor."""
    lags = {name: _lag(version, standing.get(name.lower())) for name, version in view.cursor.items()}
    return {name: lag for name, lag in lags.items() if lag != 0}


def standing(lake: Any) -> dict[str, int]:
    """Where every table and view stands now."""
    tables = (table for table in lake.tables() if table.missing is None)
    return {item.name.lower(): item.version for item in (*tables, *lake.views())}


def _lag(seen: int, now: int | None) -> int | None:
    return None if now is None else now - seen


def in_order(views: Iterable[Any]) -> list[Any]:
    """Each view after the views that it reads, by name where that leaves a choice."""
    by_name = {view.name.lower(): view for view in sorted(views, key=lambda view: view.name)}
    reads = {name: [source.lower() for source in view.reads] for name, view in by_name.items()}
    ordered = TopologicalSorter(reads).static_order()
    return [by_name[name] for name in ordered if name in by_name]


def chosen(lake: Any, names: Sequence[str]) -> list[Any]:
    """The views named, in the order in which they have to be refreshed; all of them for no names."""
    if not names:
        return in_order(lake.views())
    return in_order({name.lower(): lake.view(name) for name in names}.values())
