"""Plans that are the same but for the names of their columns, and how the names correspond.

Idea: a query that reads a table twice gives its columns other names each time, so equal subtrees are not equal values.
Complexity: linear in the smaller plan. Conditions are compared by conjuncts, an equality either way round.
Limits: outputs correspond by position. A node type without a rule here matches nothing but itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from functools import singledispatch

from sqlglot import exp

from headwater.algebra.expressions import conjuncts, rename
from headwater.algebra.nodes import Aggregate, Distinct, Filter, Join, Node, Output, Project, Scan, Union

Names = Mapping[str, str]


def matching(one: Node, other: Node) -> Names | None:
    """The name in `one` of every column of `other`; None when they differ in more than names."""
    if one == other:
        return {name: name for name in one.names}
    return _matching(one, other) if type(one) is type(other) else None


@singledispatch
def _matching(one: Node, other: Node) -> Names | None:
    return None


@_matching.register
def _(one: Scan, other: Node) -> Names | None:
    assert isinstance(other, Scan)
    places = dict(zip(one.sources, one.names, strict=True))
    if one.table != other.table or places.keys() != set(other.sources):
        return None
    return {name: places[source] for name, source in zip(other.names, other.sources, strict=True)}


@_matching.register
def _(one: Filter, other: Node) -> Names | None:
    assert isinstance(other, Filter)
    names = matching(one.child, other.child)
    return names if names is not None and _conditions_match(one.predicate, other.predicate, names) else None


@_matching.register
def _(one: Project, other: Node) -> Names | None:
    assert isinstance(other, Project)
    names = matching(one.child, other.child)
    return _by_position(one, other) if names is not None and _match(one.outputs, other.outputs, names) else None


@_matching.register
def _(one: Join, other: Node) -> Names | None:
    assert isinstance(other, Join)
    left, right = matching(one.left, other.left), matching(one.right, other.right)
    if left is None or right is None or one != replace(other, left=one.left, right=one.right, condition=one.condition):
        return None
    names = {**left, **right}
    if not _conditions_match(one.condition, other.condition, names):
        return None
    return {name: names[name] for name in other.names}


@_matching.register
def _(one: Aggregate, other: Node) -> Names | None:
    assert isinstance(other, Aggregate)
    names = matching(one.child, other.child)
    if names is None or one != replace(other, child=one.child, keys=one.keys, calls=one.calls):
        return None
    same = one.keys == tuple(names[key] for key in other.keys) and _match(one.calls, other.calls, names)
    return _by_position(one, other) if same else None


@_matching.register
def _(one: Distinct, other: Node) -> Names | None:
    assert isinstance(other, Distinct)
    return matching(one.child, other.child)


@_matching.register
def _(one: Union, other: Node) -> Names | None:
    assert isinstance(other, Union)
    same = len(one.inputs) == len(other.inputs) and all(map(matches_in_place, one.inputs, other.inputs))
    return _by_position(one, other) if same else None


def matches_in_place(one: Node, other: Node) -> bool:
    """True when the same columns stand in the same order, so that a union may take one for the other."""
    names = matching(one, other)
    return names is not None and one.names == tuple(names[name] for name in other.names)


def _by_position(one: Node, other: Node) -> Names:
    return dict(zip(other.names, one.names, strict=True))


def _match(ones: tuple[Output, ...], others: tuple[Output, ...], names: Names) -> bool:
    return [(o.expression, o.type) for o in ones] == [(rename(o.expression, names), o.type) for o in others]


def _conditions_match(one: exp.Expr | None, other: exp.Expr | None, names: Names) -> bool:
    return _parts(one) == _parts(rename(other, names) if other is not None else None)


def _parts(condition: exp.Expr | None) -> Counter[exp.Expr]:
    return Counter(map(_canonical, conjuncts(condition)))


def _canonical(part: exp.Expr) -> exp.Expr:
    """An equality with its sides in order."""
    if isinstance(part, (exp.EQ, exp.NullSafeEQ)) and part.this.sql() > part.expression.sql():
        return type(part)(this=part.expression.copy(), expression=part.this.copy())
    return part
