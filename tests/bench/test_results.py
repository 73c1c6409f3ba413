"""Statistics of the results, and the JSON they are kept in."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.bench.results import Measurement, QueryResult, Report, RowChange, ViewResult, geometric_mean

POSITIVE = st.floats(1e-3, 1e3)


def measurement(rate: float, recompute: float, refresh: float, **more) -> Measurement:
    return Measurement(
        rate=rate,
        recompute_seconds=recompute,
        duckdb_seconds=recompute / 10,
        refresh_seconds=refresh,
        total_seconds=refresh + 0.1,
        upkeep_seconds=0.1,
        changes={"orders": RowChange(15, 15), "lineitem": RowChange(60, 61)},
        phases={"change": 0.2},
        **{
            "strategy": "incremental",
            "asked": "spark",
            "lane": "spark",
            "reason": "",
            "jobs": 3,
            "rows_read": 100,
            "rows_changed": 8,
            "state_bytes": 4_000,
            **more,
        },
    )


def report(*queries: QueryResult) -> Report:
    return Report(
        scale=1.0,
        pattern="spread",
        lanes=("spark", "local"),
        policy="auto",
        repeats=3,
        seed=1,
        date="2024-02-29T12:00:00+00:00",
        machine={"cores": 2, "memory_gb": 15.6, "headwater": None},
        settings={"adaptive": {"spark.sql.adaptive.enabled": "true"}},
        notes=("A note.",),
        queries=queries,
    )


Q3 = QueryResult(
    "q3",
    settings="adaptive",
    calibration={"adaptive": 2.0, "fixed plan": 2.5},
    views=(
        ViewResult("spark", create_seconds=9.5, idle_seconds=0.004, verified=True, rows=11_620),
        ViewResult("local", create_seconds=9.5, refused="No."),
    ),
    measurements=(
        measurement(0.1, 2.0, 0.5),
        measurement(0.1, 8.0, 0.25, strategy="full"),
        measurement(0.1, 3.0, 1.0),
        measurement(0.01, 2.0, 1.0),
    ),
)
FAILED = QueryResult("q6", error="HeadwaterError: no")


def test_geometric_mean():
    assert geometric_mean([2.0, 8.0]) == pytest.approx(4.0)
    assert geometric_mean([3.5]) == pytest.approx(3.5)


@given(st.lists(POSITIVE, min_size=1, max_size=8), POSITIVE)
def test_geometric_mean_is_between_the_extremes_and_scales(values, factor):
    mean = geometric_mean(values)
    assert min(values) * (1 - 1e-9) <= mean <= max(values) * (1 + 1e-9)
    assert geometric_mean([value * factor for value in values]) == pytest.approx(mean * factor)
    assert geometric_mean([1 / value for value in values]) == pytest.approx(1 / mean)


@pytest.mark.parametrize("values", [[], [0.0], [1.0, -1.0]])
def test_geometric_mean_of_what_has_none(values):
    with pytest.raises(ValueError):
        geometric_mean(values)


def test_a_cell_is_the_medians_of_one_rate():
    low, high = report(Q3).cells()
    assert (low.rate, low.recompute, low.refresh) == (0.01, 2.0, 1.0)
    assert (high.rate, high.recompute, high.refresh) == (0.1, 3.0, 0.5)
    assert high.ratio == pytest.approx(6.0)
    assert high.total == pytest.approx(0.6)
    assert high.strategies == ("full", "incremental")


def test_the_recompute_of_a_query_is_the_median_over_all_rates():
    assert Q3.recompute == pytest.approx(2.5)


def test_means_are_per_lane_and_rate_over_the_queries():
    q5 = QueryResult("q5", measurements=(measurement(0.1, 3.0, 2.0), measurement(0.1, 3.0, 0.1, asked="local")))
    low, high, local = report(Q3, q5, FAILED).means()
    assert [(one.asked, one.rate, one.queries) for one in (low, high, local)] == [
        ("spark", 0.01, 1),
        ("spark", 0.1, 2),
        ("local", 0.1, 1),
    ]
    assert (low.ratio, high.ratio, high.lowest) == pytest.approx((2.0, math.sqrt(6.0 * 1.5), 1.5))
    assert (local.ratio, local.duckdb_ratio) == pytest.approx((30.0, 3.0))


def test_a_query_whose_tables_stay_as_they_are_counts_for_nothing():
    idle = QueryResult("q2", measurements=(measurement(0.1, 3.0, 0.001, strategy="none"),))
    assert report(Q3, idle).means() == report(Q3).means()


def test_json_round_trip(tmp_path):
    before = report(Q3, FAILED)
    path = before.save(tmp_path / "new")
    assert path.name == "refresh-sf1.json"
    assert Report.from_json(path.read_text(encoding="utf-8")) == before


def test_json_carries_the_medians_for_other_readers():
    document = json.loads(report(Q3).to_json())
    assert [cell["ratio"] for cell in document["medians"]] == pytest.approx([2.0, 6.0])
    assert [mean["ratio"] for mean in document["means"]] == pytest.approx([2.0, 6.0])


def test_a_wrong_or_unfinished_query_fails_the_run():
    assert report(Q3).ok
    assert not report(Q3, FAILED).ok
    assert not report(QueryResult("q3", views=(ViewResult("spark", 1.0, verified=False),))).ok
    assert not report(QueryResult("q3")).ok
