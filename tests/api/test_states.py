"""What a view stores: the same rows whatever is chosen, whatever was expected, within the budget that was given."""

from __future__ import annotations

import pytest

from headwater.errors import HeadwaterError
from tests.api.oracle import check

SQL = """SELECT region, COUNT(*) AS n, SUM(amount) AS total, MAX(amount) AS high
         FROM orders JOIN customers ON customer = cid WHERE amount > 3 GROUP BY region"""
CHOICES = {
    "needed": {},
    "diss": {"state": "diss"},
    "nothing_fits": {"state_budget": 0},
    "some": {"state_budget": "40 kB"},
    "recycler": {"state": "recycler", "state_budget": 60_000},
    "higher_order": {"state": "all"},
    "recomputed": {"state": "none"},
    "strict": {"state": "none", "policy": "strict"},
}


@pytest.fixture
def tables(lake):
    lake.create_table("orders", [{"id": i, "customer": i % 40, "amount": i % 17} for i in range(4_000)])
    lake.create_table("customers", [{"cid": i, "region": i % 4} for i in range(40)])
    return lake


def held(view) -> int:
    return sum(past.bytes for past in view.states())


def change(lake, step: int) -> None:
    lake.table("orders").append([{"id": 10_000 + step, "customer": step, "amount": 100 + step}])
    if step == 1:
        lake.table("customers").delete("cid = 3")
        lake.table("orders").delete("customer = 5")


def test_results_do_not_depend_on_what_is_stored(tables):
    views = [tables.create_view(name, SQL, **options) for name, options in CHOICES.items()]
    tables.expect("customers", 0, complete=True)  # wrong: it changes in step 1
    tables.expect("orders", 1_000_000)
    for step in range(3):
        change(tables, step)
        for view in views:
            report = view.refresh()
            assert (view.name == "recomputed") == (report.strategy == "full"), (view.name, report.reason)
            check(tables, view)
            budget = view._definition.budget
            assert budget is None or held(view) <= budget, view.name
    assert held(tables.view("nothing_fits")) == 0
    assert held(tables.view("strict")) == 0
    assert held(tables.view("needed")) > 0


def test_what_outgrows_the_budget_is_released_and_said(tables):
    """As if sizes had been predicted far too small."""
    view = tables.create_view("v", SQL, policy="incremental", state_budget="1GB", state="needed")
    assert held(view) > 0
    object.__setattr__(view._definition, "budget", 2_000)
    change(tables, 1)
    report = view.refresh()
    assert "released" in report.reason
    assert held(view) <= 2_000
    change(tables, 2)
    view.refresh()
    check(tables, view)


def test_another_process_finds_what_was_chosen(tables):
    import headwater as hw

    view = tables.create_view("v", SQL, state="diss")
    with hw.connect(tables.path, spark=tables.spark) as other:
        again = other.view("v")
        assert [past.node for past in again.states()] == [past.node for past in view.states()]
        change(tables, 0)
        again.refresh()
    check(tables, view)


@pytest.mark.parametrize("budget", [-1, "-1GB", "much", "2 XB", True, 1.5])
def test_a_budget_that_is_none(tables, budget):
    with pytest.raises(HeadwaterError) as refused:
        tables.create_view("v", SQL, state_budget=budget)
    assert refused.value.key == "view.option"
    assert tables.views() == []


def test_an_unknown_strategy(tables):
    with pytest.raises(HeadwaterError, match="diss"):
        tables.create_view("v", SQL, state="everything")


def test_the_budget_in_sql(tables):
    tables.sql(f"CREATE MATERIALIZED VIEW v STATE BUDGET '3 MB' AS {SQL}")
    assert tables.view("v")._definition.budget == 3_000_000
