"""What an expectation is, and when two of them call for different plans."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.state.expectation import (
    DECLARED,
    DIFFERENT_FACTOR,
    RATE,
    Expected,
    ExpectedChange,
    arrived,
    differs,
)

rows = st.floats(0, 1e9)


def inserts(count: float) -> dict[str, Expected]:
    return {"t": Expected(count, 0, False, RATE)}


def expectations():
    incomplete = st.builds(Expected, rows, rows, st.just(False), st.just(RATE))
    one = incomplete | st.just(Expected(0, 0, True, DECLARED))
    return st.fixed_dictionaries({"a": one, "b": one})


@pytest.mark.parametrize("number", [-1, math.nan, math.inf])
def test_numbers_must_make_sense(number):
    with pytest.raises(ValueError):
        Expected(number, 0, False, RATE)
    with pytest.raises(ValueError):
        Expected(0, number, False, RATE)


def test_a_complete_table_expects_nothing():
    with pytest.raises(ValueError):
        Expected(1, 0, True, DECLARED)


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        (Expected(6_000, 0, False, "declared"), "6,000 inserts (declared)"),
        (Expected(1, 2, False, "rate", "the last 3 changes"), "1 insert, 2 deletes (rate: the last 3 changes)"),
        (Expected(0.3, 0, False, "long tail"), "less than one insert (long tail)"),
        (Expected(0, 0, False, "rate", "it has been quiet"), "no change (rate: it has been quiet)"),
        (Expected(0, 0, True, "declared"), "complete, no change (declared)"),
    ],
)
def test_sentences(expected, text):
    assert ExpectedChange({"t": expected}).sentence("t") == f"t: {text}"


def test_an_expected_change_is_a_mapping_and_a_value():
    change = ExpectedChange({"a": Expected(5, 0, False, RATE), "b": Expected(0, 0, False, RATE)})
    assert dict(change) == {"a": Expected(5, 0, False, RATE), "b": Expected(0, 0, False, RATE)}
    assert change == ExpectedChange(dict(change)) and hash(change) == hash(ExpectedChange(dict(change)))
    assert change.changing == {"a"}
    assert change.as_dict()["a"] == {"inserts": 5, "deletes": 0, "complete": False, "source": "rate", "why": ""}


def test_words_do_not_make_a_difference():
    assert Expected(5, 0, False, RATE, "so") == Expected(5, 0, False, RATE, "otherwise")


@given(planned=expectations(), predicted=expectations())
def test_what_is_planned_for_is_not_different_from_itself(planned, predicted):
    assert not differs(planned, planned)
    if differs(predicted, planned):
        assert not differs(predicted, predicted)  # planned again for it, the plan stands


@given(count=st.floats(1, 1e9), sway=st.floats(1.01 / DIFFERENT_FACTOR, 0.99 * DIFFERENT_FACTOR))
def test_a_prediction_that_sways_changes_nothing(count, sway):
    assert not differs(inserts(max(1.0, count * sway)), inserts(count))


def test_sizes_far_apart():
    assert differs(inserts(10_000), inserts(1_000))
    assert differs(inserts(1_000), inserts(10_000))
    assert not differs(inserts(2_000), inserts(1_000))
    assert not differs(inserts(100), inserts(1))  # both are next to nothing


def test_a_table_that_begins_or_ceases_to_change():
    assert differs(inserts(1), inserts(0))
    assert differs(inserts(0), inserts(1))
    assert not differs(inserts(0.5), inserts(1))  # between the thresholds, either plan stands
    assert not differs(inserts(0.5), inserts(0))


def test_deletes_count_apart():
    assert differs({"t": Expected(10, 5, False, RATE)}, inserts(10))


def test_completeness_and_tables():
    assert differs({"t": Expected(0, 0, True, DECLARED)}, inserts(0))
    assert differs(inserts(0), {"t": Expected(0, 0, True, DECLARED)})
    assert differs({}, inserts(5))


def test_a_change_that_is_there():
    assert dict(arrived({"t": (5, 2)})) == {"t": Expected(5, 2, False, "arrived")}
