"""What is left of a plan when some of the relations it reads turn out to have no rows.

Idea: a change that came out empty takes its branches with it, so that pasts are not read for nothing.
Invariant: the plan's rows are the same; None means that there are none. An aggregate without keys has a row over
nothing, so it stays.
"""

from __future__ import annotations

from collections.abc import Container

from headwater.algebra.expressions import column
from headwater.algebra.nodes import Aggregate, Join, Node, Output, Project, Relation, Union


def without(plan: Node, empty: Container[str]) -> Node | None:
    if isinstance(plan, Relation):
        return None if plan.name in empty else plan
    if isinstance(plan, Union):
        return _union(plan, empty)
    if isinstance(plan, Join):
        return _join(plan, empty)
    children = [without(child, empty) for child in plan.children]
    if isinstance(plan, Aggregate) and not plan.keys:
        return plan
    present = [child for child in children if child is not None]
    if len(present) < len(children):
        return None
    return plan.with_children(*present)


def _union(plan: Union, empty: Container[str]) -> Node | None:
    present = [each for each in (without(child, empty) for child in plan.inputs) if each is not None]
    if len(present) > 1:
        if present[0].names != plan.names:
            present[0] = _renamed(present[0], plan.names)
        return Union(tuple(present))
    return _renamed(present[0], plan.names) if present else None


def _renamed(node: Node, names: tuple[str, ...]) -> Node:
    if node.names == names:
        return node
    return Project(node, tuple(Output(new, column(old)) for new, old in zip(names, node.names, strict=True)))


def _join(plan: Join, empty: Container[str]) -> Node | None:
    left, right = without(plan.left, empty), without(plan.right, empty)
    if plan.kind in ("inner", "semi") and (left is None or right is None):
        return None
    if plan.kind == "anti":
        return left if left is None or right is None else plan.with_children(left, right)
    if left is not None and right is not None:
        return plan.with_children(left, right)
    return plan
