"""Whole views on a real lake under random DML: equal to Spark and to DuckDB after every step."""

from __future__ import annotations

import random

import pytest

import headwater as hw
from tests.api.oracle import check

VIEWS = {
    "joined": """SELECT c.region, o.id, o.amount FROM orders o
                 JOIN customers c ON o.customer = c.id AND o.amount > 1""",
    "outer_": """SELECT c.id AS cid, o.id AS oid, p.code FROM customers c
                 LEFT JOIN orders o ON o.customer = c.id AND o.amount > 2
                 FULL JOIN products p ON p.code = o.product""",
    "totals": """SELECT region, count(*) AS n, sum(amount) AS total, avg(amount) AS mean,
                        sum(price) AS paid, avg(price) AS p
                 FROM orders JOIN customers ON customer = customers.id GROUP BY region HAVING count(*) > 0""",
    "extremes": """SELECT customer, min(amount) AS low, max(price) AS high, count(DISTINCT product) AS kinds,
                   stddev(amount) AS spread, sum(score) AS score FROM orders GROUP BY customer""",
    "overall": "SELECT count(*) AS n, sum(amount) AS total, max(score) AS best FROM orders",
    "kinds": "SELECT DISTINCT product, customer FROM orders UNION SELECT code, NULL FROM products",
    "nested": """WITH per AS (SELECT customer, sum(amount) AS total FROM orders GROUP BY customer)
                 SELECT a.customer, b.total FROM per a JOIN per b ON a.total <= b.total AND a.customer <> b.customer""",
}
SCHEMAS = {
    "orders": {
        "id": "bigint",
        "customer": "int",
        "product": "string",
        "amount": "int",
        "price": "decimal(12,2)",
        "score": "double",
    },
    "customers": {"id": "int", "region": "string"},
    "products": {"code": "string", "label": "string"},
}


def order(rng: random.Random) -> dict:
    from decimal import Decimal

    return {
        "id": rng.randrange(6),
        "customer": rng.choice([1, 2, 3, None]),
        "product": rng.choice(["a", "b", "é", None]),
        "amount": rng.choice([1, 2, 3, 5, None]),
        "price": rng.choice([Decimal("1.25"), Decimal("-3.10"), None]),
        "score": rng.choice([0.5, -0.0, float("nan"), 1e16, None]),
    }


def customer(rng: random.Random) -> dict:
    return {"id": rng.choice([1, 2, 3, None]), "region": rng.choice(["n", "s", None])}


def product(rng: random.Random) -> dict:
    return {"code": rng.choice(["a", "b", "c", None]), "label": "x"}


MAKERS = {"orders": order, "customers": customer, "products": product}


def fill(lake, rng: random.Random, rows: int = 8) -> None:
    for name, schema in SCHEMAS.items():
        lake.create_table(name, schema)
        if rows:
            lake.table(name).append([MAKERS[name](rng) for _ in range(rows)])


def disturb(lake, rng: random.Random) -> None:
    """A random statement on each of one to three tables."""
    for name in rng.sample(sorted(SCHEMAS), rng.choice([1, 2, 3])):
        table = lake.table(name)
        kind = rng.choice(["append", "append", "delete", "update", "delete all", "upsert"])
        key = {"orders": "customer", "customers": "id", "products": "code"}[name]
        literal = "'a'" if name == "products" else "2"
        if kind == "append":
            table.append([MAKERS[name](rng) for _ in range(rng.choice([1, 3]))])
        elif kind == "delete":
            table.delete(f"{key} = {literal}")
        elif kind == "update":
            table.update({key: "'b'" if name == "products" else "3"}, where=f"{key} = {literal}")
        elif kind == "delete all" and rng.random() < 0.3:
            table.delete()
        elif kind == "upsert" and name == "customers":
            table.delete("id IS NULL OR id = 1")
            table.upsert([{"id": 1, "region": "w"}], on=["id"])


@pytest.mark.parametrize("lanes", [["spark"], ["local"], ["spark", "local"]], ids=" or ".join)
@pytest.mark.parametrize("name", sorted(VIEWS))
def test_equals_recompute_after_every_step(lake, name, lanes):
    rng = random.Random(name)
    fill(lake, rng)
    view = lake.create_view(name, VIEWS[name], policy="strict")
    check(lake, view)
    for _ in range(4):
        disturb(lake, rng)
        lane = rng.choice(lanes)
        assert view.refresh(lane=lane).lane in (lane, "none")
        check(lake, view)


def test_tables_drained_one_at_a_time(lake):
    rng = random.Random(1)
    fill(lake, rng)
    view = lake.create_view("totals", VIEWS["totals"], policy="strict")
    lake.table("orders").append([order(rng) for _ in range(4)])
    lake.table("customers").delete("id = 1")
    for table in ("customers", "orders"):
        view.refresh(tables=[table])
        assert view.cursor[table] == lake.table(table).version
        check(lake, view)


def test_from_empty_tables(lake):
    rng = random.Random(2)
    fill(lake, rng, rows=0)
    views = [lake.create_view(name, VIEWS[name], policy="strict") for name in ("overall", "outer_")]
    lake.table("products").append([{"code": "a", "label": "x"}])
    lake.table("orders").append([order(rng)])
    for view in views:
        view.refresh()
        check(lake, view)


def test_survives_reopening_and_repairs_lost_pasts(lake, spark):
    import shutil

    rng = random.Random(3)
    fill(lake, rng)
    lake.create_view("joined", VIEWS["joined"], policy="strict")
    lake.table("orders").append([order(rng) for _ in range(3)])
    with hw.connect(lake.path, spark=spark) as again:
        view = again.view("joined")
        shutil.rmtree(view._store.root)
        view.refresh()
        check(again, view)


def test_view_on_a_view(lake):
    rng = random.Random(4)
    fill(lake, rng)
    first = lake.create_view("totals", VIEWS["totals"])
    second = lake.create_view("best", "SELECT max(n) AS n, count(region) AS regions FROM totals")
    disturb(lake, rng)
    lake.table("orders").append([order(rng) for _ in range(3)])
    first.refresh()
    second.refresh()
    check(lake, second)


def test_large_changes_stay_in_spark(lake, monkeypatch):
    from headwater.refresh import runner

    rng = random.Random(5)
    fill(lake, rng)
    views = [lake.create_view(name, VIEWS[name], policy="strict") for name in ("joined", "totals", "extremes")]
    for limit in (0, 10_000):
        monkeypatch.setattr(runner, "LARGE_CHANGE_ROWS", 0)
        monkeypatch.setattr(runner, "COLLECTED_ROWS", limit)
        lake.table("orders").append([order(rng) for _ in range(4)])
        lake.table("orders").delete("customer = 2")
        for view in views:
            view.refresh()
            check(lake, view)
    monkeypatch.undo()
    lake.table("customers").delete("id = 1")
    for view in views:
        view.refresh()
        check(lake, view)


def test_reader_sees_exactly_the_view(lake):
    import polars
    from deltalake import DeltaTable

    fill(lake, random.Random(6))
    view = lake.create_view("totals", VIEWS["totals"])
    expected = sorted(map(str, view.arrow().to_pylist()))
    columns = view.arrow().column_names
    assert DeltaTable(view.path).to_pyarrow_dataset().to_table().column_names == columns
    assert sorted(map(str, DeltaTable(view.path).to_pyarrow_dataset().to_table().to_pylist())) == expected
    assert sorted(map(str, polars.read_delta(view.path).to_dicts())) == expected


def test_nothing_new_costs_next_to_nothing(lake):
    fill(lake, random.Random(7))
    view = lake.create_view("overall", VIEWS["overall"])
    view.refresh()
    report = view.refresh()
    assert (report.strategy, report.jobs) == ("none", 0)
    assert report.seconds < 0.05


def test_full_refresh_on_request_and_by_reason(lake):
    fill(lake, random.Random(8))
    view = lake.create_view(
        "named", "SELECT id, last_value(region) OVER (ORDER BY id) AS x FROM customers WHERE id < 3"
    )
    lake.table("customers").append([{"id": 9, "region": "n"}])
    report = view.refresh()
    assert report.strategy == "full" and "tie" in report.reason
    assert view.verify().ok
    plain = lake.create_view("overall", VIEWS["overall"])
    assert plain.refresh(full=True).strategy == "full"
    check(lake, plain)


def test_outside_writers_and_optimize(lake):
    from deltalake import DeltaTable, write_deltalake

    rng = random.Random(9)
    fill(lake, rng)
    view = lake.create_view("totals", VIEWS["totals"], policy="strict")
    customers = lake.table("customers")
    write_deltalake(customers.path, customers.arrow().slice(0, 2), mode="append")
    DeltaTable(customers.path).optimize.compact()
    DeltaTable(view.path).optimize.compact()
    view.refresh()
    check(lake, view)


def test_a_table_that_nothing_depends_on(lake):
    """A CTE that is not read: its table moves the cursor and no row."""
    fill(lake, random.Random(10))
    text = "WITH unread AS (SELECT code FROM products) SELECT region, count(*) AS n FROM customers GROUP BY region"
    view = lake.create_view("regions", text, policy="strict")
    for rows, table in (([product(random.Random(0))], "products"), ([customer(random.Random(0))], "customers")):
        lake.table(table).append(rows)
        view.refresh()
        check(lake, view)
        assert view.cursor[table] == lake.table(table).version


def test_a_small_past_that_begins_with_a_list(lake):
    """A past is read whole in the order of any column that has one: here its first is an array."""
    fill(lake, random.Random(11))
    text = """SELECT x.kinds, count(c.id) AS n FROM (SELECT collect_set(product) AS kinds, customer FROM orders
              GROUP BY customer) x LEFT JOIN customers c ON c.id >= x.customer GROUP BY x.kinds"""
    view = lake.create_view("lists", text, policy="incremental")
    for _ in range(2):
        lake.table("orders").append([order(random.Random(1))])
        lake.table("customers").append([customer(random.Random(1))])
        view.refresh()
        assert view.verify().ok
