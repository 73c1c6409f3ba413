"""Words that Spark takes for the present when they are cast to a time: a view with one has another answer each day."""

from __future__ import annotations

import pytest

import headwater as hw

PRESENT = [
    "DATE 'today'",
    "TIMESTAMP 'now'",
    "TIMESTAMP_NTZ 'now'",
    "CAST(' Today ' AS DATE)",
    "'now'::timestamp",
    "TRY_CAST('tomorrow' AS TIMESTAMP)",
    "DATE('yesterday')",
    "TIMESTAMP('now')",
    "to_date('tomorrow')",
    "to_timestamp('now')",
    "to_timestamp_ntz('now')",
    "try_to_date('now')",
    "date_add('today', 1)",
    "hour('now')",
    "date_format('now', 'y')",
    "d = 'today'",
    "d IN ('2020-01-01', 'today')",
    "d BETWEEN 'yesterday' AND '2030-01-01'",
    "coalesce(d, 'today')",
    "CASE WHEN k > 1 THEN d ELSE 'today' END",
    "CAST(concat('to', 'day') AS DATE)",
    "(SELECT max(d) FROM t WHERE d < 'now')",
    "k IN (SELECT k FROM t WHERE d < 'now')",
]
ALWAYS_THE_SAME = [
    "s = 'today'",
    "'now'",
    "CAST('now' AS STRING)",
    "DATE 'epoch'",
    "to_timestamp('epoch')",
    "d = 'epoch' OR s = 'now'",
    "to_date('2020-01-01')",
    "d > '2020-01-01'",
    "try_cast(s AS DATE)",  # a column's words are words
]


@pytest.fixture
def dated(lake):
    lake.create_table("t", {"k": "bigint", "s": "string", "d": "date"}).append([{"k": 1, "s": "today", "d": None}])
    return lake


@pytest.mark.parametrize("expression", PRESENT)
def test_what_means_the_present_is_recomputed_with_the_reason(dated, expression):
    text = f"SELECT k, {expression} AS x FROM t"
    with pytest.raises(hw.HeadwaterError) as refused:
        dated.create_view("v", text, policy="strict")
    assert refused.value.key == "view.strict"
    assert "different answer each time" in str(refused.value)


@pytest.mark.parametrize("expression", ALWAYS_THE_SAME)
def test_what_does_not_is_maintained(dated, expression):
    view = dated.create_view("v", f"SELECT k, {expression} AS x FROM t", policy="strict")
    dated.table("t").append([{"k": 2, "s": "now", "d": None}])
    assert view.refresh().strategy == "incremental"
    assert view.verify().ok


def test_the_reason_is_kept_and_named_with_its_place(dated):
    view = dated.create_view("v", "SELECT k FROM t WHERE d = 'today'")
    assert "'today' gives a different answer each time it is evaluated. (at line 1, column 27)" in view.explain().reason
