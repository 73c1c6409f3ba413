"""Each command over a lake of fakes: what it asks the API for, what it prints, how it ends."""

from __future__ import annotations

import json
from decimal import Decimal

import pyarrow as pa
import pytest
from pyarrow import parquet

from headwater.errors import HeadwaterError, Position

from .conftest import FakeView

GROUPS = pa.table({"status": ["F", None], "total": [Decimal("12345678901234567890.10"), None]})


def document(result):
    """The one JSON document on stdout, and nothing beside it."""
    assert result.stderr == ""
    return json.loads(result.stdout)


# -- sql


def test_sql_prints_rows(fake, run):
    fake.answer = GROUPS
    result = run("sql", "SELECT 1")
    assert result.exit_code == 0
    assert fake.statements == ["SELECT 1"]
    assert "12345678901234567890.10" in result.stdout
    assert "NULL" in result.stdout
    assert "2 rows" in result.stdout


def test_sql_as_json_keeps_every_digit_and_names_types(fake, run):
    fake.answer = GROUPS
    result = run("sql", "SELECT 1", "--json")
    found = json.loads(result.stdout, parse_float=Decimal)
    assert found["columns"] == [
        {"name": "status", "type": "string"},
        {"name": "total", "type": "decimal128(22, 2)"},
    ]
    assert found["rows"] == [
        {"status": "F", "total": Decimal("12345678901234567890.10")},
        {"status": None, "total": None},
    ]
    assert found["truncated"] is False


def test_sql_limit_says_that_there_is_more(fake, run):
    fake.answer = pa.table({"n": list(range(10))})
    assert "the first 3 rows" in run("sql", "q", "--limit", "3").stdout
    found = document(run("sql", "q", "--limit", "3", "--json"))
    assert [row["n"] for row in found["rows"]] == [0, 1, 2]
    assert found["truncated"] is True
    assert len(document(run("sql", "q", "--limit", "0", "--json"))["rows"]) == 10
    assert document(run("sql", "q", "--limit", "10", "--json"))["truncated"] is False


def test_sql_of_a_join_names_its_columns_apart(fake, run):
    fake.answer = pa.Table.from_arrays([pa.array([1]), pa.array([2]), pa.array([3])], names=["id", "id", "id_2"])
    assert document(run("sql", "q", "--json"))["rows"] == [{"id": 1, "id_2": 2, "id_2_2": 3}]


def test_sql_from_a_file_and_from_standard_input(fake, run, tmp_path):
    (tmp_path / "query.sql").write_text("SELECT 2")
    assert run("sql", "--file", "query.sql").exit_code == 0
    assert run("sql", "-", input="SELECT 3").exit_code == 0
    assert fake.statements == ["SELECT 2", "SELECT 3"]


@pytest.mark.parametrize("arguments", [[], ["SELECT 1", "--file", "query.sql"], ["  "]])
def test_sql_wants_exactly_one_statement(fake, run, arguments):
    assert run("sql", *arguments).exit_code == 2
    assert fake.statements == []


def test_sql_shows_the_page_that_explain_returns(fake, run):
    fake.answer = pa.table({"explanation": ["View revenue\n  because: " + "x" * 100]})
    assert "x" * 100 in run("sql", "EXPLAIN MATERIALIZED VIEW revenue").stdout


def test_sql_without_a_result_prints_nothing(fake, run):
    result = run("sql", "DROP MATERIALIZED VIEW v")
    assert (result.exit_code, result.stdout) == (0, "")
    assert document(run("sql", "q", "--json")) == {"columns": [], "rows": [], "truncated": False}


# -- tables, views


def test_tables(fake, run):
    assert "orders" in run("tables").stdout
    (table,) = document(run("tables", "--json"))["tables"]
    assert table == {
        "name": "orders",
        "version": 3,
        "rows": 3,
        "columns": [
            {"name": "id", "type": "int64", "nullable": True},
            {"name": "status", "type": "string", "nullable": True},
            {"name": "price", "type": "decimal128(12, 2)", "nullable": True},
        ],
        "path": "warehouse/orders",
    }


def test_a_missing_table_is_listed_as_such(fake, run):
    fake.fake_tables["orders"].missing = "The attached table 'orders' is no longer there."
    assert "missing" in run("tables").stdout
    (table,) = document(run("tables", "--json"))["tables"]
    assert (table["version"], table["missing"]) == (None, "The attached table 'orders' is no longer there.")
    assert run("views").exit_code == 0


def test_an_empty_warehouse_says_what_to_do(fake, run):
    fake.fake_tables.clear()
    fake.fake_views.clear()
    assert "headwater create --table" in run("tables").stdout
    assert "headwater create" in run("views").stdout
    assert document(run("tables", "--json")) == {"tables": []}


def test_views_say_how_far_they_are_behind(fake, run):
    fake.fake_views["revenue"].cursor = {"orders": 1}
    assert "orders by 2" in run("views").stdout
    (view,) = document(run("views", "--json"))["views"]
    assert view["behind"] == {"orders": 2}
    assert view["fresh"] is False
    assert view["last_refresh"]["strategy"] == "incremental"
    assert view["last_refresh"]["started_at"] == "2024-02-29T12:00:00+00:00"
    assert set(view) == {
        *("name", "policy", "rows", "fresh", "behind", "cursor", "last_refresh", "definition", "path"),
    }


def test_a_view_on_a_view_is_behind_it(fake, run):
    fake.fake_views["top"] = FakeView("top", {"revenue": 2}, version=4)
    fake.fake_views["revenue"].version = 3
    views = {view["name"]: view for view in document(run("views", "--json"))["views"]}
    assert views["revenue"]["fresh"] is True
    assert views["top"]["behind"] == {"revenue": 1}


def test_a_source_that_is_gone_is_told(fake, run):
    fake.fake_views["revenue"].cursor = {"lost": 1}
    assert document(run("views", "--json"))["views"][0]["behind"] == {"lost": None}
    assert "lost by ?" in run("views").stdout


# -- create, append


def test_create_view(fake, run):
    result = run("create", "revenue2", "SELECT 1", "--policy", "strict", "--replace")
    assert result.exit_code == 0
    assert fake.created == [{"view": "revenue2", "sql": "SELECT 1", "policy": "strict", "replace": True}]
    assert "created view revenue2: 2 rows" in result.stdout


def test_create_view_with_a_budget(fake, run):
    run("create", "v", "SELECT 1", "--budget", "2GB", "--state", "diss")
    assert (fake.created[0]["state_budget"], fake.created[0]["state"]) == ("2GB", "diss")


def test_create_view_as_json(fake, run):
    found = document(run("create", "v", "SELECT 1", "--json"))
    assert found == {"view": {"name": "v", "policy": "auto", "rows": 2, "cursor": {"orders": 3}}}


def test_create_refuses_an_unknown_policy(fake, run):
    result = run("create", "v", "SELECT 1", "--policy", "sometimes")
    assert result.exit_code == 2
    assert fake.created == []


def test_create_table_from_csv(fake, run, tmp_path):
    (tmp_path / "orders.csv").write_text('id,status,day\n1,NA,2024-01-01\n2,"",2024-01-02\n,F,\n')
    result = run("create", "--table", "orders2", "orders.csv", "--null", "NA", "--partition-by", "status, day")
    assert result.exit_code == 0, result.stderr
    (created,) = fake.created
    assert created["partition_by"] == ["status", "day"]
    assert created["data"].column("status").to_pylist() == [None, "", "F"]
    assert created["data"].column("id").to_pylist() == [1, 2, None]
    assert str(created["data"].schema.field("day").type) == "date32[day]"
    assert "created table orders2: 3 rows, version 0" in result.stdout


def test_create_table_takes_text_for_what_it_is_unless_told(fake, run, tmp_path):
    (tmp_path / "codes.csv").write_text("code,none\nNA,\nDE,\n")
    assert run("create", "-t", "codes", "codes.csv").exit_code == 0
    assert fake.created[0]["data"].to_pydict() == {"code": ["NA", "DE"], "none": [None, None]}
    assert fake.created[0]["data"].schema.field("none").type == pa.string()


def test_create_table_makes_its_warehouse(fake, run, tmp_path):
    (tmp_path / "a.tsv").write_text("a\tb\n1\t2\n")
    assert run("-w", "new", "create", "--table", "a", "a.tsv").exit_code == 0


def test_create_table_from_parquet_and_json_lines(fake, run, tmp_path):
    parquet.write_table(pa.table({"a": [1]}), tmp_path / "a.parquet")
    (tmp_path / "b.jsonl").write_text('{"a": 1}\n{"a": null}\n')
    assert run("create", "--table", "a", "a.parquet").exit_code == 0
    assert run("create", "--table", "b", "b.jsonl").exit_code == 0
    assert [created["data"].to_pydict() for created in fake.created] == [{"a": [1]}, {"a": [1, None]}]


@pytest.mark.parametrize(
    "arguments",
    [
        ["--table", "t"],
        ["--table", "t", "data.csv", "--replace"],
        ["--table", "t", "data.csv", "--policy", "full"],
        ["v"],
        ["v", "SELECT 1", "--partition-by", "a"],
        ["v", "SELECT 1", "--null", "NA"],
    ],
)
def test_create_refuses_what_does_not_belong_together(fake, run, arguments):
    assert run("create", *arguments).exit_code == 2
    assert fake.created == []


@pytest.mark.parametrize(
    ("name", "content", "key"),
    [
        ("data.xlsx", "", "cli.file_kind"),
        ("missing.csv", None, "cli.file"),
        ("broken.csv", "a,b\n1,2\n3\n", "cli.file"),
        ("broken.parquet", "no parquet", "cli.file"),
        ("empty.csv", "", "cli.file"),
    ],
)
def test_create_table_refuses_a_file_by_name(fake, run, tmp_path, name, content, key):
    if content is not None:
        (tmp_path / name).write_text(content)
    result = run("create", "--table", "t", name, "--json")
    assert result.exit_code == 1
    error = document(result)["error"]
    assert error["key"] == key
    assert name in error["message"]
    assert fake.created == []


def test_append_reads_text_as_the_table_types_it(fake, run, tmp_path):
    (tmp_path / "more.csv").write_text("id,status,price\n007,1,1.5\n")
    result = run("append", "orders", "more.csv")
    assert result.exit_code == 0, result.stderr
    (data,) = fake.fake_tables["orders"].appended
    assert data.schema.types == [pa.int64(), pa.string(), pa.decimal128(12, 2)]
    assert "appended 1 row to orders: 4 rows, version 4" in result.stdout
    assert document(run("append", "orders", "more.csv", "--json"))["appended"] == 1


# -- refresh, verify


def test_refresh_names_what_it_did(fake, run):
    result = run("refresh", "revenue")
    assert result.exit_code == 0
    assert "revenue  incremental, 7 rows changed in 0.25 s" in result.stdout
    assert fake.fake_views["revenue"].refreshed == [{"tables": None, "full": False}]


def test_refresh_passes_on_tables_and_full(fake, run):
    assert run("refresh", "revenue", "--tables", "orders, lines", "--full").exit_code == 0
    assert fake.fake_views["revenue"].refreshed == [{"tables": ["orders", "lines"], "full": True}]


def test_a_full_refresh_says_why(fake, run):
    fake.fake_views["revenue"].strategy = "full"
    assert "The operator window has no incremental rule yet." in run("refresh", "revenue").stdout


def test_refresh_all_goes_bottom_up(fake, run):
    log: list[str] = []
    fake.fake_views.clear()
    for name, reads in (("a_top", "middle"), ("middle", "z_bottom"), ("z_bottom", "orders")):
        fake.fake_views[name] = FakeView(name, {reads: 0}, log=log)
    assert [r["view"] for r in document(run("refresh", "--all", "--json"))["refreshes"]] == log
    assert log == ["z_bottom", "middle", "a_top"]


def test_named_views_are_refreshed_bottom_up_and_once(fake, run):
    log: list[str] = []
    fake.fake_views["revenue"].log = log
    fake.fake_views["a_top"] = FakeView("a_top", {"revenue": 0}, log=log)
    assert run("refresh", "a_top", "revenue", "a_top").exit_code == 0
    assert log == ["revenue", "a_top"]


def test_refresh_as_json_has_the_whole_report(fake, run):
    (report,) = document(run("refresh", "revenue", "--json"))["refreshes"]
    assert report["strategy"] == "incremental"
    assert {"view", "lane", "reason", "seconds", "rows_changed", "cursor", "jobs", "operators", "phases"} <= set(report)


def test_a_failing_refresh_leaves_what_was_done_before_it_in_the_answer(fake, run):
    fake.fake_views["top"] = FakeView("top", {"revenue": 0}, error=HeadwaterError("commit.conflict", name="top"))
    result = run("refresh", "--all", "--json")
    assert result.exit_code == 1
    found = document(result)
    assert [report["view"] for report in found["refreshes"]] == ["revenue"]
    assert found["error"]["key"] == "commit.conflict"
    result = run("refresh", "--all")
    assert result.exit_code == 1
    assert "revenue" in result.stdout
    assert "error: Another writer changed 'top'" in result.stderr


@pytest.mark.parametrize("command", ["refresh", "verify"])
@pytest.mark.parametrize("arguments", [[], ["revenue", "--all"]])
def test_views_are_named_or_all(fake, run, command, arguments):
    result = run(command, *arguments)
    assert result.exit_code == 2
    assert "--all" in result.stderr


def test_verify_passes(fake, run):
    result = run("verify", "revenue")
    assert (result.exit_code, result.stderr) == (0, "")
    assert "revenue  equals its recompute" in result.stdout
    assert document(run("verify", "--all", "--json"))["ok"] is True


def test_verify_fails_with_status_1_and_shows_rows(fake, run):
    fake.fake_views["revenue"].ok = False
    result = run("verify", "revenue")
    assert result.exit_code == 1
    assert "1 row missing, 0 rows too many" in result.stdout
    assert "status = NULL, n = 3" in result.stdout
    result = run("verify", "revenue", "--json")
    assert result.exit_code == 1
    found = document(result)
    assert found["ok"] is False
    assert found["verifications"][0]["missing"] == 1


# -- explain, history, states


def test_explain(fake, run):
    result = run("explain", "revenue")
    assert result.exit_code == 0
    assert "scan orders" in result.stdout
    assert "SELECT 1" not in result.stdout
    assert run("explain", "revenue", "--sql").stdout.count("SELECT 1") == 1
    found = document(run("explain", "revenue", "--json"))
    assert found["operators"][0]["rule"] == "reads the change"
    assert {"view", "policy", "strategy", "reason", "cursor", "pending", "operators", "alternatives"} <= set(found)


def test_history(fake, run):
    shown = run("history").stdout
    assert "incremental" in shown
    assert "lane" in shown and "spark" in shown
    (entry,) = document(run("history", "revenue", "--json"))["history"]
    assert entry["cursor_after"] == {"orders": 1}
    assert entry["phases"] == {"publish": 0.1}
    assert entry["operators"] is None
    assert entry["started_at"] == "2024-02-29T12:00:00+00:00"


def test_history_of_all_views_is_limited_as_a_whole(fake, run):
    fake.fake_views["other"] = FakeView("other", {"orders": 3})
    assert len(document(run("history", "--json"))["history"]) == 2
    assert len(document(run("history", "--limit", "1", "--json"))["history"]) == 1


def test_states(fake, run):
    result = run("states")
    assert "join_4" in result.stdout
    assert "56.8 kB in all" in result.stdout
    found = document(run("states", "revenue", "--json"))
    assert found["bytes"] == 56_789
    assert found["states"] == [
        {"view": "revenue", "node": "join_4", "key": ["id"], "place": "disk"}
        | {"rows": 1234, "bytes": 56_789, "segments": 2}
    ]
    fake.fake_views["revenue"].pasts = ()
    assert document(run("states", "--json")) == {"states": [], "bytes": 0}


# -- what goes wrong


def test_an_error_is_one_line_without_a_traceback(fake, run):
    result = run("refresh", "revnue")
    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr == "error: There is no view named 'revnue'; known here: revenue.\n"
    assert fake.closed


def test_an_error_as_json_has_key_and_position(fake, run):
    fake.answer = HeadwaterError("sql.syntax", why="unexpected FROM", position=Position(2, 5))
    result = run("sql", "SELECT\n FROM", "--json")
    assert result.exit_code == 1
    assert document(result) == {
        "error": {
            "key": "sql.syntax",
            "message": "The SQL could not be parsed: unexpected FROM. (at line 2, column 5)",
            "position": {"line": 2, "column": 5},
        }
    }


def test_what_was_not_expected_is_told_briefly(fake, run):
    fake.answer = RuntimeError("first line\n" + "x" * 1000)
    result = run("sql", "q")
    assert result.exit_code == 1
    assert result.stderr.startswith("error: RuntimeError: first line xxx")
    assert "--debug" in result.stderr
    assert len(result.stderr) < 600
    assert document(run("sql", "q", "--json"))["error"]["key"] == "internal"


def test_debug_shows_where_it_comes_from(fake, run):
    fake.answer = RuntimeError("deep inside")
    result = run("--debug", "sql", "q")
    assert isinstance(result.exception, RuntimeError)


def test_interrupted(fake, run):
    fake.fake_views["revenue"].error = KeyboardInterrupt()
    result = run("refresh", "revenue")
    assert result.exit_code == 130
    assert "Interrupted" in result.stderr
    assert fake.closed


@pytest.mark.parametrize("command", [["tables"], ["views"], ["history"], ["states"], ["sql", "SELECT 1"]])
def test_looking_around_makes_no_warehouse(fake, run, tmp_path, command):
    result = run(*command, "--warehouse", "elsewhere", "--json")
    assert result.exit_code == 1
    assert document(result)["error"]["key"] == "cli.no_warehouse"
    assert not (tmp_path / "elsewhere").exists()


def test_the_warehouse_can_be_given_before_and_after_the_command_and_in_the_environment(fake, run, monkeypatch):
    opened: list[str] = []
    monkeypatch.setattr("headwater.cli.session.require_warehouse", opened.append)
    run("--warehouse", "a", "views")
    run("views", "-w", "b")
    run("views", env={"HEADWATER_WAREHOUSE": "c"})
    run("views", "-w", "d", env={"HEADWATER_WAREHOUSE": "c"})
    run("views")
    assert opened == ["a", "b", "c", "d", "warehouse"]


def test_the_lane_is_passed_on_and_shown():
    import inspect

    from headwater.cli.commands.refresh import _lines, refresh
    from headwater.refresh.report import Refresh

    assert "lane" in inspect.signature(refresh).parameters
    local = Refresh("v", "incremental", "local", "Cheaper.", 0.02, 3, {"t": 1}, 0)
    assert "local lane" in _lines(local).plain
