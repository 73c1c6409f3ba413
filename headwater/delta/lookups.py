"""Look-ups: where a plan reads a past only for the keys of a change, it is given just those rows.

    change |x| past  on  change.a = past.b      =>      change |x| past_by_b     past_by_b: rows of past, b in change.a

Idea: a join with the rows of a change drops every row of the past whose key the change lacks, so such rows need never
be read. The keys are known before the statement runs: they are values of a change, of an earlier stage's rows, or of
another look-up's. A past that is known to be tiny is looked up whole.
Invariant: a look-up may give more rows than the keys ask for, never fewer; the statement is the same either way, so a
past that is read in full in its place changes the cost and not the result.
Limits: equality of columns of one type, of a kind that can be searched; through filters, projections of plain columns,
group keys, unions and joins. What is not reached is read as it is stored.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, replace

from sqlglot import exp

from headwater.algebra.expressions import conjuncts
from headwater.algebra.nodes import (
    Aggregate,
    Distinct,
    Filter,
    Generate,
    Join,
    Node,
    Project,
    Relation,
    Repeat,
    Scan,
    Schema,
    TopK,
    Unfold,
    Union,
    Window,
)
from headwater.delta.pasts import Past

Source = tuple[str, str]  # a relation on the driver, and its column that holds keys
Sources = tuple[Source, ...]
Wanted = Mapping[str, Sources]  # column -> where the only values of interest come from
# Types whose equality in Spark is equality of values; doubles (NaN, −0.0) and collated strings have their own.
SEARCHED = ("tinyint", "smallint", "int", "bigint", "date", "timestamp", "timestamp_ntz", "boolean", "string")
DROPS_LEFT = ("inner", "semi", "right")  # joins that drop left rows without a match
DROPS_RIGHT = ("inner", "semi", "anti", "left")


@dataclass(frozen=True)
class Lookup:
    """The rows of a stored past that have one of the keys; `column` None: all of them."""

    name: str
    past: str
    schema: Schema
    column: str | None
    sources: Sources


def is_searched(kind: str) -> bool:
    return kind in SEARCHED or kind.startswith("decimal(")


def equal_columns(join: Join) -> Iterator[tuple[str, str]]:
    """The pairs (left, right) of columns that the condition equates, NULL-safe or not, of one searchable type."""
    left, right = set(join.left.names), set(join.right.names)
    for part in conjuncts(join.condition):
        if not isinstance(part, (exp.EQ, exp.NullSafeEQ)):
            continue
        if not (isinstance(part.this, exp.Column) and isinstance(part.expression, exp.Column)):
            continue
        a, b = part.this.name, part.expression.name
        if b in left and a in right:
            a, b = b, a
        same_type = a in left and b in right and join.left.type_of(a) == join.right.type_of(b)
        if same_type and is_searched(join.left.type_of(a)):
            yield a, b


class Lookups:
    """Narrows the plans of one program; remembers the look-ups that they need, each after those it takes keys from."""

    def __init__(self, stored: tuple[Past, ...], few: Container[str]) -> None:
        """`few` names the pasts that are so small that they are looked up whole."""
        self.stored = {past.name: past for past in stored}
        self.few = few
        self.found: dict[str, Lookup] = {}

    def needed_by(self, plan: Node) -> tuple[Lookup, ...]:
        """The look-ups that a plan reads and those that they take keys from, in the order of their making."""
        wanted = {leaf.name for leaf in plan.walk() if isinstance(leaf, Relation)}
        for lookup in reversed(self.found.values()):
            if lookup.name in wanted:
                wanted.update(name for name, _ in lookup.sources)
        return tuple(lookup for lookup in self.found.values() if lookup.name in wanted)

    def is_resident(self, plan: Node) -> bool:
        """True when everything that the plan reads is on the driver before it runs."""
        return not any(
            isinstance(leaf, Scan) or (isinstance(leaf, Relation) and leaf.name in self.stored) for leaf in plan.walk()
        )

    def narrow(self, plan: Node) -> Node:
        """The plan with look-ups in the place of pasts, wherever keys are known."""
        children = tuple(self.narrow(child) for child in plan.children)
        if any(new is not old for new, old in zip(children, plan.children, strict=True)):
            plan = plan.with_children(*children)
        if isinstance(plan, Relation) and plan.name in self.stored and plan.name in self.few:
            return self._lookup(plan, None, ())
        return self._join(plan) if isinstance(plan, Join) else plan

    def _join(self, join: Join) -> Node:
        """Each side restricted to the keys of the other, where rows without a match are dropped anyway."""
        pairs = list(equal_columns(join))
        left, right = join.left, join.right
        if join.kind in DROPS_RIGHT:
            right = self.restrict(right, {b: keys for a, b in pairs if (keys := self.sources(left, a))})
        if join.kind in DROPS_LEFT:
            left = self.restrict(left, {a: keys for a, b in pairs if (keys := self.sources(right, b))})
            if left is not join.left and right is join.right and join.kind in DROPS_RIGHT:
                right = self.restrict(right, {b: keys for a, b in pairs if (keys := self.sources(left, a))})
        return join if left is join.left and right is join.right else join.with_children(left, right)

    # -- where the keys come from

    def sources(self, node: Node, column: str) -> Sources | None:
        """Relations on the driver that together hold every value the column can have; None when that is not known."""
        if isinstance(node, Relation):
            return None if node.name in self.stored else ((node.name, column),)
        if isinstance(node, Project):
            output = next(each for each in node.outputs if each.name == column)
            return self.sources(node.child, output.expression.name) if _is_plain(output.expression) else None
        if isinstance(node, (Filter, Distinct, Repeat, TopK)):
            return self.sources(node.children[0], column)
        if isinstance(node, (Unfold, Generate, Window)):
            return self.sources(node.child, column) if column in node.child.names else None
        if isinstance(node, Aggregate):
            return self.sources(node.child, column) if column in node.keys else None
        if isinstance(node, Union):
            place = node.names.index(column)
            found = [self.sources(each, each.names[place]) for each in node.inputs]
            return tuple(dict.fromkeys(s for each in found for s in each or ())) if all(found) else None
        if isinstance(node, Join):
            return self._sources_of_join(node, column)
        return None

    def _sources_of_join(self, node: Join, column: str) -> Sources | None:
        """In an inner join a column has only values that its partner has, too: the fewer of the two are taken."""
        if column in node.left.names:
            found = self.sources(node.left, column) if node.kind not in ("right", "full") else None
            partners = [self.sources(node.right, b) for a, b in equal_columns(node) if a == column]
        else:
            found = self.sources(node.right, column) if node.kind in ("inner", "right") else None
            partners = [self.sources(node.left, a) for a, b in equal_columns(node) if b == column]
        if node.kind == "inner":
            for partner in partners:
                if partner is not None and (found is None or self._comes_from(partner, found)):
                    found = partner
        return found

    def _comes_from(self, narrower: Sources, wider: Sources) -> bool:
        """True when the one are rows that were looked up by the other."""
        return all(name in self.found and self.found[name].sources == wider for name, _ in narrower)

    # -- what they narrow

    def restrict(self, node: Node, wanted: Wanted) -> Node:
        """The node with the same rows wherever a wanted column has one of its keys; the node itself if nothing can."""
        if not wanted:
            return node
        if isinstance(node, Relation):
            return self._restrict_past(node, wanted)
        if isinstance(node, Project):
            below = {o.name: o.expression.name for o in node.outputs if _is_plain(o.expression)}
            return self._below(node, node.child, {below[c]: keys for c, keys in wanted.items() if c in below})
        if isinstance(node, (Filter, Distinct, Repeat)):
            return self._below(node, node.children[0], wanted)
        if isinstance(node, (Unfold, Generate)):
            return self._below(node, node.child, {c: keys for c, keys in wanted.items() if c in node.child.names})
        if isinstance(node, (Aggregate, Window, TopK)):
            return self._below(node, node.child, {c: keys for c, keys in wanted.items() if c in node.keys})
        if isinstance(node, Union):
            inputs = tuple(
                self.restrict(each, {each.names[node.names.index(c)]: keys for c, keys in wanted.items()})
                for each in node.inputs
            )
            return Union(inputs) if any(a is not b for a, b in zip(inputs, node.inputs, strict=True)) else node
        return self._restrict_join(node, wanted) if isinstance(node, Join) else node

    def _below(self, node: Node, child: Node, wanted: Wanted) -> Node:
        moved = self.restrict(child, wanted)
        return node if moved is child else node.with_children(moved)

    def _restrict_join(self, node: Join, wanted: Wanted) -> Node:
        left, right = node.left, node.right
        if node.kind in ("inner", "left", "semi", "anti"):
            left = self.restrict(left, {c: keys for c, keys in wanted.items() if c in node.left.names})
        if node.kind in ("inner", "right"):
            right = self.restrict(right, {c: keys for c, keys in wanted.items() if c in node.right.names})
        if left is node.left and right is node.right:
            return node
        return self._join(replace(node, left=left, right=right))

    def _restrict_past(self, leaf: Relation, wanted: Wanted) -> Node:
        past = self.stored.get(leaf.name)
        if past is None:
            return leaf
        column = next((key for key in past.key if key in wanted), next(iter(wanted)))
        return self._lookup(leaf, column, wanted[column])

    def _lookup(self, leaf: Relation, column: str | None, sources: Sources) -> Relation:
        for lookup in self.found.values():
            if (lookup.past, lookup.column, lookup.sources) == (leaf.name, column, sources):
                break
        else:
            name = f"{leaf.name}_lookup_{len(self.found) + 1}"
            lookup = Lookup(name, leaf.name, leaf.schema, column, sources)
            self.found[lookup.name] = lookup
        return Relation(lookup.name, leaf.schema, small=True)


def _is_plain(expression: exp.Expr) -> bool:
    return isinstance(expression, exp.Column)
