"""Order joins: within a cluster of inner joins, the order whose intermediate results are smallest.

Idea: the sum of the intermediate results is both what a full evaluation costs and what the pasts of the joins weigh.
Equalities are closed under transitivity first, so that `a = b AND b = c` allows to join a with c.
Complexity: dynamic programming over connected subsets up to `EXHAUSTIVE` inputs (3^n steps), greedy above.
Invariant: the cluster's columns and their order are kept by a projection on top.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

from sqlglot import exp

from headwater.algebra.expressions import column, columns_of, conjunction, conjuncts, equality
from headwater.algebra.nodes import Join, Node, select
from headwater.algebra.statistics import Estimate, Statistics, estimate, joined

EXHAUSTIVE = 8


@dataclass(frozen=True)
class Ordered:
    """A join tree over some of the cluster's inputs, with the rows it makes on the way."""

    node: Node
    size: Estimate
    cost: float


def order_joins(plan: Node, statistics: Statistics) -> Node:
    if isinstance(plan, Join) and plan.kind == "inner":
        inputs, parts = _cluster(plan)
        inputs = [order_joins(each, statistics) for each in inputs]
        types = {item.name: item.type for each in inputs for item in each.schema}
        return select(_best(inputs, _closed(parts, types), statistics).node, plan.names)
    return plan.with_children(*(order_joins(child, statistics) for child in plan.children))


def _cluster(node: Node) -> tuple[list[Node], list[exp.Expr]]:
    if not (isinstance(node, Join) and node.kind == "inner"):
        return [node], []
    left, left_parts = _cluster(node.left)
    right, right_parts = _cluster(node.right)
    return left + right, [*left_parts, *right_parts, *conjuncts(node.condition)]


def _closed(parts: list[exp.Expr], types: Mapping[str, str]) -> list[exp.Expr]:
    """The conditions with every equality that follows from them.

    Between columns of different types nothing follows: '1' = 1 and 1 = '01', but '1' <> '01'.
    """
    classes: list[set[str]] = []
    for part in parts:
        pair = equality(part)
        if pair and types[pair[0]] == types[pair[1]]:
            touching = [each for each in classes if each & set(pair)]
            classes = [each for each in classes if each not in touching] + [set(pair).union(*touching)]
    known = {frozenset(pair) for part in parts if (pair := equality(part))}
    implied = [
        exp.EQ(this=column(a), expression=column(b))
        for group in classes
        for a, b in combinations(sorted(group), 2)
        if frozenset((a, b)) not in known
    ]
    return [*parts, *implied]


def _best(inputs: list[Node], parts: list[exp.Expr], statistics: Statistics) -> Ordered:
    single = [Ordered(node, estimate(node, statistics), 0.0) for node in inputs]
    if len(inputs) <= EXHAUSTIVE:
        return _exhaustive(single, parts)
    return _greedy(single, parts)


def _exhaustive(single: list[Ordered], parts: list[exp.Expr]) -> Ordered:
    best = {1 << i: each for i, each in enumerate(single)}
    everything = (1 << len(single)) - 1
    for subset in sorted(range(1, everything + 1), key=int.bit_count):
        if subset in best:
            continue
        options = [pair for pair in _splits(subset) if pair[0] in best and pair[1] in best]
        connected = [
            _pair(best[a], best[b], parts) for a, b in options if _condition(best[a].node, best[b].node, parts)
        ]
        crossed = connected or ([_pair(best[a], best[b], parts) for a, b in options] if subset == everything else [])
        if crossed:
            best[subset] = min(crossed, key=lambda each: each.cost)
    return best[everything] if everything in best else _greedy(single, parts)


def _splits(subset: int) -> list[tuple[int, int]]:
    found = []
    part = (subset - 1) & subset
    while part:
        if part > subset ^ part:
            found.append((part, subset ^ part))
        part = (part - 1) & subset
    return found


def _greedy(single: list[Ordered], parts: list[exp.Expr]) -> Ordered:
    left = list(single)
    while len(left) > 1:
        pairs = [(a, b) for a, b in combinations(left, 2) if _condition(a.node, b.node, parts)] or list(
            combinations(left, 2)
        )
        a, b = min(pairs, key=lambda pair: _pair(pair[0], pair[1], parts).size.rows)
        left = [each for each in left if each is not a and each is not b] + [_pair(a, b, parts)]
    return left[0]


def _condition(a: Node, b: Node, parts: list[exp.Expr]) -> list[exp.Expr]:
    """The conditions that this join is the first to be able to evaluate."""
    left, right = set(a.names), set(b.names)
    return [
        part
        for part in parts
        if (names := columns_of(part)) <= left | right and not names <= left and not names <= right
    ]


def _pair(a: Ordered, b: Ordered, parts: list[exp.Expr]) -> Ordered:
    """The larger input goes left, as the side that is streamed."""
    if a.size.rows < b.size.rows:
        a, b = b, a
    condition = _without_repeats(a.node, b.node, _condition(a.node, b.node, parts))
    node = Join(a.node, b.node, "inner", conjunction(condition))
    size = joined(a.size, b.size, node.equalities, len(condition))
    return Ordered(node, size, a.cost + b.cost + size.rows)


def _without_repeats(a: Node, b: Node, parts: list[exp.Expr]) -> list[exp.Expr]:
    """One equality for each pair of equivalent columns: those that follow from others inside the sides are dropped."""
    types = {item.name: item.type for item in (*a.schema, *b.schema)}
    kept: list[exp.Expr] = []
    seen: list[set[str]] = []
    for part in parts:
        pair = equality(part)
        if pair is None or types[pair[0]] != types[pair[1]]:
            kept.append(part)
            continue
        if any(_implied(pair, other, a, b) for other in seen):
            continue
        seen.append(set(pair))
        kept.append(part)
    return kept


def _implied(pair: tuple[str, str], other: set[str], a: Node, b: Node) -> bool:
    """`a.x = b.y` follows from `a.x = b.z` when y and z are equated inside b already."""
    same = set(pair) & other
    if len(same) != 1:
        return False
    rest = frozenset((set(pair) | other) - same)
    return any(rest in _equated(side) for side in (a, b))


def _equated(node: Node) -> set[frozenset[str]]:
    return {
        frozenset(pair)
        for each in node.walk()
        if isinstance(each, Join) and each.kind == "inner"
        for part in conjuncts(each.condition)
        if (pair := equality(part))
    }
