"""What is known of the tables before anything has run: row counts, and the span of integer columns.

Idea: both come from the tables' logs at no cost. A column's distinct values are at most its rows and at most its span.
Limits: estimates only order joins and set first expectations; measured cardinalities replace them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import prod

from sqlglot import exp

from headwater.algebra.expressions import conjuncts, disjuncts
from headwater.algebra.nodes import (
    Aggregate,
    Distinct,
    Filter,
    Generate,
    Join,
    Node,
    Project,
    Scan,
    Single,
    TopK,
    Unfold,
    Union,
    Window,
)

UNKNOWN_ROWS = 1_000_000.0
EQUALITY, RANGE, PATTERN, OTHER = 0.1, 0.3, 0.1, 0.5  # textbook selectivities where nothing is known
GENERATED = 4.0  # rows that a generator makes of one


@dataclass(frozen=True)
class TableStatistics:
    rows: float = UNKNOWN_ROWS
    spans: Mapping[str, float] = field(default_factory=dict)  # column -> max - min + 1


@dataclass(frozen=True)
class Estimate:
    """How many rows a node has, and how many different values each of its columns can have."""

    rows: float
    distinct: Mapping[str, float]

    def values(self, name: str) -> float:
        return max(1.0, min(self.rows, self.distinct.get(name, self.rows)))


Statistics = Mapping[str, TableStatistics]


def estimate(node: Node, statistics: Statistics) -> Estimate:
    """Bottom-up cardinality estimate of a plan."""
    return estimate_over(node, [estimate(child, statistics) for child in node.children], statistics)


def estimate_over(node: Node, below: list[Estimate], statistics: Statistics) -> Estimate:
    """The estimate of a node whose children's estimates, or measured row counts, are known."""
    if isinstance(node, Scan):
        known = statistics.get(node.table, TableStatistics())
        spans = {c.name: known.spans[s] for c, s in zip(node.columns, node.sources, strict=True) if s in known.spans}
        return Estimate(max(1.0, known.rows), spans)
    if isinstance(node, Filter):
        return filtered(below[0], node.predicate)
    if isinstance(node, Project):
        kept = {o.name: below[0].values(o.expression.name) for o in node.outputs if o.is_column}
        return Estimate(below[0].rows, kept)
    if isinstance(node, Join):
        both = joined(below[0], below[1], node.equalities, len(list(conjuncts(node.condition))))
        if node.kind in ("semi", "anti"):
            rows = max(1.0, OTHER * below[0].rows)
            return Estimate(rows, {name: min(rows, count) for name, count in below[0].distinct.items()})
        outer = [
            each.rows
            for each, kinds in zip(below, (("left", "full"), ("right", "full")), strict=True)
            if node.kind in kinds
        ]
        return Estimate(max(both.rows, *outer), both.distinct) if outer else both
    if isinstance(node, (Aggregate, Distinct)):
        keys = node.keys if isinstance(node, Aggregate) else node.names
        groups = groups_of(below[0], keys)
        return Estimate(groups, {key: below[0].values(key) for key in keys})
    if isinstance(node, Union):
        return united(node, below)
    if isinstance(node, Single):
        return Estimate(1.0, {})
    if isinstance(node, (Unfold, Generate)):
        times = len(node.numbers) if isinstance(node, Unfold) else GENERATED
        return Estimate(times * below[0].rows, below[0].distinct)
    if isinstance(node, TopK) and node.limit is not None:
        rows = max(1.0, min(below[0].rows, groups_of(below[0], node.keys) * node.limit))
        return Estimate(rows, below[0].distinct)
    if isinstance(node, (Window, TopK)):
        return below[0]
    return below[0] if below else Estimate(UNKNOWN_ROWS, {})


def groups_of(below: Estimate, keys: Iterable[str]) -> float:
    """How many groups the rows fall into by some columns."""
    groups = 1.0
    for key in keys:
        groups = min(below.rows, groups * below.values(key))
    return groups


def filtered(below: Estimate, predicate: exp.Expr) -> Estimate:
    rows = max(1.0, below.rows * selectivity(below, predicate))
    return Estimate(rows, {name: min(rows, count) for name, count in below.distinct.items()})


def joined(left: Estimate, right: Estimate, equalities: tuple[tuple[str, str], ...], conditions: int) -> Estimate:
    rows = left.rows * right.rows / _keys(left, right, equalities)
    rows *= RANGE ** max(0, conditions - len(equalities))
    rows = max(1.0, rows)
    return Estimate(rows, {**left.distinct, **right.distinct})


def united(node: Union, below: list[Estimate]) -> Estimate:
    """A column of a union has at most the values of all its inputs' columns."""
    rows = sum(each.rows for each in below)
    columns = zip(node.names, zip(*(child.names for child in node.inputs), strict=True), strict=True)
    sums = {name: sum(e.values(own) for e, own in zip(below, owns, strict=True)) for name, owns in columns}
    return Estimate(rows, sums)


def _keys(left: Estimate, right: Estimate, equalities: tuple[tuple[str, str], ...]) -> float:
    """How many different keys a join can meet: columns of one key depend on each other, so their numbers of values
    multiply only up to the rows of the smaller side."""
    values = [max(left.values(a), right.values(b)) for a, b in equalities]
    return max(1.0, *values, min(prod(values), left.rows, right.rows))


def selectivity(below: Estimate, predicate: exp.Expr) -> float:
    share = 1.0
    for part in conjuncts(predicate):
        share *= _one(below, part)
    return share


def _one(below: Estimate, part: exp.Expr) -> float:
    bare = part.unnest()
    if isinstance(bare, exp.Or):
        return min(1.0, sum(selectivity(below, each) for each in disjuncts(bare)))
    if isinstance(bare, exp.Not):
        return 1.0 - _one(below, bare.this)
    if isinstance(bare, exp.EQ):
        named = next((side for side in (bare.this, bare.expression) if isinstance(side, exp.Column)), None)
        return 1.0 / below.values(named.name) if named is not None and named.name in below.distinct else EQUALITY
    if isinstance(bare, exp.In):
        return min(1.0, EQUALITY * max(1, len(bare.expressions)))
    if isinstance(bare, (exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between)):
        return RANGE
    return PATTERN if isinstance(bare, exp.Like) else OTHER
