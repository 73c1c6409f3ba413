"""Which pasts a plan looks up, and from where the keys come."""

from __future__ import annotations

from sqlglot import exp

from headwater.algebra.expressions import column, equality
from headwater.algebra.nodes import Column, Join, Node, Relation, Scan
from headwater.delta.lookups import Lookup, Lookups
from headwater.delta.pasts import ROWS, Past

WEIGHT = Column("_hw_weight", "bigint")


def equal(a: str, b: str) -> exp.Expr:
    made = exp.EQ(this=column(a), expression=column(b))
    assert equality(made) == (a, b)
    return made


def past(name: str) -> Past:
    return Past(name, Scan(name, (Column(f"{name}_k", "int"),), ("k",)), ROWS, (f"{name}_k",))


def rows(of: Past) -> Relation:
    return Relation(of.name, (Column(f"{of.name}_k", "int"), Column(f"{of.name}_w", "bigint")))


A, B = past("a"), past("b")
CHANGE = Relation("change_of_t", (Column("k", "int"), WEIGHT), small=True)


def looked_up(plan: Node) -> tuple[Lookup, ...]:
    lookups = Lookups((A, B), frozenset())
    return lookups.needed_by(lookups.narrow(plan))


def test_a_past_is_looked_up_by_the_keys_of_the_change() -> None:
    (found,) = looked_up(Join(CHANGE, rows(A), "inner", equal("k", "a_k")))
    assert (found.past, found.column, found.sources) == ("a", "a_k", (("change_of_t", "k"),))


def test_the_second_past_is_looked_up_by_what_the_first_had() -> None:
    first = Join(CHANGE, rows(A), "inner", equal("k", "a_k"))
    one, two = looked_up(Join(first, rows(B), "inner", equal("k", "b_k")))
    assert (two.past, two.sources) == ("b", ((one.name, "a_k"),))


def test_rows_without_a_match_keep_their_keys_in_an_outer_join() -> None:
    first = Join(CHANGE, rows(A), "left", equal("k", "a_k"))
    _, two = looked_up(Join(first, rows(B), "inner", equal("k", "b_k")))
    assert two.sources == (("change_of_t", "k"),)
