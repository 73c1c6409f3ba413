"""One budget for many views: against every division, and the greedy form against the exact one."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.state import division
from headwater.state.division import GIGABYTE, Demand, by_hull, divide, exactly, hull, saved


@st.composite
def demands(draw) -> Demand:
    sizes = sorted({0, *draw(st.lists(st.integers(1, 40), max_size=4))})
    falls = sorted({draw(st.integers(0, 1000)) for _ in sizes} | {0}, reverse=True)[: len(sizes)]
    curve = tuple((float(size), float(cost)) for size, cost in zip(sizes, falls, strict=False))
    return Demand(curve, draw(st.sampled_from([0.1, 1.0, 5.0])))


VIEWS = st.lists(demands(), min_size=1, max_size=4).map(lambda each: {f"v{i}": one for i, one in enumerate(each)})
BUDGETS = st.integers(0, 120).map(float)


def best(views: dict[str, Demand], budget: float) -> float:
    """Over every division there is."""
    choices = product(*([at for at, _ in demand.curve] for demand in views.values()))
    return max(saved(views, dict(zip(views, each, strict=True))) for each in choices if sum(each) <= budget)


@given(views=VIEWS, budget=BUDGETS)
def test_it_saves_as_much_as_any_division(views, budget):
    found = divide(views, budget)
    assert found.method == "exact"
    assert sum(found.shares.values()) <= budget
    assert found.saved == pytest.approx(best(views, budget))
    assert found.next_gigabyte == pytest.approx(best(views, budget + GIGABYTE) - best(views, budget))


@given(views=VIEWS, budget=BUDGETS)
def test_the_greedy_form_loses_at_most_one_piece(views, budget):
    shares = by_hull(views, budget)
    assert sum(shares.values()) <= budget
    pieces = [piece.gain for name, demand in views.items() for piece in hull(name, demand)]
    assert saved(views, shares) >= best(views, budget) - max(pieces, default=0.0) - 1e-9


@given(views=VIEWS, budget=BUDGETS, more=BUDGETS)
def test_more_memory_never_saves_less(views, budget, more):
    assert divide(views, budget + more).saved >= divide(views, budget).saved - 1e-9


@given(views=VIEWS)
def test_along_a_hull_every_byte_saves_less(views):
    for name, demand in views.items():
        slopes = [piece.slope for piece in hull(name, demand)]
        assert slopes == sorted(slopes, reverse=True)


def test_a_view_that_is_refreshed_more_often_comes_first():
    curve = ((0.0, 10.0), (100.0, 1.0))
    found = divide({"rarely": Demand(curve, 1.0), "often": Demand(curve, 3.0)}, 150.0)
    assert found.shares == {"rarely": 0.0, "often": 100.0}
    assert (found.saved, found.next_gigabyte) == (27.0, 9.0)


def test_too_many_sums_are_divided_along_the_hulls(monkeypatch):
    monkeypatch.setattr(division, "FRONT", 10)
    curve = tuple((float(at), 100.0 / (at + 1)) for at in range(30))
    views = {f"v{i}": Demand(curve, 1.0 + i) for i in range(5)}
    assert exactly(views, 60.0) is None
    found = divide(views, 60.0)
    assert found.method == "hull"
    assert "undominated" in found.reason
    assert sum(found.shares.values()) <= 60
    monkeypatch.undo()
    exact = divide(views, 60.0)
    assert exact.method == "exact"
    assert found.saved == pytest.approx(exact.saved, rel=0.01)


def test_no_views():
    assert divide({}, 1e9).shares == {}
