"""Which rows of a change are dropped when it is read, and which never."""

from __future__ import annotations

import datetime
from typing import Any

import pyarrow as pa
import pytest
import sqlglot
from sqlglot import exp

from headwater.algebra.expressions import column
from headwater.algebra.nodes import Column, Filter, Join, Output, Project, Scan
from headwater.delta.first_filters import first_filters
from headwater.delta.pasts import ROWS, Past
from headwater.lake.comparisons import Comparison, that_may_pass

COLUMNS = (Column("d", "date"), Column("e", "date"), Column("k", "int"), Column("s", "string"), Column("x", "double"))
DAY = datetime.date(1994, 1, 31)


def scan(table: str = "t") -> Scan:
    """A scan whose columns have other names than the table's."""
    return Scan(table, COLUMNS, tuple(f"{item.name}_0" for item in COLUMNS))


def predicate(sql: str) -> exp.Expr:
    parsed = sqlglot.parse_one(sql, dialect="spark")
    for found in parsed.find_all(exp.Column):
        found.this.set("quoted", True)
    return parsed


@pytest.mark.parametrize(
    ("sql", "found"),
    [
        ("d >= DATE '1994-01-31'", [("d_0", ">=", DAY)]),
        ("DATE '1994-01-31' > d", [("d_0", "<", DAY)]),
        ("d < DATE '1993-01-31' + INTERVAL '365' DAY", [("d_0", "<", DAY)]),
        ("d < DATE '1993-12-28' + INTERVAL '2' MONTH", [("d_0", "<", datetime.date(1994, 2, 28))]),
        ("d < DATE '1995-02-01' - INTERVAL '1' YEAR", [("d_0", "<", datetime.date(1994, 2, 1))]),
        ("d BETWEEN DATE '1994-01-31' AND DATE '1994-01-31'", [("d_0", ">=", DAY), ("d_0", "<=", DAY)]),
        ("d < e", [("d_0", "<", "e_0")]),
        ("k = 5 AND s = 'a' AND x > 1", [("k_0", "=", 5), ("s_0", "=", "a")]),
        ("s IN ('a', 'b')", [("s_0", "in", ("a", "b"))]),
    ],
)
def test_comparisons_that_are_made(sql: str, found: list[Any]) -> None:
    (alternative,) = first_filters(Filter(scan(), predicate(sql)), ())["t"]
    assert [(each.column, each.operator, each.value) for each in alternative] == found


@pytest.mark.parametrize(
    "sql",
    [
        "x > 1",  # NaN and -0.0 have rules of their own
        "s > 'a'",
        "s = 5",
        "k = 1.5",
        "k = 12345678901",  # does not fit the column
        "k IN (1, NULL)",
        "s = 'a\\\\b'",
        "d < DATE '1993-01-31' + INTERVAL '1' MONTH",
        "d < '1994-01-31'",
        "d = e OR k = 5",
        "NOT k = 5",
        "k <> 5",
        "k + 1 = 5",
    ],
)
def test_comparisons_that_are_left_to_the_statement(sql: str) -> None:
    assert first_filters(Filter(scan(), predicate(sql)), ()) == {}


def test_each_place_that_reads_the_table_is_an_alternative() -> None:
    renamed = Project(Filter(scan(), predicate("k = 2")), (Output("other", column("k")),))
    plan = Join(Filter(scan(), predicate("k = 1")), renamed, "inner", predicate("k = other"))
    found = first_filters(plan, ())["t"]
    assert {each.value for alternative in found for each in alternative} == {1, 2}
    unfiltered = Join(plan, Project(scan(), (Output("third", column("k")),)), "inner", None)
    assert first_filters(unfiltered, ()) == {}


def test_a_filter_above_a_projection_is_seen_through_plain_columns() -> None:
    outputs = (Output("renamed", column("k")), Output("computed", predicate("k + 1")))
    plan = Filter(Project(scan(), outputs), predicate("renamed = 1 AND computed = 2"))
    assert first_filters(plan, ()) == {"t": ((Comparison("k_0", "=", 1),),)}


def test_rows_that_are_stored_unfiltered_are_all_needed() -> None:
    plan = Filter(scan(), predicate("k = 1"))
    assert first_filters(plan, (Past("rows", scan(), ROWS, ()),)) == {}
    assert first_filters(plan, (Past("rows", plan, ROWS, ()),)) != {}


def test_rows_that_fail_every_alternative_are_dropped() -> None:
    rows = pa.table({"k": pa.array([1, 2, 3, None], pa.int32()), "s": ["a", "b", "a", "a"], "w": [1, -1, 1, -1]})
    one, two = (
        (Comparison("k", "=", 1), Comparison("s", "=", "a")),
        (Comparison("k", ">=", 2), Comparison("s", "in", ("b",))),
    )
    assert that_may_pass(rows, (one, two)).column("k").to_pylist() == [1, 2]
    assert that_may_pass(rows, (one,)).column("w").to_pylist() == [1]
    assert that_may_pass(rows, ()) is rows
    assert that_may_pass(rows, (one, ())) is rows
    same = (Comparison("k", "<=", "k", is_column=True),)
    assert that_may_pass(rows, (same,)).column("k").to_pylist() == [1, 2, 3]
