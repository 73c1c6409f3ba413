"""The benchmark in small: every number is there, every view is right."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from headwater.bench.cli import app
from headwater.bench.results import Report


@pytest.fixture
def run(spark):
    """Run `headwater bench` in this process, on the run's Spark."""

    def call(*arguments):
        return CliRunner().invoke(app, [str(argument) for argument in arguments])

    return call


@pytest.fixture(autouse=True)
def spark_stays(monkeypatch, spark):
    """The benchmark would stop its own Spark, and that is the one of the whole test run."""
    monkeypatch.setattr(type(spark), "stop", lambda self: None)


@pytest.mark.slow
def test_refresh(run, tmp_path, generated):
    arguments = ("--scale", 0.01, "--queries", "q3,q6", "--changes", 1, "--repeats", 1)
    result = run("refresh", *arguments, "--data", generated, "--out", tmp_path / "out")
    assert result.exit_code == 0, result.output
    report = Report.from_json((tmp_path / "out" / "refresh-sf0.01.json").read_text())
    assert [one.query for one in report.queries] == ["q3", "q6"]
    for query in report.queries:
        assert [(view.asked, view.verified) for view in query.views] == [("spark", True), ("local", True)]
        assert query.settings in report.settings
        assert [(one.asked, one.lane, one.rate) for one in query.measurements] == [
            ("spark", "spark", 1.0),
            ("local", "local", 1.0),
        ]
        for one in query.measurements:
            assert one.changes["lineitem"].inserted > 0
            assert 0 < one.refresh_seconds <= one.total_seconds
            assert one.recompute_seconds > 0
            assert one.duckdb_seconds > 0
    assert set(report.queries[1].measurements[0].changes) == {"lineitem"}
    assert (tmp_path / "out" / "refresh-sf0.01.png").stat().st_size > 10_000
    assert "Geometric means" in result.stdout


@pytest.mark.slow
def test_floor(run):
    result = run("floor", "--rows", 2000, "--runs", 2, "--json")
    assert result.exit_code == 0, result.output
    timings = json.loads(result.stdout)["timings"]
    assert len(timings) > 10
    assert all(0 < one["minimum"] <= one["median"] for one in timings)


@pytest.mark.slow
def test_process(run, tmp_path, generated):
    result = run("process", "--scale", 0.01, "--repeats", 1, "--data", generated, "--out", tmp_path, "--json")
    assert result.exit_code == 0, result.output
    runs = json.loads(result.stdout)["runs"]
    assert [(one["view"], one["lane"]) for one in runs] == [("q3", "local"), ("q5", "local")]
    assert all(0 < one["refresh_seconds"] < one["process_seconds"] for one in runs)
    assert json.loads((tmp_path / "process-sf0.01.json").read_text())["medians"].keys() == {"q3", "q5"}
