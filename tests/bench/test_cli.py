"""Wrong usage is told before anything is started."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from headwater.bench.cli import app
from headwater.bench.refusals import Refusal


@pytest.fixture(autouse=True)
def nothing_starts(monkeypatch):
    def started(*_):
        raise AssertionError("the benchmark was started")

    monkeypatch.setattr("headwater.bench.refresh.run", started)


@pytest.mark.parametrize(
    "arguments",
    [
        ["--queries", "q3,q23"],
        ["--changes", "a"],
        ["--changes", "0"],
        ["--changes", "0.1,80"],
        ["--pattern", "everywhere"],
        ["--lanes", "spark,fast"],
        ["--repeats", "0"],
        ["--scale", "0"],
    ],
)
def test_wrong_usage_leaves_with_2(arguments):
    result = CliRunner().invoke(app, ["refresh", *arguments])
    assert result.exit_code == 2
    assert result.stdout == ""
    assert arguments[0] in result.stderr


def test_a_folder_with_something_in_it_is_left_alone(tmp_path):
    (tmp_path / "precious").write_text("data")
    result = CliRunner().invoke(app, ["refresh", "--work", str(tmp_path)])
    assert isinstance(result.exception, Refusal)
    assert result.exception.key == "bench.folder"
    assert [path.name for path in tmp_path.iterdir()] == ["precious"]
