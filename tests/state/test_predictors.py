"""Which source answers, and what it predicts from a table's arrivals."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.lake.arrivals import Arrival, Arrivals
from headwater.state.declarations import Declaration
from headwater.state.expectation import DECLARED, DEFAULT, LATENESS, LONG_TAIL, RATE
from headwater.state.predictors import DEFAULT_ROWS, OUTLIER, Evidence, Horizon, expect, recent

NOW = Horizon(now=1_000_000.0)
MINUTE = 60.0


def came(*inserts: int, deletes: dict[int, int] | None = None, start: float = 0.0, from_start: bool = True) -> Arrivals:
    """One commit a minute, versions from 1; `deletes` by position."""
    gone = deletes or {}
    return Arrivals(
        tuple(Arrival(at + 1, start + at * MINUTE, rows, gone.get(at, 0)) for at, rows in enumerate(inserts)),
        from_start,
    )


def seen(*inserts: int, rows: int | None = None, **more: object) -> Evidence:
    return Evidence("t", sum(inserts) if rows is None else rows, came(*inserts), **more)


def test_nothing_known():
    first = expect(seen(200_000), NOW)
    assert (first.inserts, first.deletes, first.complete, first.source) == (2_000, 0, False, DEFAULT)
    assert "1% of its rows" in first.why
    assert expect(seen(25), NOW).inserts == 1  # at least a row
    assert expect(Evidence("t"), NOW).inserts == DEFAULT_ROWS


def test_the_first_load_is_no_pace():
    assert expect(seen(1_000_000, 500), NOW).inserts == 500


def test_a_load_out_of_sight_is_not_looked_for():
    evidence = Evidence("t", 10**6, came(500, 500, from_start=False))
    assert expect(evidence, NOW).inserts == 500


def test_a_steady_pace():
    found = expect(seen(1_000_000, *[6_000] * 5), NOW)
    assert (found.inserts, found.deletes, found.source) == (pytest.approx(6_000), 0, RATE)
    assert "the last 5 changes" in found.why


def test_inserts_and_deletes_have_rates_of_their_own():
    evidence = Evidence("t", 10**6, came(10**6, 100, 100, 100, deletes={2: 30, 3: 30}))
    found = expect(evidence, NOW)
    assert found.inserts == 100
    assert 0 < found.deletes <= 30


def test_a_backfill_is_not_a_pace():
    assert expect(seen(10**6, 100, 100, 10**6, 100, 100), NOW).inserts <= 100 * OUTLIER


def test_the_last_changes_weigh_most():
    assert recent([10, 10, 100, 100]) > 60 > 55 > recent([100, 100, 10, 10])


def test_the_pace_is_that_of_the_views_changes():
    """Ten commits of 100 rows, but the view met them as two changes of 500."""
    evidence = seen(10**6, *[100] * 10, steps=(1, 6, 11))
    assert expect(evidence, NOW).inserts == 500


def test_a_schedule_scales_the_pace():
    horizon = Horizon(now=10**6, interval=600, usual=60)
    assert expect(seen(10**6, 100, 100, steps=(1, 2, 3)), horizon).inserts == 1_000


def test_a_table_that_stays_behind_is_quiet():
    moving = seen(10**6, 100, 100, steps=(1, 2, 3))
    quiet = seen(10**6, 100, 100, steps=(1, 2, 3, 3, 3, 3))
    never = seen(25, steps=(1, 1, 1, 1))
    assert expect(moving, NOW).inserts == 100
    for evidence in (quiet, never):
        found = expect(evidence, NOW)
        assert (found.inserts, found.complete, found.source, found.why) == (0, False, RATE, "it has been quiet")
    assert expect(seen(25, steps=(1, 1, 1)), NOW).source == DEFAULT  # two changes do not tell yet


def test_a_table_that_pauses_now_and_then_is_not_quiet():
    assert recent([9, 0, 0, 0, 9, 0, 0, 0]) > 0
    assert recent([9, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0]) == 0


def test_a_window_that_begins_late_leaves_out_what_it_cannot_count():
    seen_late = Arrivals(tuple(Arrival(version, version * MINUTE, 100, 0) for version in range(50, 60)), False)
    evidence = Evidence("t", 10**6, seen_late, steps=(0, 30, 55, 59))
    assert evidence.changes == ((100, 0),) * 0 + ((400, 0),)


def test_the_long_tail_of_the_paper():
    found = expect(seen(900_000, 90_000, 9_000), NOW)
    assert (found.source, found.complete) == (LONG_TAIL, False)
    assert found.inserts == pytest.approx(900, rel=0.01)
    assert "p = 0.90" in found.why and "1,000 rows to come" in found.why


def test_a_long_tail_over_the_views_changes():
    evidence = seen(900_000, 45_000, 45_000, 4_500, 4_500, steps=(1, 3, 5))
    found = expect(evidence, NOW)
    assert found.source == LONG_TAIL
    assert found.inserts == pytest.approx(900, rel=0.01)


def test_a_tail_that_has_ended_is_complete():
    found = expect(seen(900_000, 90_000, 9_000, 900, 90, 9, 1), NOW)
    assert (found.inserts, found.complete, found.source) == (0, True, LONG_TAIL)
    assert "less than one row to come" in found.why


def test_deletes_keep_a_table_from_being_complete():
    evidence = Evidence("t", 10**6, came(900_000, 90_000, 9_000, 900, 90, 9, 1, deletes=dict.fromkeys(range(7), 5)))
    found = expect(evidence, NOW)
    assert (found.inserts, found.deletes, found.complete) == (0, 5, False)


def test_earlier_periods_teach_lateness():
    evidence = seen(900, 90, 10, 900_000)
    at_once = expect(evidence, Horizon(now=3 * MINUTE, interval=MINUTE))
    assert at_once.source == LATENESS
    assert at_once.inserts == pytest.approx(90_000)
    assert "1 earlier period" in at_once.why and "100,000 rows to come" in at_once.why
    assert expect(evidence, Horizon(now=3 * MINUTE)).inserts == pytest.approx(100_000)  # all that is to come
    late = expect(evidence, Horizon(now=60 * MINUTE, interval=MINUTE))
    assert (late.inserts, late.complete) == (0, True)


def test_a_pace_that_varies_is_no_lateness():
    assert expect(seen(10**6, 900, 100, 900, 100, 900), NOW).source == RATE


def test_a_clock_that_goes_back_takes_nothing_away():
    found = expect(seen(900, 90, 10, 900_000), Horizon(now=0.0, interval=MINUTE))
    assert found.inserts == pytest.approx(90_000)


def test_another_table_teaches_lateness():
    said = Declaration(like="january", version=1)
    evidence = seen(1_800, declared=said, like=came(900, 90, 10))
    found = expect(evidence, Horizon(now=0.0, interval=MINUTE))
    assert (found.inserts, found.source) == (pytest.approx(180), LATENESS)
    assert "by table january" in found.why
    gone = expect(seen(1_800, declared=said), NOW)
    assert gone.source == DEFAULT
    assert "it is no longer there" in gone.why


def test_what_a_feed_declares_comes_first():
    fading_away = (900_000, 90_000, 9_000)
    said = expect(seen(*fading_away, declared=Declaration(6_000, 5, version=3)), NOW)
    assert (said.inserts, said.deletes, said.complete, said.source) == (6_000, 5, False, DECLARED)
    done = expect(seen(*fading_away, declared=Declaration(complete=True, version=3)), NOW)
    assert (done.rows, done.complete, done.source) == (0, True, DECLARED)


def test_a_declaration_outlasts_its_change():
    found = expect(seen(10**6, 9, 9, 9, declared=Declaration(6_000, version=1)), NOW)
    assert (found.inserts, found.source) == (6_000, DECLARED)


def test_a_complete_table_that_changes_breaks_its_declaration():
    evidence = seen(10**6, 70, declared=Declaration(complete=True, version=1))
    assert evidence.broken_by == 2
    found = expect(evidence, NOW)
    assert (found.inserts, found.complete, found.source) == (70, False, RATE)
    assert "was declared complete at version 1, but version 2 changed it" in found.why
    renewed = expect(seen(10**6, 70, declared=Declaration(complete=True, version=2)), NOW)
    assert renewed.complete


@given(
    arrivals=st.lists(st.tuples(st.floats(0, 1e6), st.integers(0, 10**7), st.integers(0, 10**7)), max_size=12),
    from_start=st.booleans(),
    data=st.data(),
)
def test_whatever_came_some_source_answers(arrivals, from_start, data):
    """`Expected` itself refuses what is negative, infinite or contradicts itself."""
    dated = zip(sorted(at for at, _, _ in arrivals), arrivals, strict=True)
    known = tuple(Arrival(number + 1, at, one[1], one[2]) for number, (at, one) in enumerate(dated))
    steps = tuple(sorted(data.draw(st.lists(st.integers(0, len(known)), max_size=6))))
    now, usual = data.draw(st.floats(0, 1e6)), data.draw(st.none() | st.floats(0.1, 1e5))
    evidence = Evidence("t", data.draw(st.none() | st.integers(0, 10**9)), Arrivals(known, from_start), steps)
    found = expect(evidence, Horizon(now, data.draw(st.none() | st.floats(0.1, 1e5)), usual))
    assert found.source in (LATENESS, LONG_TAIL, RATE, DEFAULT)
    assert found.why
