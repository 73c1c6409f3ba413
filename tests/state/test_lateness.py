"""How late rows come: fits recover what generated the rows, and no prediction leaves its bounds."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from headwater.state.lateness import (
    LEAST_P,
    RISE,
    RISE_ROWS,
    LatenessCdf,
    LongTail,
    faded,
    fading,
    fit_long_tail,
    learn_lateness,
    split_periods,
)

probabilities = st.floats(0.05, 1.0)
sizes = st.lists(st.integers(0, 10**7), max_size=12)
periods = st.lists(
    st.lists(st.tuples(st.floats(0, 1e6), st.integers(0, 10**6)), min_size=1, max_size=6).map(sorted),
    min_size=1,
    max_size=4,
)


def test_the_long_tail_of_the_paper():
    tail = LongTail(0.9)
    assert [tail.share(interval) for interval in range(4)] == pytest.approx([0.9, 0.09, 0.009, 0.0009])
    left = [tail.next(900_000, 1), tail.next(990_000, 2), tail.remainder(999_000, 3)]
    assert left == pytest.approx([90_000, 9_000, 1_000])


@given(p=probabilities, intervals=st.integers(2, 10))
def test_exact_sizes_give_back_p(p, intervals):
    fitted = fit_long_tail([LongTail(p).share(interval) for interval in range(intervals)])
    assert fitted is not None
    assert fitted.p == pytest.approx(p, abs=1e-6)


@given(p=st.floats(0.3, 0.99), intervals=st.integers(3, 8), seed=st.integers(0, 10**6))
def test_drawn_arrivals_give_back_p(p, intervals, seed):
    late = np.random.default_rng(seed).geometric(p, 100_000) - 1
    fitted = fit_long_tail([int((late == interval).sum()) for interval in range(intervals)])
    assert fitted is not None
    assert fitted.p == pytest.approx(p, abs=0.03)


@given(sizes=sizes)
def test_whatever_comes_nothing_predicted_is_negative(sizes):
    tail = fit_long_tail(sizes)
    if tail is not None:
        assert 0 < tail.p <= 1
        for intervals in range(1, 6):
            left, coming = tail.remainder(sum(sizes), intervals), tail.next(sum(sizes), intervals)
            assert math.isfinite(left) and left >= coming >= 0


@given(p=st.floats(LEAST_P + 0.05, 0.95), total=st.integers(10**5, 10**7))
def test_a_fading_table_is_seen_as_one(p, total):
    arrived = [round(total * LongTail(p).share(interval)) for interval in range(4)]
    assume(all(arrived))
    found = fading(arrived)
    assert found is not None
    tail, run = found
    assert tail.p == pytest.approx(p, abs=0.02)
    assert run == tuple(arrived)


@pytest.mark.parametrize(
    "arrived",
    [
        [],
        [1_000],
        [1_000, 0, 0, 0],  # a load, then nothing: quiet, which is not the same as fading
        [1_000_000, 1_000, 0],  # a load and one change
        [1_000_000, 1_000, 1_000],  # a load and a steady pace
        [1_000, 100, 100, 100],
        [1_000, 10, 10],
        [1_000, 5, 5],
        [6_000] * 8,
        [100, 200, 400, 800],
    ],
)
def test_what_does_not_fade(arrived):
    assert fading(arrived) is None


def test_a_load_need_not_belong_to_the_tail():
    tail, run = fading([5_000_000, 10_000, 1_000, 100])
    assert run == (10_000, 1_000, 100)
    assert tail.p == pytest.approx(0.9, abs=0.001)


def test_a_new_period_starts_the_tail_anew():
    tail, run = fading([90_000, 9_000, 900, 80_000, 16_000, 3_200])
    assert run == (80_000, 16_000, 3_200)
    assert tail.p == pytest.approx(0.8, abs=0.001)


@given(periods=periods, moments=st.lists(st.floats(-10, 2e6), min_size=2, max_size=20))
def test_a_learned_distribution_never_falls(periods, moments):
    cdf = learn_lateness(periods)
    assume(cdf is not None)
    shares = [cdf(moment) for moment in sorted(moments)]
    assert all(0 <= share <= 1 for share in shares)
    assert all(earlier <= later + 1e-12 for earlier, later in pairwise(shares))
    assert cdf(math.inf) == cdf(2e6) == pytest.approx(1)
    for moment in moments:
        left, coming = cdf.remainder(1_000, moment), cdf.next(1_000, moment, 60)
        assert 0 <= coming <= left + 1e-6


def test_lateness_is_learned_from_periods_of_any_size():
    cdf = learn_lateness([[(100, 900), (160, 90), (220, 10)], [(5_000, 8), (5_060, 2)]])
    assert [cdf(seconds) for seconds in (0, 60, 120, 500)] == pytest.approx([0.85, 0.995, 1, 1])
    assert cdf(30) == pytest.approx((0.85 + 0.995) / 2)
    assert cdf(-1) == 0


def test_nothing_is_learned_from_nothing():
    assert learn_lateness([]) is None
    assert learn_lateness([[(0, 0)]]) is None


def test_what_is_to_come_follows_from_what_used_to():
    cdf = LatenessCdf((0.0, 60.0, 120.0), (0.9, 0.99, 1.0))
    assert cdf.remainder(900, 0) == pytest.approx(100)
    assert cdf.next(900, 0, 60) == pytest.approx(90)
    assert cdf.next(990, 60, 60) == pytest.approx(10)
    assert cdf.remainder(1_000, 120) == 0


@given(sizes=st.lists(st.integers(0, 10**6), max_size=20))
def test_periods_are_cut_at_rises_only(sizes):
    arrivals = list(enumerate(sizes))
    cut = split_periods(arrivals)
    assert [one for period in cut for one in period] == arrivals
    for period in cut:
        assert all(after <= RISE * (before + RISE_ROWS) for (_, before), (_, after) in pairwise(period))


def test_a_period_that_faded():
    assert faded([(0, 90), (60, 9), (120, 1)])
    assert not faded([(0, 90), (60, 9)])
    assert not faded([(0, 30), (60, 30), (120, 30)])
