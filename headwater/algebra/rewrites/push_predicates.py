"""Push predicates: every condition goes down to the lowest node that has its columns.

A condition of the form (a AND b) OR (a AND c) first gives up what all its branches share, and leaves below each side
of a join the weaker condition that its branches imply there (TPC-H Q7 and Q19 need both).
Invariant: only conditions that may be evaluated earlier move: never below the padded side of an outer join, and never
below an aggregate, a window or a top-k unless they read its keys alone.
"""

from __future__ import annotations

from sqlglot import exp

from headwater.algebra.expressions import (
    columns_of,
    conjunction,
    conjuncts,
    disjunction,
    disjuncts,
    rename,
    substitute,
)
from headwater.algebra.nodes import (
    Aggregate,
    Distinct,
    Filter,
    Generate,
    Join,
    Node,
    Project,
    TopK,
    Unfold,
    Union,
    Window,
)


def push_predicates(plan: Node) -> Node:
    return push(plan, [])


def push(node: Node, parts: list[exp.Expr]) -> Node:
    """The node with the conditions applied at or below it."""
    if isinstance(node, Filter):
        return push(node.child, [*parts, *factored(node.predicate)])
    if isinstance(node, Project):
        return through_project(node, parts)
    if isinstance(node, Join):
        return through_join(node, parts)
    if isinstance(node, Union):
        inputs = tuple(push(child, [_to_input(part, node, child) for part in parts]) for child in node.inputs)
        return Union(inputs)
    if isinstance(node, Distinct):
        return Distinct(push(node.child, parts))
    if isinstance(node, (Aggregate, Window, TopK)):
        return _with_passing(node, parts, set(node.keys))
    if isinstance(node, (Generate, Unfold)):
        return _with_passing(node, parts, set(node.child.names))
    rest = node.with_children(*(push(child, []) for child in node.children))
    return filtered(rest, parts)


def _with_passing(node: Aggregate | Window | TopK | Generate | Unfold, parts: list[exp.Expr], names: set[str]) -> Node:
    """What reads these columns alone goes below: it keeps or drops whole groups, or rows before they multiply."""
    below = [part for part in parts if columns_of(part) and columns_of(part) <= names]
    moved = node.with_children(push(node.child, below))
    return filtered(moved, [part for part in parts if part not in below])


def _to_input(part: exp.Expr, node: Union, child: Node) -> exp.Expr:
    return rename(part, dict(zip(node.names, child.names, strict=True)))


def filtered(node: Node, parts: list[exp.Expr]) -> Node:
    predicate = conjunction(dict.fromkeys(parts))
    return node if predicate is None else Filter(node, predicate)


def through_project(node: Project, parts: list[exp.Expr]) -> Node:
    outputs = {output.name: output.expression for output in node.outputs}
    below = [substitute(part, outputs) for part in parts]
    return Project(push(node.child, [each for part in below for each in factored(part)]), node.outputs)


def through_join(node: Join, parts: list[exp.Expr]) -> Node:
    sides = (set(node.left.names), set(node.right.names))
    own = [each for part in conjuncts(node.condition) for each in factored(part)]
    if node.kind == "inner":
        return _inner(node, [*own, *parts], sides)
    above: list[exp.Expr] = []
    down: tuple[list[exp.Expr], list[exp.Expr]] = ([], [])
    for part in parts:
        if columns_of(part) <= sides[0] and node.kind in ("left", "semi", "anti"):
            down[0].append(part)
        elif columns_of(part) <= sides[1] and node.kind == "right":
            down[1].append(part)
        else:
            above.append(part)
    kept: list[exp.Expr] = []
    for part in own:
        if columns_of(part) and columns_of(part) <= sides[1] and node.kind in ("left", "semi", "anti"):
            down[1].append(part)
        elif columns_of(part) and columns_of(part) <= sides[0] and node.kind in ("right", "semi"):
            down[0].append(part)
        else:
            kept.append(part)
    joined = Join(push(node.left, down[0]), push(node.right, down[1]), node.kind, conjunction(kept))
    return filtered(joined, above)


def _inner(node: Join, parts: list[exp.Expr], sides: tuple[set[str], set[str]]) -> Node:
    down: tuple[list[exp.Expr], list[exp.Expr]] = ([], [])
    kept: list[exp.Expr] = []
    for part in dict.fromkeys(parts):
        names = columns_of(part)
        home = next((i for i in (0, 1) if names and names <= sides[i]), None)
        if home is not None:
            down[home].append(part)
            continue
        kept.append(part)
        for i in (0, 1):
            implied = implied_on(part, sides[i])
            if implied is not None:
                down[i].append(implied)
    return Join(push(node.left, down[0]), push(node.right, down[1]), "inner", conjunction(kept))


def factored(predicate: exp.Expr) -> list[exp.Expr]:
    """The condition's conjuncts; what all branches of an OR share becomes a conjunct of its own."""
    found = []
    for part in conjuncts(predicate):
        branches = [list(conjuncts(branch)) for branch in disjuncts(part)]
        shared = (
            [each for each in branches[0] if all(each in other for other in branches[1:])] if len(branches) > 1 else []
        )
        if not shared:
            found.append(part)
            continue
        found += shared
        rest = [conjunction(each for each in branch if each not in shared) for branch in branches]
        if all(each is not None for each in rest):
            found.append(disjunction(each for each in rest if each is not None))
    return found


def implied_on(part: exp.Expr, names: set[str]) -> exp.Expr | None:
    """What an OR implies for these columns alone: each branch's conditions on them, if every branch has one."""
    branches = list(disjuncts(part))
    if len(branches) < 2:
        return None
    found = []
    for branch in branches:
        on_side = conjunction(each for each in conjuncts(branch) if columns_of(each) and columns_of(each) <= names)
        if on_side is None:
            return None
        found.append(on_side)
    return disjunction(dict.fromkeys(found)) if len(set(found)) > 1 else found[0]
