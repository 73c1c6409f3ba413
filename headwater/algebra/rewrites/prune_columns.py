"""Prune columns: every node keeps only what its parents read, so that scans, changes and pasts are narrow."""

from __future__ import annotations

from dataclasses import replace

from headwater.algebra.expressions import column, columns_of
from headwater.algebra.nodes import (
    Aggregate,
    Distinct,
    Filter,
    Generate,
    Join,
    Node,
    Output,
    Project,
    Scan,
    TopK,
    Unfold,
    Union,
    Window,
    select,
)


def prune_columns(plan: Node) -> Node:
    return pruned(plan, frozenset(plan.names))


def pruned(node: Node, needed: frozenset[str]) -> Node:
    """The node with at least the needed columns; its own order is kept."""
    if isinstance(node, Scan):
        return _scan(node, needed)
    if isinstance(node, Project):
        return _project(node, needed)
    if isinstance(node, Filter):
        below = pruned(node.child, needed | columns_of(node.predicate))
        return _only(Filter(below, node.predicate), needed)
    if isinstance(node, Join):
        return _join(node, needed)
    if isinstance(node, Aggregate):
        calls = tuple(call for call in node.calls if call.name in needed)
        calls = calls or (() if node.keys else node.calls[:1])  # its one row must stay, read or not
        read = frozenset(node.keys).union(*(columns_of(call.expression) for call in calls))
        return Aggregate(pruned(node.child, read), node.keys, calls)
    if isinstance(node, Window):
        return _window(node, needed)
    if isinstance(node, TopK):
        read = needed | frozenset(node.keys).union(*(columns_of(term) for term in node.order))
        return _only(node.with_children(pruned(node.child, read)), needed)
    if isinstance(node, Generate):
        below = pruned(node.child, (needed & frozenset(node.child.names)) | columns_of(node.generator))
        return _only(node.with_children(below), needed)
    if isinstance(node, Unfold):
        return node.with_children(pruned(node.child, needed & frozenset(node.child.names)))
    if isinstance(node, Distinct):
        return Distinct(pruned(node.child, frozenset(node.names)))
    if isinstance(node, Union):
        return _union(node, needed)
    return node.with_children(*(pruned(child, frozenset(child.names)) for child in node.children))


def _window(node: Window, needed: frozenset[str]) -> Node:
    calls = tuple(call for call in node.calls if call.name in needed)
    passed = needed & frozenset(node.child.names)
    if not calls:
        return pruned(node.child, passed)
    read = passed | frozenset(node.keys).union(*(columns_of(call.expression) for call in calls))
    return _only(Window(pruned(node.child, read), node.keys, calls), needed)


def _only(node: Node, needed: frozenset[str]) -> Node:
    return select(node, tuple(name for name in node.names if name in needed))


def _scan(node: Scan, needed: frozenset[str]) -> Node:
    kept = [(c, s) for c, s in zip(node.columns, node.sources, strict=True) if c.name in needed]
    kept = kept or list(zip(node.columns, node.sources, strict=True))[:1]
    return replace(node, columns=tuple(c for c, _ in kept), sources=tuple(s for _, s in kept))


def _project(node: Project, needed: frozenset[str]) -> Node:
    outputs = tuple(output for output in node.outputs if output.name in needed)
    read = frozenset[str]().union(*(columns_of(output.expression) for output in outputs))
    child = pruned(node.child, read)
    if isinstance(child, Project) and all(output.is_column for output in outputs):
        inner = {output.name: output for output in child.outputs}
        return Project(child.child, tuple(_renamed(output, inner) for output in outputs))
    identity = all(o.is_column and o.expression.name == o.name for o in outputs)
    return child if identity and child.names == tuple(o.name for o in outputs) else Project(child, outputs)


def _renamed(output: Output, inner: dict[str, Output]) -> Output:
    source = inner[output.expression.name]
    return Output(output.name, source.expression, output.type or source.type)


def _join(node: Join, needed: frozenset[str]) -> Node:
    read = needed | columns_of(node.condition) if node.condition is not None else needed
    left = pruned(node.left, read & frozenset(node.left.names))
    right = pruned(node.right, read & frozenset(node.right.names))
    return _only(replace(node, left=left, right=right), needed)


def _union(node: Union, needed: frozenset[str]) -> Node:
    places = [i for i, name in enumerate(node.names) if name in needed] or [0]
    inputs = []
    for child in node.inputs:
        names = tuple(child.names[i] for i in places)
        inputs.append(_exactly(pruned(child, frozenset(names)), names))
    return Union(tuple(inputs))


def _exactly(node: Node, names: tuple[str, ...]) -> Node:
    if node.names == names:
        return node
    return Project(node, tuple(Output(name, column(name)) for name in names))
