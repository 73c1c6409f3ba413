"""Which strategy a refresh takes, and that it says why."""

from __future__ import annotations

import pytest

import headwater as hw
from headwater.refresh.choice import CostModel, Sample

TOTALS = "SELECT customer, SUM(amount) AS total FROM orders GROUP BY customer"


@pytest.fixture
def orders(lake):
    return lake.create_table("orders", [{"id": n, "customer": n % 3, "amount": n} for n in range(10)])


def add(orders, n: int) -> None:
    orders.append([{"id": n, "customer": n % 3, "amount": n}])


def test_full_always_recomputes(lake, orders):
    view = lake.create_view("totals", TOTALS, policy="full")
    assert view.states() == ()
    add(orders, 10)
    report = view.refresh()
    assert (report.strategy, report.reason) == ("full", "Its policy is to recompute.")
    assert view.verify().ok


def costly(view) -> None:
    """As if a row had been measured to cost a second, and a full refresh next to nothing."""
    view._costs = CostModel(0.001, (Sample(1, 1.0), Sample(100, 100.0)))


@pytest.mark.parametrize(
    ("policy", "strategy"), [("auto", "full"), ("incremental", "incremental"), ("strict", "incremental")]
)
def test_only_auto_recomputes_because_it_is_cheaper(lake, orders, policy, strategy):
    view = lake.create_view("totals", TOTALS, policy=policy)
    add(orders, 10)
    costly(view)
    explained = view.explain()
    report = view.refresh()
    assert (report.strategy, report.reason) == (strategy, explained.reason)
    assert explained.strategy == strategy
    assert set(explained.alternatives) == {"incremental", "full"}
    assert view.verify().ok


def test_incremental_after_full(lake, orders):
    view = lake.create_view("totals", TOTALS, policy="incremental")
    for n in range(10, 14):
        add(orders, n)
        report = view.refresh(full=n % 2 == 0)
        assert report.strategy == ("full" if n % 2 == 0 else "incremental")
        assert view.verify().ok
    strategies = [row["strategy"] for row in view.history().to_pylist()]
    assert strategies == ["incremental", "full", "incremental", "full", "full"]  # the newest first; the last built it


def test_strict_allows_a_full_refresh_that_is_asked_for(lake, orders):
    view = lake.create_view("totals", TOTALS, policy="strict")
    add(orders, 10)
    assert view.refresh(full=True).reason == "It was asked for."
    assert view.verify().ok


def test_a_view_that_others_changed_is_never_made_worse(lake, orders):
    """Rows that the change would remove are gone: auto recomputes and says so, strict refuses and changes nothing."""
    from deltalake import DeltaTable

    free, strict = lake.create_view("totals", TOTALS), lake.create_view("strict_totals", TOTALS, policy="strict")
    for view in (free, strict):
        DeltaTable(view.path).delete("customer = 1")
    add(orders, 10)
    free._costs = CostModel(100.0)
    report = free.refresh()
    assert report.strategy == "full"
    assert "not in" in report.reason
    assert free.verify().ok
    before = strict.arrow()
    with pytest.raises(hw.HeadwaterError) as refused:
        strict.refresh()
    assert refused.value.key == "view.inconsistent"
    assert strict.arrow() == before
    strict.refresh(full=True)
    assert strict.verify().ok


def test_a_column_of_nothing(lake, orders):
    """Spark cannot store a column of type VOID; what is said of it must help."""
    with pytest.raises(hw.HeadwaterError) as refused:
        lake.create_view("nothing", "SELECT id, NULL AS nothing FROM orders")
    assert refused.value.key == "view.column_type"
    assert lake.views() == []
