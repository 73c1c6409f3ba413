"""Estimates: only their order of magnitude and their direction matter."""

from __future__ import annotations

import pytest
import sqlglot

from headwater.algebra.nodes import Aggregate, Column, Distinct, Filter, Join, Output, Scan, Union
from headwater.algebra.statistics import UNKNOWN_ROWS, TableStatistics, estimate

ORDERS = Scan(
    "orders", (Column("id", "int"), Column("customer", "int"), Column("state", "string")), ("id", "customer", "state")
)
CUSTOMERS = Scan("customers", (Column("cid", "int"),), ("id",))
KNOWN = {
    "orders": TableStatistics(10_000, {"id": 10_000, "customer": 500}),
    "customers": TableStatistics(500, {"id": 500}),
}


def where(sql: str) -> Filter:
    return Filter(ORDERS, sqlglot.parse_one(sql, read="spark"))


def rows(node, known=KNOWN) -> float:
    return estimate(node, known).rows


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("id = 7", 1),
        ("customer = 7", 20),
        ("7 = customer", 20),
        ("state = 'x'", 1_000),
        ("id > 7", 3_000),
        ("id BETWEEN 1 AND 2 AND customer = 7", 6),
        ("state LIKE 'x%'", 1_000),
        ("state IN ('x', 'y', 'z')", 3_000),
        ("NOT customer = 7", 9_980),
        ("customer = 7 OR customer = 8", 40),
        ("state IS NULL", 5_000),
    ],
)
def test_filters(condition, expected):
    assert rows(where(condition)) == pytest.approx(expected)


def test_a_join_on_a_key_has_the_rows_of_the_other_side():
    on = sqlglot.parse_one("customer = cid", read="spark")
    assert rows(Join(ORDERS, CUSTOMERS, "inner", on)) == pytest.approx(10_000)
    assert rows(Join(where("id = 7"), CUSTOMERS, "inner", on)) == pytest.approx(1)
    assert rows(Join(ORDERS, CUSTOMERS, "inner")) == pytest.approx(5_000_000)


def test_groups_are_at_most_the_values_and_the_rows():
    count = (Output("n", sqlglot.parse_one("COUNT(*)"), "bigint"),)
    assert rows(Aggregate(ORDERS, ("customer",), count)) == 500
    assert rows(Aggregate(ORDERS, ("customer", "id"), count)) == 10_000
    assert rows(Aggregate(ORDERS, (), count)) == 1
    assert rows(Distinct(where("customer = 7"))) == pytest.approx(20)


def test_unions_add_up():
    assert rows(Union((ORDERS, ORDERS))) == 20_000
    count = (Output("n", sqlglot.parse_one("COUNT(*)"), "bigint"),)
    assert rows(Aggregate(Union((ORDERS, ORDERS)), ("customer",), count)) == 1_000


def test_nothing_known():
    assert rows(ORDERS, {}) == UNKNOWN_ROWS
    assert rows(ORDERS, {"orders": TableStatistics(0)}) == 1
