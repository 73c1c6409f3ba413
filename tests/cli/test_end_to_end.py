"""The commands on a real warehouse: one story from a CSV file to a verified view; bad input changes nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

ORDERS = "id,customer,status,price\n1,10,F,12.50\n2,10,O,7.25\n3,11,F,NA\n"
MORE = "id,customer,status,price\n4,12,O,100.00\n"
BY_STATUS = "SELECT status, count(*) AS n, sum(price) AS total FROM orders GROUP BY status"


@pytest.fixture
def headwater(spark, monkeypatch, run, tmp_path):
    """Run a command on this test's warehouse and on the run's Spark; checks the exit status."""
    import headwater as hw

    monkeypatch.setattr("headwater.cli.session.connect", lambda path: hw.connect(path, spark=spark))
    monkeypatch.setenv("HEADWATER_WAREHOUSE", str(tmp_path / "warehouse"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "orders.csv").write_text(ORDERS)
    (tmp_path / "more.csv").write_text(MORE)

    def headwater(*arguments: str, status: int = 0):
        result = run(*arguments)
        assert result.exit_code == status, result.output
        return result

    return headwater


@pytest.fixture
def story(headwater):
    """A table and two views, one on the other."""
    headwater("create", "--table", "orders", "orders.csv", "--null", "NA")
    headwater("create", "by_status", BY_STATUS)
    headwater("create", "statuses", "SELECT count(*) AS statuses, max(total) AS largest FROM by_status")
    return lambda *arguments, **options: json.loads(headwater(*arguments, "--json", **options).stdout)


def test_from_a_file_to_a_verified_view(story, headwater):
    assert [table["rows"] for table in story("tables")["tables"]] == [3]
    assert all(view["fresh"] for view in story("views")["views"])
    headwater("append", "orders", "more.csv", "--null", "NA")
    views = {view["name"]: view for view in story("views")["views"]}
    assert views["by_status"]["behind"] == {"orders": 1}

    refreshes = story("refresh", "--all")["refreshes"]
    assert [report["view"] for report in refreshes] == ["by_status", "statuses"]
    assert all(report["rows_changed"] for report in refreshes)
    assert all(view["fresh"] for view in story("views")["views"])
    assert {report["strategy"] for report in story("refresh", "--all")["refreshes"]} == {"none"}

    assert story("sql", "SELECT * FROM by_status ORDER BY status")["rows"] == [
        {"status": "F", "n": 2, "total": 12.5},
        {"status": "O", "n": 2, "total": 107.25},
    ]
    assert story("sql", "SELECT * FROM statuses")["rows"] == [{"statuses": 2, "largest": 107.25}]
    assert story("verify", "--all")["ok"] is True
    assert [entry["view"] for entry in story("history", "--limit", "2")["history"]] == ["statuses", "by_status"]
    assert story("explain", "by_status")["cursor"] == {"orders": views["by_status"]["cursor"]["orders"] + 1}
    assert {state["view"] for state in story("states")["states"]} <= {"by_status", "statuses"}
    for command in (["tables"], ["views"], ["history"], ["states"], ["explain", "statuses", "--sql"]):
        assert headwater(*command).stdout


def test_the_ddl(story, headwater):
    story("sql", f"CREATE MATERIALIZED VIEW v AS {BY_STATUS}")
    assert "v" in [view["name"] for view in story("views")["views"]]
    story("sql", "REFRESH MATERIALIZED VIEW v")
    assert "orders" in headwater("sql", "EXPLAIN MATERIALIZED VIEW v").stdout
    story("sql", "DROP MATERIALIZED VIEW v")
    assert "v" not in [view["name"] for view in story("views")["views"]]


@pytest.mark.parametrize(
    ("arguments", "key"),
    [
        (["sql", "SELEC 1"], "sql."),
        (["sql", "SELECT nothing FROM orders"], "sql."),
        (["create", "v", "SELECT * FROM nowhere"], ""),
        (["create", "v", "SELECT id FROM"], "sql."),
        (["create", "v", "SELEC x"], "sql.syntax"),
        (["sql", "INSERT INTO orders VALUES (1, 2, 'F', 3)"], "sql.not_run"),
        (["create", "by_status", "SELECT 1 AS a"], "table.exists"),
        (["create", "1v", "SELECT 1 AS a"], "table.name"),
        (["create", "v", "SELECT rand() AS a FROM orders", "--policy", "strict"], "view.strict"),
        (["create", "--table", "orders", "orders.csv"], "table.exists"),
        (["append", "nowhere", "more.csv"], "table.unknown"),
        (["append", "orders", "orders.csv"], "cli.file"),
        (["refresh", "nothing"], "view.unknown"),
        (["refresh", "by_status", "--tables", "nothing"], "view.not_read"),
        (["explain", "orders"], "view.unknown"),
        (["verify", "nothing"], "view.unknown"),
        (["history", "nothing"], "view.unknown"),
        (["states", "nothing"], "view.unknown"),
    ],
)
def test_bad_input_is_refused_by_name_and_changes_nothing(story, arguments, key):
    before = story("tables"), story("views")
    error = story(*arguments, status=1)["error"]
    assert error["key"].startswith(key)
    assert error["key"] != "internal"
    assert error["message"]
    assert (story("tables"), story("views")) == before


def test_a_misspelled_query_is_refused_at_its_place(story):
    assert story("create", "v", "SELEC x", status=1)["error"]["position"] == {"line": 1, "column": 1}


def test_a_lane_that_there_is_not_is_wrong_usage(headwater):
    assert "'warp' is not one of" in headwater("refresh", "v", "--lane", "warp", status=2).output


def test_a_view_that_was_tampered_with_fails_verification(story, headwater, tmp_path):
    from deltalake import DeltaTable

    DeltaTable(str(tmp_path / "warehouse" / "by_status")).update({"n": "n + 1"}, predicate="status = 'F'")
    assert "differs from its recompute" in headwater("verify", "by_status", status=1).stdout
    assert story("verify", "--all", status=1)["ok"] is False


@pytest.mark.slow
def test_a_process_of_its_own_prints_json_and_nothing_else(story, tmp_path):
    command = [sys.executable, "-m", "headwater.cli.main", "sql", "SELECT count(*) AS n FROM orders", "--json"]
    environment = {**os.environ, "HEADWATER_WAREHOUSE": str(tmp_path / "warehouse")}
    result = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120, check=True)
    assert json.loads(result.stdout)["rows"] == [{"n": 3}]
    assert result.stderr == ""
