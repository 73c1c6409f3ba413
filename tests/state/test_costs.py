"""Cost constants: read by place, corrected by history within bounds, fitted to a probe."""

from __future__ import annotations

from dataclasses import fields

import pytest

from headwater.state.costs import (
    BOUND,
    BUILD,
    FARTHEST,
    FULL,
    LOCAL,
    PLACES,
    REFRESH,
    SPARK,
    Sample,
    calibrated,
    corrected,
    looked_up,
)


@pytest.mark.parametrize("costs", [SPARK, LOCAL], ids=lambda costs: costs.lane)
def test_every_constant_is_positive(costs):
    for part in (costs, *(costs.place(name) for name in PLACES)):
        numbers = [getattr(part, each.name) for each in fields(part)]
        assert all(number > 0 for number in numbers if isinstance(number, float))
    assert all(costs.place(name).delete > costs.place(name).insert for name in PLACES)


def test_a_look_up_never_costs_more_than_a_scan():
    assert looked_up(SPARK.disk, 10, 1e6, keyed=True) == 10 * SPARK.disk.probe
    assert looked_up(SPARK.disk, 1e9, 1e6, keyed=True) == 1e6 * SPARK.disk.scan
    assert looked_up(SPARK.disk, 10, 1e6, keyed=False) == 1e6 * SPARK.disk.scan


def test_one_measurement_goes_half_the_way():
    slower = corrected(SPARK, FULL, predicted=1.0, measured=4.0)
    assert slower.scan == pytest.approx(2 * SPARK.scan)
    assert slower.disk == SPARK.disk
    assert slower.statement == SPARK.statement


def test_each_kind_of_work_moves_its_own_constants():
    refresh = corrected(SPARK, REFRESH, 1.0, 4.0)
    assert refresh.scan == SPARK.scan
    assert refresh.statement == pytest.approx(2 * SPARK.statement)
    assert refresh.process.probe == pytest.approx(2 * SPARK.process.probe)
    assert refresh.process.write == SPARK.process.write
    build = corrected(SPARK, BUILD, 1.0, 0.25)
    assert build.disk.write == pytest.approx(SPARK.disk.write / 2)
    assert build.disk.scan == SPARK.disk.scan


def test_no_measurement_moves_them_far():
    assert corrected(SPARK, FULL, 1.0, 1e9).scan == pytest.approx(FARTHEST * SPARK.scan)
    costs = SPARK
    for _ in range(50):
        costs = corrected(costs, FULL, 1.0, 1e9)
    assert costs.scan == pytest.approx(BOUND * SPARK.scan)
    for _ in range(50):
        costs = corrected(costs, FULL, 1.0, 1e-9)
    assert costs.scan == pytest.approx(SPARK.scan / BOUND)


@pytest.mark.parametrize(("predicted", "measured"), [(0.0, 1.0), (1.0, 0.0), (-1.0, 1.0)])
def test_what_cannot_be_compared_changes_nothing(predicted, measured):
    assert corrected(SPARK, FULL, predicted, measured) == SPARK


def test_corrections_settle():
    """A machine three times slower than the defaults say is found, and then left alone."""
    costs = SPARK
    for _ in range(40):
        costs = corrected(costs, FULL, predicted=costs.scan, measured=3 * SPARK.scan)
    assert costs.scan == pytest.approx(3 * SPARK.scan, rel=1e-6)


def test_a_probe_is_fitted_by_its_slope():
    samples = [Sample("scan", rows, 0.5 + 2e-8 * rows) for rows in (1e5, 1e6, 4e6)]
    samples += [Sample("scan", 2e6, 9.0)]  # a pause of the machine
    samples += [Sample("write", rows, 1e-6 * rows, place="disk") for rows in (1e5, 1e6)]
    samples += [Sample("statement", 0, 0.2), Sample("statement", 0, 0.3), Sample("statement", 0, 9.0)]
    fitted = calibrated(SPARK, samples)
    assert fitted.scan == pytest.approx(2e-8, rel=0.5)
    assert fitted.disk.write == pytest.approx(1e-6)
    assert fitted.statement == 0.3
    assert fitted.sort == SPARK.sort


def test_a_probe_at_one_size_tells_no_slope():
    assert calibrated(SPARK, [Sample("scan", 1e6, 1.0)]) == SPARK
    assert calibrated(SPARK, [Sample("scan", 1e6, 1.0), Sample("scan", 2e6, 0.5)]) == SPARK
