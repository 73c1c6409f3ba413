"""Plan nodes are values: checked when built, equal by meaning, traversed in one way."""

from __future__ import annotations

import inspect
import subprocess
import sys

import pytest
import sqlglot

from headwater.algebra.expressions import column
from headwater.algebra.nodes import Aggregate, Column, Distinct, Filter, Join, Output, Project, Scan, Union, select


def expression(sql: str):
    return sqlglot.parse_one(sql, read="spark")


def table(name: str, *columns: str) -> Scan:
    return Scan(name, tuple(Column(each, "int") for each in columns), columns)


A, B = table("a", "k", "v"), table("b", "bk", "w")


def join(kind: str, on: str | None = "k = bk") -> Join:
    return Join(A, B, kind, expression(on) if on else None)


def grouped(child, *keys: str) -> Aggregate:
    return Aggregate(child, keys, (Output("n", expression("COUNT(*)"), "bigint"),))


@pytest.mark.parametrize(
    ("build", "why"),
    [
        (lambda: Filter(A, expression("x > 1")), "Filter reads columns"),
        (lambda: Project(A, (Output("y", expression("x + 1")),)), "Project reads columns"),
        (lambda: Project(A, (Output("y", column("k")), Output("y", column("v")))), "duplicate output names"),
        (lambda: Join(A, A, "inner"), "duplicate output names"),
        (lambda: join("inner", "k = x"), "unknown columns"),
        (lambda: join("sideways"), "unknown join kind"),
        (lambda: grouped(A, "x"), "Aggregate reads columns"),
        (lambda: Aggregate(A, (), ()), "needs a key or a call"),
        (lambda: Union((A, table("c", "x"))), "number of columns"),
    ],
)
def test_invariants_are_checked_when_built(build, why):
    with pytest.raises(ValueError, match=why):
        build()


def test_equal_by_meaning():
    assert Filter(A, expression("k > 1")) == Filter(table("a", "k", "v"), expression("k > 1"))
    assert Filter(A, expression("k > 1")) != Filter(A, expression("k > 2"))
    assert Filter(A, expression("v = 'x'")) != Filter(A, expression("v = 'X'"))
    assert join("left") != join("right")
    assert len({Distinct(A), Distinct(A), A}) == 2


def test_the_fingerprint_is_the_same_in_any_process():
    source = inspect.getsource(table) + "print(table('a', 'k', 'v').fingerprint)"
    imports = "from headwater.algebra.nodes import Column, Scan\n"
    other = subprocess.run([sys.executable, "-c", imports + source], capture_output=True, text=True, check=True)
    assert other.stdout.strip() == A.fingerprint


def test_traversal():
    plan = Filter(join("inner"), expression("v > 1"))
    assert [type(node).__name__ for node in plan.walk()] == ["Filter", "Join", "Scan", "Scan"]
    assert plan.tables == {"a", "b"}
    swapped = plan.transform(lambda node: table("c", "bk", "w") if node == B else node)
    assert swapped.tables == {"a", "c"}
    assert plan.transform(lambda node: node) is plan
    union = Union((A, A))
    assert union.with_children(*union.children) == union


def test_schemas():
    assert join("semi").names == ("k", "v")
    assert join("full").names == ("k", "v", "bk", "w")
    assert grouped(A, "k").schema == (Column("k", "int"), Column("n", "bigint"))
    assert Union((A, B)).names == ("k", "v")
    assert Project(A, (Output("x", column("v")),)).type_of("x") == "int"
    assert select(A, ("k", "v")) is A
    assert select(A, ("v", "k")).names == ("v", "k")


@pytest.mark.parametrize("kind", ["inner", "left", "right", "full", "semi", "anti"])
def test_unique_keys_of_joins(kind):
    left, right = grouped(A, "k"), Project(grouped(B, "bk"), (Output("bk", column("bk")), Output("m", column("n"))))
    keys = Join(left, right, kind, expression("k = bk")).unique_keys
    assert (frozenset({"k"}) in keys) == (kind not in ("right", "full"))
    assert (frozenset({"bk"}) in keys) == (kind in ("inner", "right"))


@pytest.mark.parametrize(
    ("left", "right", "kept"),
    [
        ("int", "string", "right"),  # '1' and '01' are the same INT, so a left row may meet both
        ("string", "int", "left"),
        ("string collate utf8_lcase", "string", ""),
        ("bigint", "double", "left"),  # two BIGINTs may be rounded to one DOUBLE
        ("decimal(38,10)", "decimal(38,0)", "left"),  # the first is rounded
        ("date", "timestamp", "left"),
        ("int", "bigint", "left right"),
        ("double", "double", "left right"),  # -0.0 and 0.0 are one key, and one match
        ("", "", ""),  # computed, and not yet typed
    ],
)
def test_regression_a_key_is_kept_only_where_the_condition_tells_its_values_apart(left, right, kept):
    sides = [grouped(Scan(name, (Column(name, kind),), (name,)), name) for name, kind in (("x", left), ("y", right))]
    sides[1] = Project(sides[1], (Output("y", column("y")),))
    keys = Join(*sides, "inner", expression("x = y")).unique_keys
    assert (frozenset({"x"}) in keys) == ("left" in kept)
    assert (frozenset({"y"}) in keys) == ("right" in kept)
    assert frozenset({"x", "y"}) in keys


def test_a_key_survives_renaming_only_whole():
    by_two = grouped(A, "k", "v")
    renamed = Project(by_two, (Output("x", column("k")), Output("y", column("v"))))
    assert renamed.unique_keys == {frozenset({"x", "y"})}
    assert Project(by_two, (Output("x", column("k")),)).unique_keys == frozenset()
    assert Distinct(A).unique_keys == {frozenset({"k", "v"})}


def test_equalities_know_their_sides():
    assert join("inner", "bk = k AND v < w AND w = 1").equalities == (("k", "bk"),)
