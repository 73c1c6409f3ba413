"""The dynamic program against every combination of actions, against its plain twin, and against the clock."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headwater.state.curves import Curve
from headwater.state.dynamic_program import DynamicProgram
from headwater.state.setting import DELTA
from tests.state.trees import ASKED, by_size, cheapest, every_combination, settings_of, trees

UNIT = 1000.0


@settings(max_examples=400)
@given(tree=trees(6), setting=settings_of(), most=st.integers(0, 150))
def test_it_finds_the_best_of_all_combinations(tree, setting, most):
    solved = DynamicProgram(tree, setting, UNIT, most)
    for asked in ASKED:
        found = every_combination(tree, asked, setting, UNIT)
        curve = solved.curve(tree, asked)
        for units in range(most + 1):
            assert curve.value(units) == pytest.approx(cheapest(found, units), rel=1e-12)


@settings(max_examples=200)
@given(tree=trees(12), setting=settings_of(), most=st.integers(0, 150))
def test_it_finds_the_best_in_larger_trees(tree, setting, most):
    solved = DynamicProgram(tree, setting, UNIT, most)
    found = by_size(tree, DELTA, setting, UNIT, most)
    for units in range(most + 1):
        assert solved.seconds(DELTA, units) == pytest.approx(cheapest(found, units), rel=1e-12)


@settings(max_examples=200)
@given(tree=trees(9), setting=settings_of(), most=st.integers(0, 120))
def test_bisecting_gives_what_every_budget_gives(tree, setting, most):
    fast = DynamicProgram(tree, setting, UNIT, most)
    plain = DynamicProgram(tree, setting, UNIT, most, accelerated=False)
    for operator in tree.walk():
        for asked in ASKED:
            one, other = fast.curve(operator, asked), plain.curve(operator, asked)
            budgets = np.arange(most + 1)
            np.testing.assert_allclose(one(budgets), other(budgets), rtol=1e-12)


@settings(max_examples=200)
@given(tree=trees(9), setting=settings_of(), most=st.integers(0, 150))
def test_costs_never_rise_with_memory(tree, setting, most):
    solved = DynamicProgram(tree, setting, UNIT, most)
    for operator in tree.walk():
        for asked in ASKED:
            costs = solved.curve(operator, asked)(np.arange(most + 1))
            assert (costs[1:] <= costs[:-1]).all()


@settings(max_examples=200)
@given(tree=trees(8), setting=settings_of(), most=st.integers(0, 150), data=st.data())
def test_what_is_decided_costs_what_the_curve_says(tree, setting, most, data):
    solved = DynamicProgram(tree, setting, UNIT, most)
    units = data.draw(st.integers(0, most))
    steps = list(solved.steps(DELTA, units))
    assert sum(step.chosen.units for step in steps) <= units
    ways = [step.chosen.action.way(step.asked) for step in steps]
    assert sum(way.seconds for way in ways) == pytest.approx(solved.seconds(DELTA, units), rel=1e-12)
    assert all(option.seconds >= step.chosen.seconds for step in steps for option in step.options)


@settings(max_examples=100)
@given(tree=trees(8), setting=settings_of())
def test_where_nothing_changes_nothing_is_kept(tree, setting):
    for operator in tree.walk():
        if any(each.rows.change for each in operator.walk()):
            continue
        solved = DynamicProgram(operator, setting, UNIT, 1000)
        steps = list(solved.steps())
        assert solved.seconds() == 0
        assert not [step for step in steps if step.chosen.action.keeps]


def test_a_curve_is_infinite_below_no_memory():
    curve = Curve(np.array([0, 3]), np.array([9.0, 5.0]))
    assert list(curve(np.array([-1, 0, 2, 3, 9]))) == [np.inf, 9, 9, 5, 5]
    assert [curve.least(units) for units in (0, 2, 3, 9)] == [0, 0, 3, 3]
