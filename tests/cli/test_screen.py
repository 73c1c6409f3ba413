"""How values are written for people and for programs."""

from __future__ import annotations

import datetime
import io
import json
import time
from decimal import Decimal

import pyarrow as pa
import pytest
from rich.console import Console

from headwater.cli import screen
from headwater.cli.grid import fitting, grid
from headwater.cli.json_text import to_json
from headwater.cli.progress import PATIENCE, Progress

UTC = datetime.UTC
MINUTES = [(9.996, "10.0 s"), (59.9, "59.9 s"), (59.96, "1 min 0 s"), (185, "3 min 5 s")]
LARGE = [(999_600, "1.0 MB"), (2_500_000_000, "2.5 GB"), (5 * 10**15, "5000 TB")]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "–"),
        (0.0004, "0 ms"),
        (0.012, "12 ms"),
        (0.0996, "0.10 s"),
        (0.52, "0.52 s"),
        (9.994, "9.99 s"),
        *MINUTES,
    ],
)
def test_seconds(value, text):
    assert screen.seconds(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "–"), (0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (99_400, "99.4 kB"), (99_600, "100 kB"), *LARGE],
)
def test_size(value, text):
    assert screen.size(value) == text


def test_rows():
    assert [screen.rows_of(n) for n in (0, 1, 1234, None)] == ["0 rows", "1 row", "1,234 rows", "– rows"]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        (3, "3"),
        (0.1, "0.1"),
        (float("nan"), '"NaN"'),
        (float("-inf"), '"-Infinity"'),
        (Decimal("1.10"), "1.10"),
        (Decimal("1E+3"), "1000"),
        (Decimal("12345678901234567890.123"), "12345678901234567890.123"),
        ("ü\n", '"ü\\n"'),
        (datetime.date(2024, 2, 29), '"2024-02-29"'),
        (datetime.datetime(2024, 2, 29, 1, tzinfo=UTC), '"2024-02-29T01:00:00+00:00"'),
        (datetime.timedelta(seconds=1.5), "1.5"),
        (b"ab", '"YWI="'),
    ],
)
def test_json_values(value, text):
    assert to_json(value) == text


def test_json_nests():
    value = {"a": [(1, Decimal("2.0"))], "b": {"c": {datetime.date(2024, 1, 1)}}}
    assert json.loads(to_json(value)) == {"a": [[1, 2.0]], "b": {"c": ["2024-01-01"]}}


def shown(renderable, width: int = 80) -> str:
    out = Console(file=io.StringIO(), width=width, highlight=False, markup=False, emoji=False)
    out.print(renderable)
    return out.file.getvalue()


def test_grid_aligns_numbers_and_shows_values_as_they_are():
    rows = pa.table({"name": ["[bold]a", "b\nc"], "n": [1, 1234], "x": [0.1, None], "ok": [True, False]})
    assert shown(grid(rows, False, 80)).splitlines() == [
        "name        n     x  ok   ",
        "──────────────────────────",
        "[bold]a     1   0.1  true ",
        "b c      1234  NULL  false",
        "2 rows",
    ]


def test_grid_names_the_columns_that_do_not_fit():
    rows = pa.table({f"column_{n}": ["x" * 20] for n in range(10)})
    lines = shown(grid(rows, True, 80)).splitlines()
    assert max(map(len, lines[:-1])) <= 80
    assert lines[0].split() == ["column_0", "column_1", "column_2"]
    assert "7 more columns do not fit: column_3, " in " ".join(lines)


def test_grid_cuts_a_long_value():
    text = shown(grid(pa.table({"a": ["y" * 500]}), False, 80))
    assert "y" * 59 + "…" in text


def test_grid_of_no_rows_has_its_head():
    assert shown(grid(pa.table({"a": pa.array([], pa.int64())}), False, 80)).split() == ["a", "─", "0", "rows"]


@pytest.mark.parametrize(("widths", "count"), [([100], 1), ([40, 39], 1), ([40, 38], 2), ([1] * 100, 27), ([], 0)])
def test_fitting(widths, count):
    assert fitting(widths, 80) == count


# -- progress


def terminal(**options) -> Console:
    return Console(file=io.StringIO(), force_terminal=True, width=60, **options)


def test_progress_shows_phase_and_seconds_and_cleans_up():
    out = terminal()
    with Progress(out, "opening") as progress:
        time.sleep(PATIENCE + 0.3)
        progress.about("revenue")
        progress("computing", "join_4")
        time.sleep(0.3)
    text = out.file.getvalue()
    assert "opening" in text
    assert "revenue · computing · join_4" in text
    assert text.endswith("\x1b[2K")  # the line is erased


def test_short_work_shows_nothing():
    out = terminal()
    with Progress(out, "opening"):
        pass
    assert out.file.getvalue() == ""


def test_progress_keeps_quiet_off_a_terminal(monkeypatch):
    monkeypatch.setattr("headwater.cli.progress.PATIENCE", 0.01)
    out = Console(file=io.StringIO(), force_terminal=False)
    with Progress(out, "opening"):
        time.sleep(0.1)
    assert out.file.getvalue() == ""


def test_progress_ends_with_an_error(monkeypatch):
    monkeypatch.setattr("headwater.cli.progress.PATIENCE", 0.01)
    out = terminal()
    with pytest.raises(ValueError, match="broken"), Progress(out, "opening"):
        time.sleep(0.2)
        raise ValueError("broken")
    assert out.file.getvalue().endswith("\x1b[2K")
