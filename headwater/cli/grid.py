"""Rows of a query for a person: as many columns as fit, the others named.

Idea: a column keeps its name and values whole up to `WIDEST`; columns that do not fit any more are left out from the
right and named below, since half a column helps nobody.
"""

from __future__ import annotations

import datetime
import decimal
from typing import TYPE_CHECKING, Any

from rich.console import Group, RenderableType
from rich.table import Column
from rich.text import Text

from headwater.cli import screen

if TYPE_CHECKING:
    import pyarrow as pa

WIDEST = 60  # characters of a value that are shown
GAP = 2  # between two columns


def grid(rows: pa.Table, truncated: bool, width: int) -> RenderableType:
    page = _page(rows)
    if page is not None:
        return page
    cells = [[_cell(value) for value in column.to_pylist()] for column in rows.columns]
    widths = [
        max([len(name), *(cell.cell_len for cell in column)])
        for name, column in zip(rows.schema.names, cells, strict=True)
    ]
    shown = fitting(widths, width)
    columns = [
        Column(field.name, justify="right" if _is_number(field.type) else "left", no_wrap=True, overflow="ellipsis")
        for field in list(rows.schema)[:shown]
    ]
    table = screen.listing(columns, zip(*cells[:shown], strict=True))
    return Group(table, *_notes(rows, shown, truncated))


def _page(rows: pa.Table) -> Text | None:
    """A single value of several lines, such as what EXPLAIN returns, is text to be read."""
    value = rows.column(0)[0].as_py() if rows.shape == (1, 1) else None
    return Text(value) if isinstance(value, str) and "\n" in value else None


def fitting(widths: list[int], width: int) -> int:
    """How many columns fit, at least one."""
    used, shown = 0, 0
    for column in widths:
        used += column + (GAP if shown else 0)
        if shown and used > width:
            break
        shown += 1
    return shown


def _notes(rows: pa.Table, shown: int, truncated: bool) -> list[Text]:
    notes = [
        screen.dim(
            screen.rows_of(rows.num_rows)
            if not truncated
            else f"the first {screen.rows_of(rows.num_rows)}; --limit 0 prints all"
        )
    ]
    hidden = rows.schema.names[shown:]
    if hidden:
        notes.append(screen.warn(f"{len(hidden)} more columns do not fit: {screen.joined(hidden)}"))
    return notes


def _cell(value: Any) -> Text:
    if value is None:
        return screen.dim("NULL")
    text = " ".join(_words(value).split("\n"))
    return Text(screen.clipped(text, WIDEST))


def _words(value: Any) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case decimal.Decimal():
            return f"{value:f}"
        case float():
            return f"{value:.15g}"
        case datetime.datetime():
            return value.isoformat(" ")
        case bytes():
            return value.hex()
    return str(value)


def _is_number(kind: pa.DataType) -> bool:
    from pyarrow import types

    return types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind)


def record(row: dict[str, Any]) -> str:
    """A row in one line: `id = 3, name = NULL`."""
    return screen.joined(f"{name} = {'NULL' if value is None else _words(value)}" for name, value in row.items())
