"""What a person sees: the tables and the picture."""

from __future__ import annotations

import io

import pytest
from matplotlib.image import imread
from rich.console import Console

from headwater.bench.plot import save_plot
from headwater.bench.results import QueryResult, Report, ViewResult
from headwater.bench.show import seconds, show_report, size

from .test_results import FAILED, Q3, report


def shown(found: Report) -> str:
    console = Console(file=io.StringIO(), width=160, no_color=True)
    show_report(found, console)
    return console.file.getvalue()


def test_the_report_has_every_median_and_says_what_failed():
    text = " ".join(shown(report(Q3, FAILED)).split())
    assert "q3 spark 0.1 % 3.00 s 300 ms 500 ms 600 ms 6.00 0.60 3 100 4 kB full, incremental" in text
    assert "q3 local - 9.50 s - No." in text
    assert "q6 ended early: HeadwaterError: no" in text
    assert "spark 0.1 % 1 6.00 6.00 0.60" in text
    assert "A note." in text


def test_a_wrong_view_stands_out():
    assert "NO" in shown(report(QueryResult("q3", views=(ViewResult("spark", 1.0, verified=False),))))


@pytest.mark.parametrize(
    ("value", "text"), [(None, "-"), (0.0004, "0.4 ms"), (0.0123, "12 ms"), (0.9994, "999 ms"), (12.345, "12.35 s")]
)
def test_seconds(value, text):
    assert seconds(value) == text


@pytest.mark.parametrize(("value", "text"), [(0, "0 B"), (999, "999 B"), (4_200, "4 kB"), (3_456_789, "3.5 MB")])
def test_size(value, text):
    assert size(value) == text


@pytest.mark.parametrize(
    "queries", [(Q3,), (Q3, FAILED), tuple(QueryResult(f"q{n}", measurements=Q3.measurements) for n in range(10))]
)
def test_the_plot_is_a_picture(queries, tmp_path):
    save_plot(report(*queries), tmp_path / "plot.png")
    assert imread(tmp_path / "plot.png").std() > 0.05
