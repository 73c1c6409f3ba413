"""Refreshes in the local lane, without a JVM: exact, reported, refused by name, safe with a warm copy."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
from collections import Counter

import duckdb
import pyarrow as pa
import pytest

from headwater.errors import HeadwaterError
from headwater.refresh import runner
from tests.engine.local.without_spark import connect, rows_of

SCHEMAS = {
    "orders": {"id": "bigint", "customer": "int", "product": "string", "amount": "int", "score": "double"},
    "customers": {"id": "int", "region": "string"},
}
VIEWS = {
    "joined": "SELECT c.region, o.id, o.amount FROM orders o JOIN customers c ON o.customer = c.id AND o.amount > 1",
    "outer_": "SELECT c.id AS cid, o.id AS oid FROM customers c LEFT JOIN orders o ON o.customer = c.id",
    "totals": """SELECT region, COUNT(*) AS n, COUNT(score) AS scored FROM orders JOIN customers
                 ON customer = customers.id GROUP BY region""",
    "extremes": "SELECT customer, MIN(amount) AS low, MAX(score) AS high FROM orders GROUP BY customer",
    "kinds": "SELECT DISTINCT product, customer FROM orders",
    "absent": "SELECT id FROM customers c WHERE NOT EXISTS (SELECT 1 FROM orders o WHERE o.customer = c.id)",
}


def order(rng: random.Random) -> dict:
    return {
        "id": rng.randrange(6),
        "customer": rng.choice([1, 2, 3, None]),
        "product": rng.choice(["a", "b", "é", None]),
        "amount": rng.choice([1, 2, 3, 5, None]),
        "score": rng.choice([0.5, -0.0, float("nan"), 1e16, None]),
    }


def customer(rng: random.Random) -> dict:
    return {"id": rng.choice([1, 2, 3, None]), "region": rng.choice(["n", "s", None])}


def filled(lake, rng: random.Random, rows: int = 20) -> None:
    for name, make in (("orders", order), ("customers", customer)):
        table = lake.create_table(name, SCHEMAS[name])
        table.append([make(rng) for _ in range(rows if name == "orders" else 4)])


def some_dml(lake, rng: random.Random) -> None:
    for name, make in (("orders", order), ("customers", customer)):
        table = lake.table(name)
        action = rng.choice(["append", "append", "delete", "update", "nothing"])
        if action == "append":
            table.append([make(rng) for _ in range(rng.randrange(1, 4))])
        elif action == "delete":
            table.delete(f"id = {rng.randrange(6)}")
        elif action == "update" and name == "orders":
            table.update({"amount": "amount + 1"}, where=f"id = {rng.randrange(6)}")


def bag(rows: pa.Table) -> Counter:
    return Counter(tuple("nan" if v != v else (0.0 if v == 0 else v) for v in row.values()) for row in rows.to_pylist())


def check(lake, view) -> None:
    folders = lake._folders(view.reads)
    tables = {name: folders[name].read(version) for name, version in view.cursor.items()}
    assert bag(view.arrow()) == bag(rows_of(view.definition, tables)), view.name


@pytest.fixture
def scanning(monkeypatch):
    """Pasts are scanned where they are resident, as large changes do; otherwise these few rows would be looked up."""
    monkeypatch.setattr(runner, "FEW_ROWS", -1)
    monkeypatch.setattr(runner, "LOOKUP_KEYS", -1)


@pytest.mark.parametrize("name", VIEWS)
def test_pasts_that_are_scanned(tmp_path, scanning, name):
    test_a_view_follows_its_tables(tmp_path, name, "alternating")


@pytest.mark.parametrize("name", VIEWS)
@pytest.mark.parametrize("lanes", ["local", "alternating"])
def test_a_view_follows_its_tables(tmp_path, name, lanes):
    rng = random.Random(f"{name}{lanes}")
    with connect(tmp_path / "lake") as lake:
        filled(lake, rng)
        view = lake.create_view(name, VIEWS[name], policy="incremental")
        check(lake, view)
        for _ in range(15):
            some_dml(lake, rng)
            lane = "local" if lanes == "local" else rng.choice(["local", "spark"])
            tables = rng.choice([None, None, list(view.reads[:1])])
            report = view.refresh(tables=tables, lane=lane)
            assert report.lane in (lane, "none") and report.strategy in ("incremental", "none")
            check(lake, view)
        check_pasts(view)


def check_pasts(view) -> None:
    """What is stored after all that is what a build from nothing stores."""
    store, standing = view._store, view._standing()
    stored = {past.name: store.folder(past).read() for past in view._pasts()}
    store.drop()
    view._runner.repair(standing, runner.Measured(), view._runner.lane)
    for past in view._pasts():
        fresh = store.folder(past).read()
        assert net(stored[past.name], past) == net(fresh, past), past.name


def net(rows: pa.Table, past) -> Counter:
    """Rows with their weights added up; partials with their sums."""
    found: Counter = Counter()
    keys = [n for n in rows.column_names if "$" not in n and n not in ("_hw_count", "_hw_weight")]
    for row in rows.to_pylist():
        key = tuple("nan" if row[k] != row[k] else (0.0 if row[k] == 0 else row[k]) for k in keys)
        for column, value in row.items():
            if column not in keys:
                found[key, column] += value
    return Counter({key: value for key, value in found.items() if value})


def test_auto_takes_the_local_lane_for_a_small_change_and_says_why(tmp_path):
    rng = random.Random(1)
    with connect(tmp_path / "lake") as lake:
        filled(lake, rng)
        view = lake.create_view("joined", VIEWS["joined"])
        lake.table("orders").append([order(rng)])
        assert view.explain().lane == "local" and "local lane" in view.explain().lane_reason
        report = view.refresh()
        assert report.lane == "local" and report.jobs == 0 and "local lane" in report.reason
        last = view.history(limit=1).to_pylist()[0]
        assert last["lane"] == "local" and last["reason"] == report.reason


def test_an_expression_outside_the_table_is_spark_s(tmp_path):
    rng = random.Random(1)
    with connect(tmp_path / "lake") as lake:
        filled(lake, rng)
        sql = "SELECT id, EXP(score) AS e FROM orders WHERE id > 2"
        view = lake.create_view("exponents", sql, policy="incremental")
        lake.table("orders").append([order(rng)])
        with pytest.raises(HeadwaterError, match="EXP") as refused:
            view.refresh(lane="local")
        assert refused.value.key == "lane.impossible"
        report = view.refresh()
        assert report.lane == "spark" and "EXP" in report.reason
        check(lake, view)


def test_a_budget_that_is_too_small_is_named(tmp_path, scanning):
    rng = random.Random(1)
    with connect(tmp_path / "lake", driver_budget=10) as lake:
        filled(lake, rng)
        view = lake.create_view("extremes", VIEWS["extremes"], policy="incremental")
        lake.table("orders").append([order(rng)])
        with pytest.raises(HeadwaterError, match="driver_budget") as refused:
            view.refresh(lane="local")
        assert refused.value.key in ("lane.impossible", "lane.budget")
        assert view.refresh().lane == "spark"
        check(lake, view)


def test_an_error_in_the_local_lane_gives_way_to_spark(tmp_path):
    rng = random.Random(1)
    with connect(tmp_path / "lake") as lake:
        filled(lake, rng)
        view = lake.create_view("shouted", "SELECT id, UPPER(product) AS p FROM orders WHERE product = 'é' OR id > 1")
        lake.table("orders").append([order(rng) | {"product": "é"}])
        before = view.cursor
        with pytest.raises(HeadwaterError) as failed:
            view.refresh(lane="local")
        assert failed.value.key == "lane.failed" and view.cursor == before


@pytest.mark.parametrize("options", [{"lane": "warp"}, {"driver_budget": -1}])
def test_options_are_checked(tmp_path, options):
    with pytest.raises(HeadwaterError):
        connect(tmp_path / "lake", **options)


# -- warm copies


def refreshed(path, rng, name: str = "extremes", **options) -> None:
    """One refresh in a lake that is opened for it, checked."""
    with connect(path, **options) as lake:
        lake.table("orders").append([order(rng)])
        view = lake.view(name)
        assert view.refresh(lane="local").lane == "local"
        check(lake, view)


@pytest.fixture
def warm(tmp_path, scanning):
    """A lake with a view, whose warm copy one process has left behind; the path of the copy."""
    rng = random.Random(5)
    path = tmp_path / "lake"
    with connect(path, warm=True) as lake:
        filled(lake, rng)
        lake.create_view("extremes", VIEWS["extremes"])
        lake.create_view("joined", VIEWS["joined"])
    refreshed(path, rng, warm=True)
    return path, path / "_headwater" / "warm.duckdb", rng


def test_the_next_process_finds_the_copies(warm):
    path, copy, rng = warm
    assert copy.is_file()
    with connect(path, warm=True) as lake:
        lake.table("orders").append([order(rng)])
        lake.view("extremes").refresh(lane="local")
        assert lake._local.residents.loads == 0
        check(lake, lake.view("extremes"))


@pytest.mark.parametrize("damage", ["folder", "truncated", "not a database", "other format", "rows", "values", "stale"])
def test_a_damaged_copy_is_not_believed(warm, damage):
    path, copy, rng = warm
    kept = copy.read_bytes()
    if damage == "folder":
        copy.unlink()
        copy.mkdir()
    elif damage == "truncated":
        copy.write_bytes(kept[: len(kept) // 2])
    elif damage == "not a database":
        copy.write_bytes(b"nonsense" * 4096)
    elif damage == "stale":
        refreshed(path, rng, warm=True)
        refreshed(path, rng, warm=True)
        copy.write_bytes(kept)
    else:
        tamper(copy, damage)
    refreshed(path, rng, warm=True)
    refreshed(path, rng, warm=True)


def tamper(copy, damage: str) -> None:
    connection = duckdb.connect(str(copy))
    tables = [row[0] for row in connection.execute("SHOW TABLES").fetchall() if row[0].startswith("resident_")]
    assert tables
    for table in tables:
        columns = [row[0] for row in connection.execute(f"DESCRIBE {table}").fetchall() if row[0] != "_hw_file"]
        if damage == "rows":
            connection.execute(f"DELETE FROM {table} WHERE rowid = 0")
        elif damage == "values":
            connection.execute(f'UPDATE {table} SET "{columns[-1]}" = NULL')
    if damage == "other format":
        connection.execute("UPDATE _hw_kept SET kept = '0' WHERE name = ''")
    connection.close()


def test_a_copy_that_another_process_holds_is_not_used(warm):
    path, copy, rng = warm
    holder = subprocess.Popen(
        [
            sys.executable,
            "-c",
            f"import duckdb, sys; c = duckdb.connect({str(copy)!r}); print(1, flush=True); sys.stdin.read()",
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    try:
        holder.stdout.readline()
        refreshed(path, rng, warm=True)
    finally:
        holder.communicate()
    refreshed(path, rng, warm=True)


def test_a_table_that_was_made_anew_is_loaded_anew(tmp_path):
    rng = random.Random(3)
    with connect(tmp_path / "lake", warm=True) as lake:
        filled(lake, rng)
        view = lake.create_view("extremes", VIEWS["extremes"])
        lake.table("orders").append([order(rng)])
        view.refresh(lane="local")
        view.drop()
        lake.drop_table("orders")
        lake.create_table("orders", SCHEMAS["orders"]).append([order(rng) for _ in range(5)])
        view = lake.create_view("extremes", VIEWS["extremes"])
        lake.table("orders").append([order(rng)])
        view.refresh(lane="local")
        check(lake, view)
    shutil.rmtree(tmp_path / "lake")


NO_SPARK = """
import sys
import headwater as hw

with hw.connect(sys.argv[1], warm=True) as lake:
    view = lake.view("extremes")
    lake.table("orders").append([{"id": 9, "customer": 1, "product": "a", "amount": 3, "score": 0.5}])
    explained = view.explain()
    report = view.refresh()
    assert (report.lane, explained.lane) == ("local", "local"), report
    view.history(), view.states(), view.explain(sql=True), view.arrow(), view.pandas(), view.polars(), view.changes(1)
    [each.rows for each in lake.views()], lake.tables()
    assert not [name for name in sys.modules if name.split(".")[0] in ("pyspark", "py4j")]
"""


def test_spark_is_not_even_imported(warm):
    path, _, _ = warm
    done = subprocess.run([sys.executable, "-c", NO_SPARK, str(path)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr[-2000:]
