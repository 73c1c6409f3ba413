"""Scalar expressions: taken apart and put together again without changing what they mean."""

from __future__ import annotations

import pytest
import sqlglot

from headwater.algebra.expressions import (
    columns_of,
    conjunction,
    conjuncts,
    disjunction,
    disjuncts,
    equality,
    rename,
    substitute,
    text,
)


def parsed(sql: str):
    return sqlglot.parse_one(sql, read="spark")


def spelled(expression) -> str:
    return expression.sql(dialect="spark")


@pytest.mark.parametrize(
    ("outer", "inner", "expected"),
    [
        ("c AND d", "a OR b", "(a OR b) AND d"),
        ("NOT c", "a AND b", "NOT (a AND b)"),
        ("c * 2", "a + b", "(a + b) * 2"),
        ("c = d", "a RLIKE b", "(a RLIKE b) = d"),
        ("c IS NULL", "a = b", "(a = b) IS NULL"),
        ("-c", "-a", "-(-a)"),
        ("c || 'x'", "CASE WHEN a THEN b END", "CASE WHEN a THEN b END || 'x'"),
        ("c + 1", "COALESCE(a, b)", "COALESCE(a, b) + 1"),
        ("c + 1", "a", "a + 1"),
        ("c = d", "a BETWEEN 1 AND 2", "(a BETWEEN 1 AND 2) = d"),
        ("c.x", "a", "c.x"),
    ],
)
def test_substitute_keeps_precedence(outer, inner, expected):
    assert spelled(substitute(parsed(outer), {"c": parsed(inner)})) == expected


def test_nothing_is_changed_in_place():
    outer, inner = parsed("c AND d"), parsed("a OR b")
    substitute(outer, {"c": inner})
    rename(outer, {"c": "x"})
    list(conjuncts(outer))
    assert (spelled(outer), spelled(inner)) == ("c AND d", "a OR b")


def test_rename_reads_other_columns():
    assert spelled(rename(parsed("a + b > a"), {"a": "x"})) == "`x` + b > `x`"
    assert columns_of(parsed("a + b > a")) == {"a", "b"}


@pytest.mark.parametrize(
    ("sql", "parts"),
    [
        ("a", ["a"]),
        ("a AND (b AND c)", ["a", "b", "c"]),
        ("((a AND b)) AND (c OR d)", ["a", "b", "c OR d"]),
        ("NOT (a AND b)", ["NOT (a AND b)"]),
    ],
)
def test_conjuncts(sql, parts):
    assert [spelled(part) for part in conjuncts(parsed(sql))] == parts


def test_conjuncts_of_nothing():
    assert list(conjuncts(None)) == []
    assert conjunction([]) is None


def test_disjuncts_and_back():
    parts = list(disjuncts(parsed("a OR (b AND c) OR (d OR e)")))
    assert [spelled(part) for part in parts] == ["a", "b AND c", "d", "e"]
    assert spelled(disjunction(parts)) == "a OR (b AND c) OR d OR e"


def test_conjunction_keeps_each_part_whole():
    assert spelled(conjunction([parsed("a OR b"), parsed("c = 1")])) == "(a OR b) AND c = 1"


@pytest.mark.parametrize(("sql", "pair"), [("a = b", ("a", "b")), ("a = 1", None), ("a <=> b", None), ("a < b", None)])
def test_equality(sql, pair):
    assert equality(parsed(sql)) == pair


def test_text_is_for_people():
    assert text(parsed("`a b` = 'X' AND c > 1")) == "a b = 'X' AND c > 1"


def test_literals_differ_by_case():
    assert parsed("s = 'x'") != parsed("s = 'X'")
