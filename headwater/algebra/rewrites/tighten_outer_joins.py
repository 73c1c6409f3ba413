"""Tighten outer joins: a condition above that no padded row passes makes an outer join an inner one.

    Filter b.v > 3 (A left join B)   =>   Filter b.v > 3 (A join B)

Idea: a comparison of a NULL is never true. An inner join needs no count of matches, and its conditions go down both
sides; a scalar subquery that is compared (`x < (SELECT ...)`) becomes one.
Invariant: only expressions that are NULL whenever a column of the padded side is count as proof.
"""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from headwater.algebra.expressions import columns_of, conjuncts, disjuncts
from headwater.algebra.nodes import Filter, Join, Node, Project

COMPARISONS = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Like)
STRICT = (exp.Column, exp.Paren, exp.Cast, exp.Add, exp.Sub, exp.Mul, exp.Neg)  # NULL when any operand is


def tighten_outer_joins(plan: Node) -> Node:
    return tightened(plan, frozenset())


def tightened(node: Node, required: frozenset[str]) -> Node:
    """The node, whose rows with NULL in a required column will be dropped above."""
    if isinstance(node, Filter):
        return node.with_children(tightened(node.child, required | refusing_null(node.predicate)))
    if isinstance(node, Project):
        return node.with_children(tightened(node.child, _below(node, required)))
    if isinstance(node, Join):
        return _join(node, required)
    return node.with_children(*(tightened(child, frozenset()) for child in node.children))


def _below(node: Project, required: frozenset[str]) -> frozenset[str]:
    strict = (output.expression for output in node.outputs if output.name in required)
    return frozenset[str]().union(*(nulls_of(expression) for expression in strict))


def _join(node: Join, required: frozenset[str]) -> Node:
    left, right = required & frozenset(node.left.names), required & frozenset(node.right.names)
    kind = node.kind
    if right and kind in ("left", "full"):
        kind = "inner" if kind == "left" else "right"
    if left and kind in ("right", "full"):
        kind = "inner" if kind == "right" else "left"
    if kind in ("inner", "semi"):
        own = refusing_null(node.condition)
        left, right = left | own & frozenset(node.left.names), right | own & frozenset(node.right.names)
    keep_left = left if kind in ("inner", "left", "semi", "anti") else frozenset[str]()
    keep_right = right if kind in ("inner", "right") else frozenset[str]()
    return replace(node, left=tightened(node.left, keep_left), right=tightened(node.right, keep_right), kind=kind)


def refusing_null(predicate: exp.Expr | None) -> frozenset[str]:
    """The columns that must not be NULL for the condition to be true."""
    found: frozenset[str] = frozenset()
    for part in conjuncts(predicate):
        branches = list(disjuncts(part))
        if len(branches) > 1:
            found |= frozenset.intersection(*(refusing_null(branch) for branch in branches))
        else:
            found |= _one(part)
    return found


def _one(part: exp.Expr) -> frozenset[str]:
    if isinstance(part, COMPARISONS):
        return nulls_of(part.this) | nulls_of(part.expression)
    if isinstance(part, exp.Between):
        return nulls_of(part.this)
    if isinstance(part, exp.Not) and isinstance(part.this, exp.Is) and isinstance(part.this.expression, exp.Null):
        return nulls_of(part.this.this)
    return frozenset()


def nulls_of(expression: exp.Expr) -> frozenset[str]:
    """The columns whose NULL makes the expression NULL."""
    if not isinstance(expression, STRICT):
        return frozenset()
    if isinstance(expression, exp.Column):
        return columns_of(expression)
    parts = [part for part in (expression.this, expression.args.get("expression")) if isinstance(part, exp.Expr)]
    return frozenset[str]().union(*(nulls_of(part) for part in parts))
