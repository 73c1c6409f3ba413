"""Which aggregates add up, what they keep, and in which types."""

from __future__ import annotations

import pytest
import sqlglot

from headwater.algebra.nodes import Aggregate, Column, Output, Scan
from headwater.delta.partials import COUNT, MAX_PRECISION, decimal_type, is_linear, needs_unit_weights, recipe

KINDS = ("tinyint", "smallint", "int", "bigint", "float", "double", "string", "boolean", "date", "timestamp", "void")


def grouped(call: str, kind: str, result: str) -> Aggregate:
    child = Scan("t", (Column("k", "int"), Column("x", kind)), ("k", "x"))
    expression = sqlglot.parse_one(call, read="spark")
    for found in expression.find_all(sqlglot.exp.Column):
        found.this.set("quoted", True)
    return Aggregate(child, ("k",), (Output("r", expression, result),))


def kept(call: str, kind: str, result: str) -> dict[str, str] | None:
    made = recipe(grouped(call, kind, result))
    return None if made is None else {partial.name: partial.type for partial in made.partials}


@pytest.mark.parametrize("call", ["COUNT(*)", "COUNT(1)", "COUNT('x')"])
def test_counting_rows_needs_the_count_alone(call):
    assert kept(call, "int", "bigint") == {COUNT: "bigint"}


@pytest.mark.parametrize("kind", KINDS)
def test_counting_values_adds_up_for_every_type(kind):
    assert kept("COUNT(x)", kind, "bigint") == {COUNT: "bigint", "x$n": "bigint"}


@pytest.mark.parametrize(
    ("kind", "total"),
    [
        ("tinyint", "bigint"),
        ("int", "bigint"),
        ("bigint", "decimal(38,0)"),  # 64 bits could overflow on the way to a sum that fits
        ("decimal(6,2)", "decimal(16,2)"),
        ("decimal(12,2)", "decimal(22,2)"),
        ("decimal(30,5)", "decimal(38,5)"),
        ("decimal(38,0)", "decimal(38,0)"),
    ],
)
def test_sums_are_kept_in_a_type_that_cannot_round(kind, total):
    assert kept("SUM(x)", kind, "bigint") == {COUNT: "bigint", "x$n": "bigint", "x$sum": total}


@pytest.mark.parametrize("kind", ["float", "double"])
@pytest.mark.parametrize("call", ["SUM(x)", "AVG(x)"])
def test_sums_of_doubles_are_not_exact_under_retraction(call, kind):
    assert kept(call, kind, "double") is None


@pytest.mark.parametrize(
    "call",
    ["MIN(x)", "MAX(x)", "COUNT(DISTINCT x)", "SUM(DISTINCT x)", "STDDEV(x)", "VARIANCE(x)", "COUNT(k, x)", "SUM(1)"],
)
def test_what_does_not_add_up(call):
    assert not is_linear(grouped(call, "int", "bigint"))


def test_one_call_that_does_not_add_up_spoils_all():
    one, other = grouped("COUNT(*)", "int", "bigint"), grouped("MAX(x)", "int", "int")
    assert recipe(Aggregate(one.child, ("k",), (*one.calls, Output("m", other.calls[0].expression, "int")))) is None


@pytest.mark.parametrize(
    ("kind", "result", "linear"),
    [
        ("int", "double", True),
        ("bigint", "double", True),
        ("decimal(6,2)", "decimal(10,6)", True),
        ("decimal(12,2)", "decimal(16,6)", True),
        # the quotient of a long sum keeps too few digits to be rounded once more
        ("decimal(30,10)", "decimal(34,14)", False),
        ("decimal(38,18)", "decimal(38,22)", False),
    ],
)
def test_averages_of_decimals_are_guarded(kind, result, linear):
    assert is_linear(grouped("AVG(x)", kind, result)) == linear


@pytest.mark.parametrize(
    ("kind", "unit"), [("decimal(12,2)", False), ("decimal(17,2)", False), ("decimal(18,2)", True), ("int", False)]
)
def test_long_decimals_leave_no_room_for_a_weight(kind, unit):
    made = recipe(grouped("SUM(x)", kind, kind))
    assert made is not None
    assert made.unit_weights == unit
    total = made.partials[-1]
    assert needs_unit_weights(total) == unit
    precision = decimal_type(total.type)
    assert precision is None or precision[0] <= MAX_PRECISION


@pytest.mark.parametrize(("kind", "parsed"), [("decimal(6,2)", (6, 2)), ("int", None), ("array<decimal(6,2)>", None)])
def test_decimal_type(kind, parsed):
    assert decimal_type(kind) == parsed


def test_calls_share_their_partials():
    one = grouped("SUM(x)", "int", "bigint")
    average = grouped("AVG(x)", "int", "double").calls[0].expression
    made = recipe(Aggregate(one.child, ("k",), (*one.calls, Output("a", average, "double"))))
    assert [partial.name for partial in made.partials] == [COUNT, "x$n", "x$sum"]
