"""Higher-order views: inner joins maintained by the joins of what is left when one relation is taken out.

    Q = R |x| S |x| T          change by S:   change(S) |x| past(R) |x| past(T)
    stored: R, S, T, R|x|S, S|x|T            change by R:   change(R) |x| past(S|x|T)

Idea: what a relation's change is joined with, all the others together, is itself a view, kept and maintained in the
same way, recursively (DBToaster). Where taking the relation out leaves the others unconnected, each connected part is a
view of its own, so no product is kept that the conditions do not ask for.
Invariant: relations are taken in one order; the change by one of them sees those before it as they are and those after
it as they were, so the changes add up to that of the join.
Complexity: a change costs one join for each part that it meets; the views kept are as many as there are connected
parts, up to exponentially many in the relations for a star, which is what this strategy costs.
Limits: inner joins, with filters and choices of columns between them; below and above them the ordinary rules hold.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from sqlglot import exp

from headwater.algebra.expressions import columns_of, conjunction, conjuncts
from headwater.algebra.nodes import Filter, Join, Node, Project, plain, select
from headwater.delta.lookups import equal_columns
from headwater.delta.pasts import ROWS, Past, Pasts
from headwater.delta.signed import inner_join, project, union

Part = frozenset[int]  # some of a region's relations, by their places


class Inputs(Protocol):
    """What the rule may ask for."""

    pasts: Pasts

    def change(self, node: Node) -> Node | None:
        """A relation's change."""

    def shared(self, purpose: str, node: Node, plan: Node) -> Node:
        """A plan that is computed once and read by name."""


@dataclass(frozen=True)
class Region:
    """A maximal cluster of inner joins: its top, the relations that it joins, and every condition between them."""

    top: Node
    relations: tuple[Node, ...]
    conditions: tuple[exp.Expr, ...]

    @cached_property
    def whole(self) -> Part:
        return frozenset(range(len(self.relations)))

    @cached_property
    def _owners(self) -> dict[str, int]:
        return {name: place for place, relation in enumerate(self.relations) for name in relation.names}

    @cached_property
    def _reach(self) -> tuple[Part, ...]:
        """Per condition, the relations whose columns it reads."""
        return tuple(frozenset(self._owners[name] for name in columns_of(each)) for each in self.conditions)

    def parts_without(self, part: Part, relation: int) -> tuple[Part, ...]:
        """The connected parts that are left when a relation is taken out."""
        left, found = set(part) - {relation}, []
        while left:
            connected = self._connected(min(left), frozenset(left))
            found.append(connected)
            left -= connected
        return tuple(found)

    def _connected(self, start: int, within: Part) -> Part:
        found: set[int] = {start}
        while True:
            near = {place for reach in self._reach if reach <= within and reach & found for place in reach}
            if near <= found:
                return frozenset(found)
            found |= near

    @cached_property
    def views(self) -> tuple[Part, ...]:
        """Every part that is kept, smaller ones first: what any change meets, and what those meet in turn."""
        found: dict[Part, None] = {}
        pending = [self.whole]
        while pending:
            part = pending.pop()
            for relation in sorted(part):
                for left in self.parts_without(part, relation):
                    if left not in found:
                        found[left] = None
                        pending.append(left)
        return tuple(sorted(found, key=lambda part: (len(part), sorted(part))))

    def node(self, part: Part) -> Node:
        """The join of a part, with the columns that are read outside of it; its top for the whole."""
        if part == self.whole:
            return self.top
        return self._nodes[part] if part in self._nodes else self._made(part)

    @cached_property
    def _nodes(self) -> dict[Part, Node]:
        return {}

    def _made(self, part: Part) -> Node:
        if len(part) == 1:
            node = self.relations[min(part)]
        else:
            last = next(place for place in sorted(part, reverse=True) if len(self.parts_without(part, place)) == 1)
            rest = part - {last}
            joined = Join(self.node(rest), self.relations[last], "inner", self._between(rest, frozenset((last,))))
            node = select(joined, tuple(name for name in joined.names if name in self._read_outside(part)))
        self._nodes[part] = node
        return node

    def _read_outside(self, part: Part) -> set[str]:
        crossing = (columns_of(c) for c, reach in zip(self.conditions, self._reach, strict=True) if not reach <= part)
        return set(self.top.names).union(*crossing)

    def _between(self, left: Part, right: Part) -> exp.Expr | None:
        """The conditions that can be evaluated once two parts are joined, and not before."""
        both = left | right
        return conjunction(
            each
            for each, reach in zip(self.conditions, self._reach, strict=True)
            if reach <= both and not reach <= left and not reach <= right
        )

    # -- the rule

    def change(self, part: Part, inputs: Inputs) -> Node | None:
        """The change of a part: what each of its relations brings about, one after the other."""
        moved = union([self.change_by(part, relation, inputs) for relation in sorted(part)])
        return moved and project(moved, plain(self.node(part).names))

    def change_by(self, part: Part, relation: int, inputs: Inputs) -> Node | None:
        """What the change of one relation brings about in a part."""
        met = inputs.change(self.relations[relation])
        if met is None or len(part) == 1:
            return met
        joined = frozenset((relation,))
        for other in self.parts_without(part, relation):
            met = inner_join(met, self._in_between(other, relation, inputs), self._between(joined, other))
            joined |= other
        return inputs.shared(f"by_{relation}", self.node(part), project(met, plain(self.node(part).names)))

    def _in_between(self, part: Part, relation: int, inputs: Inputs) -> Node:
        """A part as a relation's change meets it: relations before it have moved, those after it have not."""
        past = inputs.pasts.rows(self.node(part))
        moved = [self.change_by(part, earlier, inputs) for earlier in sorted(part) if earlier < relation]
        names = plain(self.node(part).names)
        return union([past, *(each and project(each, names) for each in moved)]) or past


def regions(plan: Node) -> tuple[Region, ...]:
    """The clusters of two relations or more, outer ones first."""
    found = _region(plan)
    if found is not None:
        return (found, *(inner for relation in found.relations for inner in regions(relation)))
    return tuple(inner for child in plan.children for inner in regions(child))


def _region(node: Node) -> Region | None:
    if not (isinstance(node, Join) and node.kind == "inner"):
        return None
    relations, conditions = _cluster(node)
    between = [each for each in conditions if not any(columns_of(each) <= set(r.names) for r in relations)]
    within = [each for each in conditions if each not in between]
    return Region(node, tuple(_filtered(relation, within) for relation in relations), tuple(between))


def _filtered(relation: Node, conditions: list[exp.Expr]) -> Node:
    """A relation with the conditions that are about it alone, or about nothing."""
    own = conjunction(each for each in conditions if columns_of(each) <= set(relation.names))
    return relation if own is None else Filter(relation, own)


def _cluster(node: Node) -> tuple[list[Node], list[exp.Expr]]:
    """The relations and conditions of a join, through filters and choices of columns between joins."""
    if isinstance(node, Join) and node.kind == "inner":
        left, right = _cluster(node.left), _cluster(node.right)
        return [*left[0], *right[0]], [*left[1], *right[1], *conjuncts(node.condition)]
    if isinstance(node, Filter) and _joins_below(node):
        relations, conditions = _cluster(node.child)
        return relations, [*conditions, *conjuncts(node.predicate)]
    if isinstance(node, Project) and _only_chooses(node) and _joins_below(node):
        return _cluster(node.child)
    return [node], []


def _joins(top: Node) -> list[Node]:
    """The joins of a cluster, through what `_cluster` passes."""
    if isinstance(top, Join) and top.kind == "inner":
        return [top, *_joins(top.left), *_joins(top.right)]
    return _joins(top.children[0]) if _joins_below(top) else []


def _joins_below(node: Node) -> bool:
    """True for a join, and for filters and choices of columns over one."""
    while isinstance(node, Filter) or (isinstance(node, Project) and _only_chooses(node)):
        node = node.children[0]
    return isinstance(node, Join) and node.kind == "inner"


def _only_chooses(node: Project) -> bool:
    return all(output.is_column and output.expression.name == output.name for output in node.outputs)


class HigherOrder:
    """The regions of one plan, and which part of which region a node is."""

    def __init__(self, plan: Node) -> None:
        self.regions = regions(plan)
        self._places: dict[Node, tuple[Region, Part]] = {}
        for region in self.regions:
            for part in (*region.views, region.whole):
                if len(part) > 1:
                    self._places.setdefault(region.node(part), (region, part))

    def __contains__(self, node: Node) -> bool:
        return node in self._places

    def change(self, node: Node, inputs: Inputs) -> Node | None:
        """The change of a part of a region."""
        region, part = self._places[node]
        return region.change(part, inputs)

    @property
    def inside(self) -> frozenset[Node]:
        """The joins of the regions, whose inputs this rule does not read."""
        return frozenset(each for region in self.regions for each in _joins(region.top))

    @property
    def views(self) -> tuple[Past, ...]:
        """The pasts of the regions, inputs before what is built from them."""
        found: dict[Node, Past] = {}
        for number, region in reversed(list(enumerate(self.regions))):
            for part in region.views:
                node = region.node(part)
                name = f"view_{number}_" + "_".join(map(str, sorted(part)))
                found.setdefault(node, Past(name, node, ROWS, _keys(region, part)))
        return tuple(found.values())


def _keys(region: Region, part: Part) -> tuple[str, ...]:
    """The columns by which other relations' changes find a part's rows."""
    node = region.node(part)
    found: dict[str, None] = {}
    for place in sorted(region.whole - part):
        condition = region._between(part, frozenset((place,)))
        if condition is not None:
            pairs = equal_columns(Join(node, region.relations[place], "inner", condition))
            found.update((pair[0], None) for pair in pairs)
    return tuple(found)
