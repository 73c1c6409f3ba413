"""Signed bags as plans: ordinary nodes with one more column, the weight.

Idea: +1 is a row that appeared, -1 one that went; the weights of a joined pair multiply. Every function here takes
and gives nodes whose last column is `_hw_weight`, so the rules above read like the algebra in the papers.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from headwater.algebra.expressions import cast, column, conjunction
from headwater.algebra.nodes import Aggregate, Column, Filter, Join, Node, Output, Project, Repeat, Schema, Union, plain
from headwater.lake.changes import WEIGHT

WEIGHT_TYPE = "bigint"
_OTHER = "_hw_weight_right"
_TOTAL = "_hw_total"


def weight() -> exp.Column:
    return column(WEIGHT)


def integer(value: int) -> exp.Expr:
    """A BIGINT literal, so that weights never narrow to INT."""
    return cast(exp.Literal.number(value), "bigint")


def values(node: Node) -> tuple[str, ...]:
    """The columns of a signed bag without its weight."""
    return tuple(name for name in node.names if name != WEIGHT)


def signed_schema(schema: Schema) -> Schema:
    return (*schema, Column(WEIGHT, WEIGHT_TYPE))


def signed(bag: Node, sign: int = 1) -> Node:
    """A plain bag as a change: every row has the same weight."""
    return Project(bag, (*plain(bag.names), Output(WEIGHT, integer(sign), WEIGHT_TYPE)))


def project(change: Node, outputs: Sequence[Output]) -> Node:
    return Project(change, (*outputs, Output(WEIGHT, weight())))


def scaled(change: Node, factor: exp.Expr) -> Node:
    """The same rows with their weight computed anew."""
    return Project(change, (*plain(values(change)), Output(WEIGHT, factor, WEIGHT_TYPE)))


def negative(change: Node) -> Node:
    return scaled(change, exp.Neg(this=weight()))


def union(parts: Sequence[Node | None]) -> Node | None:
    """The sum of changes; None when there are none."""
    present = [part for part in parts if part is not None]
    if len(present) < 2:
        return present[0] if present else None
    return Union(tuple(present))


def inner_join(left: Node, right: Node, condition: exp.Expr | None) -> Node:
    """Pairs of rows; their weights multiply."""
    other = Project(right, (*plain(values(right)), Output(_OTHER, weight(), WEIGHT_TYPE)))
    joined = Join(left, other, "inner", condition)
    outputs = plain((*values(left), *values(right)))
    product = exp.Mul(this=weight(), expression=column(_OTHER))
    return Project(joined, (*outputs, Output(WEIGHT, product, WEIGHT_TYPE)))


def touched_by(bag: Node, keys: Node, on: Sequence[tuple[str, str]]) -> Node:
    """The rows of a signed bag whose key stands in `keys`; NULL matches NULL."""
    return Join(bag, keys, "semi", same(on))


def same(on: Sequence[tuple[str, str]]) -> exp.Expr | None:
    """Equality under which NULL equals NULL."""
    return conjunction(exp.NullSafeEQ(this=column(a), expression=column(b)) for a, b in on)


def consolidated(change: Node) -> Node:
    """Equal rows merged, their weights summed, what cancels dropped."""
    merged = Aggregate(change, values(change), (Output(_TOTAL, exp.Sum(this=weight()), WEIGHT_TYPE),))
    kept = Filter(merged, exp.NEQ(this=column(_TOTAL), expression=integer(0)))
    return Project(kept, (*plain(values(change)), Output(WEIGHT, column(_TOTAL), WEIGHT_TYPE)))


def present(change: Node) -> Node:
    """The rows with a positive weight."""
    return Filter(change, exp.GT(this=weight(), expression=integer(0)))


def bag(change: Node) -> Node:
    """The plain rows that a signed bag without negative totals stands for."""
    if isinstance(change, Project) and change.outputs[-1].expression == integer(1):
        return Project(change.child, change.outputs[:-1])
    rows = Repeat(present(consolidated(change)))
    return Project(rows, plain(values(change)))
