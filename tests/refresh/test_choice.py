"""Incremental or full, by measured costs."""

from __future__ import annotations

import pytest

from headwater.refresh.choice import FLOOR_SECONDS, FULL_MARGIN, MEMORY, ROW_SECONDS, CostModel, Sample, fit


def measured(*samples: tuple[int, float], full: float | None = None) -> CostModel:
    return CostModel(full, tuple(Sample(rows, seconds) for rows, seconds in samples))


def test_without_measurements_the_defaults_hold():
    assert fit([]) == (FLOOR_SECONDS, ROW_SECONDS)
    choice = CostModel().choose(1_000)
    assert choice.strategy == "incremental"
    assert choice.alternatives == {"incremental": pytest.approx(FLOOR_SECONDS + 1_000 * ROW_SECONDS)}


def test_a_small_change_is_incremental_and_a_huge_one_is_not():
    model = measured((100, 0.5), (10_000, 0.7), (100_000, 2.5), full=3.0)
    assert model.choose(1_000).strategy == "incremental"
    assert model.choose(1_000_000).strategy == "full"


def test_the_choice_is_full_only_when_it_is_clearly_cheaper():
    model = CostModel(1.0)
    just = int((FULL_MARGIN * 1.0 - FLOOR_SECONDS) / ROW_SECONDS)
    assert model.choose(just - 100).strategy == "incremental"
    assert model.choose(just + 100).strategy == "full"


def test_the_reason_names_both_costs():
    choice = CostModel(0.1).choose(100_000)
    assert choice.strategy == "full"
    assert "1.25 s incremental against 0.10 s full" in choice.reason
    assert choice.alternatives == {"incremental": 1.25, "full": 0.1}


def test_a_cold_start_is_not_taken_for_the_cost():
    assert measured((100, 9.0), (110, 0.5), (90, 0.5)).incremental_seconds(100) == pytest.approx(0.5, rel=0.05)


def test_costs_are_never_negative():
    floor, per_row = fit([Sample(10, 2.0), Sample(1_000, 1.0), Sample(100_000, 0.5)])
    assert floor >= 0
    assert per_row == 0


@pytest.mark.parametrize("samples", [[Sample(0, 0.5)], [Sample(0, 0.5), Sample(0, 0.7)], [Sample(5, 0.0)]])
def test_few_or_equal_samples_do_not_break_the_fit(samples):
    floor, per_row = fit(samples)
    assert 0 <= floor <= 0.7
    assert 0 <= per_row <= ROW_SECONDS


def test_a_line_is_found():
    floor, per_row = fit([Sample(rows, 0.3 + rows * 1e-5) for rows in (100, 1_000, 10_000, 100_000)])
    assert (floor, per_row) == (pytest.approx(0.3), pytest.approx(1e-5))


def test_only_recent_samples_count():
    model = CostModel()
    for number in range(100):
        model = model.measured(number, 1.0)
    assert len(model.samples) == MEMORY
    assert model.samples[-1] == Sample(99, 1.0)


def test_incremental_is_tried_again_after_enough_full_refreshes():
    model = measured((100, 50.0), full=1.0)
    assert model.choose(100).strategy == "full"
    assert model.rebuilt(1.0).choose(100).strategy == "incremental"
