"""Which lane takes a refresh: the cheaper one, without flapping, and never one that cannot."""

from __future__ import annotations

import pytest

from headwater.refresh.choice import Sample
from headwater.refresh.lanes import SPARK_START_SECONDS, STAY_MARGIN, LaneCosts


def known(local: float, spark: float, last: str | None = None, slope: float = 1e-6) -> LaneCosts:
    """Costs with these floors at both lanes."""
    lanes = {"local": local, "spark": spark}
    samples = {
        lane: tuple(Sample(rows, floor + slope * rows) for rows in (100, 1_000, 100_000))
        for lane, floor in lanes.items()
    }
    return LaneCosts(samples, last)


def chosen(
    costs: LaneCosts, rows: int = 100, wanted: str = "auto", refusal: str | None = None, runs: bool = True
) -> str:
    return costs.choose(rows, wanted, refusal, runs).lane


def test_before_anything_is_measured_a_small_change_is_local():
    assert chosen(LaneCosts()) == "local"
    assert chosen(LaneCosts(), rows=100, runs=False) == "local"


@pytest.mark.parametrize(("local", "spark", "lane"), [(0.05, 0.5, "local"), (2.0, 0.5, "spark")])
def test_the_cheaper_lane_is_taken(local, spark, lane):
    assert chosen(known(local, spark)) == lane


def test_a_view_stays_in_its_lane_while_the_two_cost_about_the_same():
    near = known(0.5, 0.5 * (1 + (STAY_MARGIN - 1) / 2))
    assert [chosen(LaneCosts(near.samples, last)) for last in ("local", "spark")] == ["local", "spark"]
    near = known(0.5 * (1 + (STAY_MARGIN - 1) / 2), 0.5)
    assert [chosen(LaneCosts(near.samples, last)) for last in ("local", "spark")] == ["local", "spark"]


def test_where_the_lines_cross_the_lane_changes():
    steep = tuple(Sample(rows, 0.05 + 2e-5 * rows) for rows in (100, 1_000, 100_000))
    flat = tuple(Sample(rows, 0.5 + 1e-6 * rows) for rows in (100, 1_000, 100_000))
    costs = LaneCosts({"local": steep, "spark": flat}, "local")
    assert [chosen(costs, rows) for rows in (100, 10_000, 200_000)] == ["local", "local", "spark"]


def test_starting_spark_counts():
    slow = known(local=2.0, spark=0.5)
    assert (chosen(slow, runs=True), chosen(slow, runs=False)) == ("spark", "local")
    assert SPARK_START_SECONDS > 2.0


def test_a_refused_change_is_spark_s_with_the_reason():
    choice = known(0.05, 0.5).choose(100, "auto", "It reads EXP.", True)
    assert (choice.lane, choice.reason, list(choice.alternatives)) == ("spark", "It reads EXP.", ["spark"])


@pytest.mark.parametrize("lane", ["local", "spark"])
def test_a_lane_that_is_asked_for_is_taken(lane):
    choice = known(0.05, 0.5).choose(10**6, lane, None, True)
    assert (choice.lane, choice.forced) == (lane, True)


def test_the_first_refresh_in_a_process_tells_nothing():
    costs = LaneCosts().measured("local", 100, 30.0)
    assert costs.last == "local" and chosen(costs) == "local"


def test_a_lane_that_was_slow_once_is_tried_again():
    costs = LaneCosts().measured("local", 100, 1.0).measured("local", 100, 30.0)
    assert chosen(costs) == "spark"
    for _ in range(5):
        costs = costs.measured("spark", 100, 0.5)
    assert chosen(costs) == "local"
