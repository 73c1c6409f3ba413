"""How things look: the two consoles, listings, and how counts, times and sizes are written.

Idea: one small vocabulary, so that every command speaks alike. Colour means something or is left out: green is well,
yellow wants attention, red is wrong, dim can be skipped.
Invariant: a pipe gets whole lines without colour or wrapping; NO_COLOR and FORCE_COLOR are respected (by rich).
"""

from __future__ import annotations

import datetime
import os
import sys
import textwrap
from collections.abc import Iterable, Sequence

from rich import box
from rich.console import Console, RenderableType
from rich.table import Column, Table
from rich.text import Text

PIPE_WIDTH = 10_000  # characters: a pipe has no edge to wrap at
HANGING = 6  # characters that a continued line stands further in
MOST_NARROW = 20  # characters that a wrapped line has at least
UNKNOWN = "–"


def stdout() -> Console:
    return Console(width=_width(sys.stdout.isatty()), highlight=False, markup=False, emoji=False)


def stderr() -> Console:
    return Console(stderr=True, width=_width(sys.stderr.isatty()), highlight=False, markup=False, emoji=False)


def _width(is_terminal: bool) -> int | None:
    """None lets rich ask the terminal, or COLUMNS."""
    return None if is_terminal or "COLUMNS" in os.environ else PIPE_WIDTH


def listing(columns: Sequence[Column], rows: Iterable[Sequence[RenderableType]]) -> Table:
    table = Table(
        *columns, box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, header_style="bold", show_edge=False
    )
    for row in rows:
        table.add_row(*row)
    return table


def text(header: str) -> Column:
    """A column of words, which may wrap."""
    return Column(header, overflow="fold")


def name(header: str) -> Column:
    """A column of names, which stay whole."""
    return Column(header, no_wrap=True, overflow="ellipsis", style="bold")


def plain(header: str) -> Column:
    """A column of short words of one length."""
    return Column(header, no_wrap=True)


def number(header: str) -> Column:
    return Column(header, justify="right", no_wrap=True)


def good(words: str) -> Text:
    return Text(words, style="green")


def warn(words: str) -> Text:
    return Text(words, style="yellow")


def bad(words: str) -> Text:
    return Text(words, style="red")


def dim(words: str) -> Text:
    return Text(words, style="dim")


def count(value: int | None) -> str:
    return UNKNOWN if value is None else f"{value:,}"


def rows_of(value: int | None) -> str:
    """`1 row`, `2,000 rows`."""
    return f"{count(value)} row" if value == 1 else f"{count(value)} rows"


def seconds(value: float | None) -> str:
    """Three digits that matter: 12 ms, 0.52 s, 3 min 5 s."""
    if value is None:
        return UNKNOWN
    if value < 0.0995:
        return f"{value * 1000:.0f} ms"
    if value < 59.95:
        return f"{value:.2f} s" if value < 9.995 else f"{value:.1f} s"
    minutes, rest = divmod(round(value), 60)
    return f"{minutes} min {rest} s"


def size(value: int | None) -> str:
    if value is None:
        return UNKNOWN
    if value < 1000:
        return f"{value} B"
    amount, unit = value / 1000, "kB"
    for larger in ("MB", "GB", "TB"):
        if amount >= 999.5:
            amount, unit = amount / 1000, larger
    return f"{amount:.0f} {unit}" if amount >= 99.5 else f"{amount:.1f} {unit}"


def when(moment: datetime.datetime | None) -> str:
    """A moment in the reader's own time zone, to the second."""
    return UNKNOWN if moment is None else f"{moment.astimezone():%Y-%m-%d %H:%M:%S}"


def clipped(words: str, length: int) -> str:
    return words if len(words) <= length else words[: length - 1] + "…"


def hanging(words: str, width: int) -> str:
    """Lines wrapped at a width, each continued a little further in than it began, so that a tree stays one."""
    wrapped: list[str] = []
    for line in words.splitlines():
        inside = " " * (len(line) - len(line.lstrip()) + HANGING)
        wrapped += textwrap.wrap(line, max(width, len(inside) + MOST_NARROW), subsequent_indent=inside) or [""]
    return "\n".join(wrapped)


def joined(names: Iterable[str]) -> str:
    return ", ".join(names)
