"""The change rules: one function per operator, from the changes of its inputs to the change of its output.

Notation: for a node N, `past(N)` is its bag at the old cursor and `change(N)` the signed bag that leads to the new one.

    filter, project, union,
    unfold, generate         change passes through (they are linear)
    inner join               change(L) |x| (past(R) + change(R))  +  past(L) |x| change(R)
    outer, semi, anti join   the rows whose number of matches became or stopped being zero
    aggregate, distinct      by partials that add up, or by computing the touched groups before and after
    window, top-k            by computing the touched partitions before and after

Every rule is exact for bags with duplicates and NULLs. A rule returns None when nothing can have changed.
Complexity: proportional to the changes and to the pasts that they are joined with, which the engine prunes by key.
"""

from __future__ import annotations

from functools import singledispatch
from typing import Protocol

from sqlglot import exp

from headwater.algebra.exact_types import MAX_PRECISION, decimal_type
from headwater.algebra.expressions import cast, column
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
    Single,
    TopK,
    Unfold,
    Union,
    Window,
    plain,
)
from headwater.delta.partials import COUNT, recipe
from headwater.delta.pasts import Pasts, as_aggregate, linear_recipe, partials_of
from headwater.delta.signed import (
    WEIGHT_TYPE,
    bag,
    consolidated,
    inner_join,
    integer,
    negative,
    project,
    scaled,
    signed,
    touched_by,
    union,
    values,
    weight,
)
from headwater.errors import Unsupported
from headwater.lake.changes import WEIGHT


class Inputs(Protocol):
    """What a rule may ask for."""

    pasts: Pasts

    def change(self, node: Node) -> Node | None:
        """The node's change, read where it is needed."""

    def near_change(self, node: Node) -> Node | None:
        """The node's change, read in place when all it needs is at hand, else computed once and shared."""

    def net_change(self, node: Node) -> Node | None:
        """The node's change with what cancels taken out, computed once: for those to whom every row of it is dear."""

    def small_change(self, node: Node) -> Node | None:
        """The node's change, computed once and shared by all who read it."""

    def shared(self, purpose: str, node: Node, plan: Node) -> Node:
        """A plan that is computed once, on its own, and read by name: what is broadcast, or may turn out empty."""

    def narrowed(self, rows: Node, keys: tuple[str, ...], change: Node) -> Node | None:
        """At least those of a past's rows whose key stands in the change, looked up; None when that cannot be."""


@singledispatch
def incremental(node: Node, inputs: Inputs) -> Node | None:
    """The change of a node. The full form is the node itself."""
    raise Unsupported("unsupported.node", node=node.label)


@incremental.register
def scan(node: Scan, inputs: Inputs) -> Node | None:
    return inputs.change(node)


@incremental.register
def single(node: Single, inputs: Inputs) -> Node | None:
    return None


@incremental.register
def filter_(node: Filter, inputs: Inputs) -> Node | None:
    change = inputs.change(node.child)
    return change and Filter(change, node.predicate)


@incremental.register
def project_(node: Project, inputs: Inputs) -> Node | None:
    change = inputs.change(node.child)
    return change and project(change, node.outputs)


@incremental.register(Unfold)
@incremental.register(Generate)
def multiplied(node: Unfold | Generate, inputs: Inputs) -> Node | None:
    change = inputs.change(node.child)
    return change and in_order(node.with_children(change), node)


def in_order(change: Node, node: Node) -> Node:
    """The change with the node's columns in their order, the weight last."""
    return Project(change, plain((*node.names, WEIGHT)))


@incremental.register
def union_all(node: Union, inputs: Inputs) -> Node | None:
    parts = []
    for child in node.inputs:
        change = inputs.change(child)
        if change is not None:
            renamed = tuple(Output(new, column(old)) for new, old in zip(node.names, child.names, strict=True))
            parts.append(project(change, renamed))
    return union(parts)


# -- joins


@incremental.register
def join(node: Join, inputs: Inputs) -> Node | None:
    ask = inputs.near_change if node.kind == "inner" else inputs.small_change
    if not node.is_keyed:  # each row of a change meets all rows of the other side
        ask = inputs.net_change
    left, right = ask(node.left), ask(node.right)
    if left is None and right is None:
        return None
    parts: list[Node | None] = []
    if node.kind in ("inner", "left", "right", "full"):
        parts += pairs(node, left, right, inputs)
    if node.kind in ("left", "full"):
        parts.append(padded(node, unmatched(node, node.left, node.right, left, right, inputs)))
    if node.kind in ("right", "full"):
        parts.append(padded(node, unmatched(node, node.right, node.left, right, left, inputs)))
    if node.kind == "anti":
        parts.append(unmatched(node, node.left, node.right, left, right, inputs))
    if node.kind == "semi":
        parts.append(unmatched(node, node.left, node.right, left, right, inputs, keep_matched=True))
    return union(parts)


def pairs(node: Join, left: Node | None, right: Node | None, inputs: Inputs) -> list[Node | None]:
    """The change of the matching pairs: the left change meets the right side as it is, the right one as it was."""
    past = inputs.pasts.rows
    found: list[Node | None] = []
    if left is not None:
        found.append(inner_join(left, union([past(node.right), right]) or left, node.condition))
    if right is not None:
        found.append(inner_join(past(node.left), right, node.condition))
    return found


_WAS, _MOVED, _HAD, _GAINED = "_hw_was", "_hw_moved", "_hw_had", "_hw_gained"


def unmatched(
    node: Join,
    kept: Node,
    other: Node,
    kept_change: Node | None,
    other_change: Node | None,
    inputs: Inputs,
    keep_matched: bool = False,
) -> Node:
    """The change of the rows of `kept` that have no match in `other` (or, for a semi join, that have one).

    For every row that moved itself, or that matches something that moved, four numbers are added up: its weight
    before, the change of that weight, the weight of its matches before, and the change of that. They decide whether
    it was shown and whether it is.
    """
    past = inputs.pasts.rows
    concerned: list[Node] = []
    if other_change is not None:
        concerned.append(Join(past(kept), other_change_keys(other_change), "semi", node.condition))
    if kept_change is not None:
        concerned.append(scaled(kept_change, integer(0)))
    purpose = "touched" if kept is node.left else "touched_right"
    touched = inputs.shared(purpose, node, union([*concerned]) or kept)
    rows = Distinct(Project(touched, plain(values(touched))))
    numbers: list[Node | None] = [counted(touched, _WAS) if other_change is not None else None]
    numbers.append(counted(kept_change, _MOVED) if kept_change is not None else None)
    numbers.append(matches(rows, past(other), node.condition, _HAD))
    if other_change is not None:
        numbers.append(matches(rows, other_change, node.condition, _GAINED))
    sums = tuple(Output(name, exp.Sum(this=column(name)), WEIGHT_TYPE) for name in (_WAS, _MOVED, _HAD, _GAINED))
    totals = Aggregate(union(numbers) or rows, kept.names, sums)
    shown = Project(totals, (*plain(kept.names), Output(WEIGHT, _shown_change(keep_matched), WEIGHT_TYPE)))
    return Filter(shown, exp.NEQ(this=weight(), expression=integer(0)))


def other_change_keys(change: Node) -> Node:
    """The changed rows under the weight's name out of the way, so that a join condition reads them plainly."""
    return Project(change, plain(values(change)))


def counted(rows: Node, into: str) -> Node:
    """The rows with their weight as one of the four numbers."""
    numbers = (_WAS, _MOVED, _HAD, _GAINED)
    filled = (Output(name, weight() if name == into else integer(0), WEIGHT_TYPE) for name in numbers)
    return Project(rows, (*plain(values(rows)), *filled))


def matches(rows: Node, other: Node, condition: exp.Expr | None, into: str) -> Node:
    """For each row the weight of what it matches."""
    pairs_ = inner_join(signed(rows), other, condition)
    return counted(Project(pairs_, (*plain(rows.names), Output(WEIGHT, weight()))), into)


def _shown_change(keep_matched: bool) -> exp.Expr:
    after_matches = exp.Add(this=column(_HAD), expression=column(_GAINED))
    after_weight = exp.Add(this=column(_WAS), expression=column(_MOVED))
    test = exp.NEQ if keep_matched else exp.EQ

    def if_shown(count: exp.Expr, amount: exp.Expr) -> exp.Expr:
        return exp.If(this=test(this=count, expression=integer(0)), true=amount, false=integer(0))

    return exp.Sub(this=if_shown(after_matches, after_weight), expression=if_shown(column(_HAD), column(_WAS)))


def padded(node: Join, rows: Node) -> Node:
    """Unmatched rows with NULL in the other side's columns."""
    have = set(rows.names)
    outputs = [
        Output(item.name, column(item.name) if item.name in have else cast(exp.Null(), item.type), item.type)
        for item in node.schema
    ]
    return project(rows, outputs)


# -- aggregates


@incremental.register
def aggregate(node: Aggregate, inputs: Inputs) -> Node | None:
    return by_partials(node, node, inputs) if recipe(node) else by_touched_groups(node, inputs)


@incremental.register
def distinct(node: Distinct, inputs: Inputs) -> Node | None:
    return by_partials(node, as_aggregate(node), inputs)


OLD, NEW, SEGMENT = "_hw_old$", "_hw_new$", "_hw_segment$"
_KEY, _TOUCHED = "_hw_key$", "_hw_touched"


def by_partials(node: Node, grouped: Aggregate, inputs: Inputs) -> Node | None:
    """Each touched group's row before (weight -1) and after (weight +1), from partials that add up."""
    touched = touched_groups(node, grouped, inputs)
    if touched is None:
        return None
    groups = inputs.shared("groups", node, touched)
    return union([_group_rows(grouped, groups, OLD, -1), _group_rows(grouped, groups, NEW, 1)])


def touched_groups(node: Node, grouped: Aggregate, inputs: Inputs) -> Node | None:
    """One row a touched group: its partials before, what they move by, and after."""
    change = inputs.change(grouped.child)
    if change is None:
        return None
    moved = partials_of(grouped, change)
    past = inputs.pasts.partials(node)
    near = inputs.narrowed(past, grouped.keys, moved)
    if near is None and grouped.keys:
        moved = inputs.shared("partials", node, moved)
        past = touched_by(past, _keys_of(grouped, moved), [(key, f"{_KEY}{key}") for key in grouped.keys])
    return _before_and_after(grouped, near or past, moved)


def _keys_of(grouped: Aggregate, rows: Node) -> Node:
    return Project(rows, tuple(Output(f"{_KEY}{key}", column(key)) for key in grouped.keys))


def _before_and_after(grouped: Aggregate, past: Node, moved: Node) -> Node:
    kept = linear_recipe(grouped).partials
    zero = {partial.name: cast(exp.Literal.number(0), partial.type) for partial in kept}
    # A sum of two decimals of 38 digits would lose the last one; SUM does not.
    full = tuple(partial for partial in kept if (decimal_type(partial.type) or (0, 0))[0] == MAX_PRECISION)

    def side(rows: Node, old: bool) -> Node:
        before = (Output(OLD + p.name, column(p.name) if old else zero[p.name], p.type) for p in kept)
        after = (Output(NEW + p.name, column(p.name), p.type) for p in full)
        segment = (Output(SEGMENT + p.name, zero[p.name] if old else column(p.name), p.type) for p in kept)
        touched = Output(_TOUCHED, integer(0 if old else 1), WEIGHT_TYPE)
        return Project(rows, (*plain(grouped.keys), *before, *after, *segment, touched))

    sums = tuple(
        Output(prefix + p.name, cast(exp.Sum(this=column(prefix + p.name)), p.type), p.type)
        for prefix, partials in ((OLD, kept), (NEW, full), (SEGMENT, kept))
        for p in partials
    )
    touched = Output(_TOUCHED, exp.Sum(this=column(_TOUCHED)), WEIGHT_TYPE)
    groups = Aggregate(Union((side(past, True), side(moved, False))), grouped.keys, (*sums, touched))
    added_up = (
        Output(
            NEW + p.name,
            cast(exp.Add(this=column(OLD + p.name), expression=column(SEGMENT + p.name)), p.type),
            p.type,
        )
        for p in kept
        if p not in full
    )
    return Project(
        Filter(groups, exp.GT(this=column(_TOUCHED), expression=integer(0))),
        (*plain(grouped.keys), *plain([each.name for each in sums]), *added_up),
    )


def partials_moved(grouped: Aggregate, groups: Node) -> Node:
    """What the touched groups' partials moved by: the segment that their stored past gains.

    Summed, not subtracted: the difference of two decimals of 38 digits would lose its last one.
    """
    moved = (Output(p.name, column(SEGMENT + p.name), p.type) for p in linear_recipe(grouped).partials)
    return Project(groups, (*plain(grouped.keys), *moved))


def _group_rows(grouped: Aggregate, groups: Node, prefix: str, sign: int) -> Node:
    made = linear_recipe(grouped)
    renamed = tuple(Output(p.name, column(prefix + p.name), p.type) for p in made.partials)
    rows: Node = Project(groups, (*plain(grouped.keys), *renamed))
    if grouped.keys:
        rows = Filter(rows, exp.GT(this=column(COUNT), expression=integer(0)))
    return Project(rows, (*plain(grouped.keys), *made.results, Output(WEIGHT, integer(sign), WEIGHT_TYPE)))


def by_touched_groups(node: Aggregate, inputs: Inputs) -> Node | None:
    """The touched groups computed from their rows, before and after: right for any deterministic aggregate."""
    return before_and_after(node, node.child, node.keys, inputs)


def before_and_after(
    node: Aggregate | Window | TopK, child: Node, keys: tuple[str, ...], inputs: Inputs
) -> Node | None:
    """What a node gives for the parts of its input that a change touches: as it was (-1) and as it is (+1).

    Where the node's own rows are stored, what leaves is read from there: a sum of doubles, computed again over rows in
    another order, would not be the row that came.
    """
    change = inputs.small_change(child)
    if change is None:
        return None
    past = _touched(inputs.pasts.rows(child), keys, change)
    after = signed(node.with_children(bag(union([past, change]) or past)), 1)
    if inputs.pasts.holds_rows(node):
        return union([negative(_touched(inputs.pasts.rows(node), keys, change)), after])
    return union([signed(node.with_children(bag(past)), -1), after])


def _touched(rows: Node, keys: tuple[str, ...], change: Node) -> Node:
    """The rows that have the keys of a change; without keys all of them."""
    if not keys:
        return rows
    named = Project(change, tuple(Output(f"{_KEY}{key}", column(key)) for key in keys))
    return touched_by(rows, named, [(key, f"{_KEY}{key}") for key in keys])


# -- windows and top-k


@incremental.register(Window)
@incremental.register(TopK)
def by_touched_partitions(node: Window | TopK, inputs: Inputs) -> Node | None:
    """The touched partitions before and after; the rows that stay as they are cancel."""
    moved = before_and_after(node, node.child, node.keys, inputs)
    return moved and consolidated(moved)
