"""Push partial aggregates below joins: an input of a join is grouped before it is joined, where that makes it small.

    SUM(o.amount) by c.region                      SUM(o.sum) by c.region
      orders o |x| customers c on o.customer   =>    (SUM(amount) AS sum by customer of orders) o |x| customers c

Idea: above the input, a row is asked only for its group keys, its columns in join conditions, and what the aggregate
adds up. Rows that agree on the first two become one, with the parts of their calls (see `split_calls`) and the number
of them. The stored past of the input is then its groups, and a changed dimension row meets one row a key instead of
all its facts. An input may itself be a join; the new aggregate is treated alike, as far down as it pays.
Invariant: the same rows of the same types. Groups are of types whose equal values are one value: never doubles. Below
the join only what cannot fail is computed (see `total`): it meets rows there that the join drops.

Cost and decision: each new aggregate is one more stage of a refresh (its touched groups, before and after): tens of
milliseconds in Spark, and up to two rows for each row of a small change. So it must shrink its input by `SHRINKS`, as
far as statistics know; with nothing known, nothing is pushed. MIN and MAX keep the input's rows as well, for groups
that lose their least one; they are pushed where the rows above the join, which they keep too, become that much fewer.
Complexity: every subtree of the join tree is considered once for each aggregate above it, larger ones first.
Limits: inner joins with a condition that reads the input; calls over plain columns, all of which have exact parts.
A change of the input passes through its groups as they were and are: partial sums are not yet changes themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from sqlglot import exp

from headwater.algebra.exact_types import is_identified
from headwater.algebra.expressions import column, columns_of, substitute
from headwater.algebra.nodes import Aggregate, Distinct, Join, Node, Output, Project
from headwater.algebra.rewrites.split_calls import EXTREMES, Part, Typed, is_of_a_set, split, united
from headwater.algebra.statistics import Statistics, estimate
from headwater.algebra.total import is_total

SHRINKS = 10.0  # an order of magnitude: less does not make up for one more stage in every refresh


def push_partial_aggregate(plan: Node, statistics: Statistics) -> Node:
    taken = frozenset(name for node in plan.walk() for name in node.names)

    def rule(node: Node) -> Node:
        grouped = Aggregate(node.child, node.names, ()) if isinstance(node, Distinct) and node.names else node
        if not isinstance(grouped, Aggregate):
            return node
        asked = Asked.of(grouped)
        return (asked and Pushing(asked, statistics, taken, rule).pushed()) or node

    return plan.transform(rule)


@dataclass(frozen=True)
class Asked:
    """What an aggregate asks of the tree of inner joins below it, in terms of the tree's columns."""

    node: Aggregate
    tree: Join
    apart: dict[str, Typed]  # values that are told apart: group keys, and what is taken as a set
    parts: dict[str, tuple[Part, ...]]  # of each call; a call of a set has none

    @classmethod
    def of(cls, node: Aggregate) -> Asked | None:
        """None when the aggregate is over something else, or a call cannot be split exactly."""
        tree, values = _read(node)
        if not isinstance(tree, Join) or tree.kind != "inner" or _names_collide(tree):
            return None
        if node != Aggregate(node.child, node.keys, node.calls):  # it is more than its keys and calls say
            return None
        typed = {name: (value, node.child.type_of(name)) for name, value in values.items()}
        apart = list(node.keys)
        parts: dict[str, tuple[Part, ...]] = {}
        for call in node.calls:
            if is_of_a_set(call.expression):
                apart += sorted(columns_of(call.expression))
                continue
            argument = call.expression.this
            value = typed[argument.name] if isinstance(argument, exp.Column) else (None, "")
            found = split(call, *value)
            if found is None:
                return None
            parts[call.name] = found
        return cls(node, tree, {name: typed[name] for name in apart}, parts)

    @property
    def values(self) -> Iterator[exp.Expr]:
        yield from (value for value, _ in self.apart.values())
        yield from (part.value for parts in self.parts.values() for part in parts if part.value is not None)

    @cached_property
    def adds_rows(self) -> bool:
        """True when it matters how often a row is there."""
        return any(part.kind not in EXTREMES for parts in self.parts.values() for part in parts)


@dataclass(frozen=True)
class Grouped:
    """An input after it was grouped: its columns for its number of rows, the parts of calls, and computed keys."""

    rows: str | None
    parts: dict[Part, str]
    keys: dict[str, str]


@dataclass
class Pushing:
    """One aggregate on its way down; holds the inputs that were grouped so far."""

    asked: Asked
    statistics: Statistics
    taken: frozenset[str]
    rule: Callable[[Node], Node]  # for the aggregates that are made
    grouped: list[Grouped] = field(default_factory=list)

    def pushed(self) -> Node | None:
        tree = self._inputs_grouped(self.asked.tree, frozenset())
        return self._above(tree) if self.grouped else None

    def fresh(self, wish: str) -> str:
        while wish in self.taken:
            wish += "_"
        return wish

    # -- below: the inputs

    def _inputs_grouped(self, node: Node, above: frozenset[str]) -> Node:
        """The subtree with its inputs grouped; `above` are the columns that conditions above it read."""
        node = _unselected(node)
        if not (isinstance(node, Join) and node.kind == "inner"):
            return node
        read = above | columns_of(node.condition) if node.condition is not None else above
        left, right = (self._as_groups(each, read) or self._inputs_grouped(each, read) for each in node.children)
        return node.with_children(left, right)

    def _as_groups(self, side: Node, above: frozenset[str]) -> Node | None:
        """An input of a join as its groups; None when they are not much fewer."""
        side = _unselected(side)
        types = {item.name: item.type for item in side.schema}

        def inside(value: exp.Expr | None) -> bool:
            return value is not None and bool(columns_of(value)) and is_total(value, types)

        read = above.union(*(columns_of(value) for value in self.asked.values if not inside(value)))
        apart = (
            name for name, (value, _) in self.asked.apart.items() if inside(value) and not columns_of(value) <= read
        )
        computed = {name: self._key(name) for name in apart}
        keys: dict[str, Typed] = {
            item.name: (column(item.name), item.type) for item in side.schema if item.name in read
        }
        keys |= {key: self.asked.apart[name] for name, key in computed.items()}
        if not keys or not all(is_identified(kind) for _, kind in keys.values()):
            return None
        arguments, calls, parts = self._partial_calls(inside)
        rows = self.fresh(f"{next(iter(keys))}$rows") if self.asked.adds_rows else None
        if rows is not None:
            calls.append(Output(rows, exp.Count(this=exp.Star()), "bigint"))
        outputs = tuple(Output(name, value, kind) for name, (value, kind) in (keys | arguments).items())
        groups = Aggregate(Project(side, outputs), tuple(keys), tuple(calls))
        if not self._pays(side, groups, parts):
            return None
        self.grouped.append(Grouped(rows, parts, computed))
        return self.rule(groups)

    def _key(self, name: str) -> str:
        value, _ = self.asked.apart[name]
        return value.name if isinstance(value, exp.Column) else self.fresh(f"{name}$key")

    def _partial_calls(
        self, inside: Callable[[exp.Expr | None], bool]
    ) -> tuple[dict[str, Typed], list[Output], dict[Part, str]]:
        """The columns that the input's calls read, those calls, and the column of each part."""
        arguments: dict[exp.Expr, tuple[str, str]] = {}
        calls: list[Output] = []
        found: dict[Part, str] = {}
        for name, parts in self.asked.parts.items():
            for part in parts:
                if part in found or part.value is None or not inside(part.value):
                    continue
                found[part] = self.fresh(f"{name}${part.kind}")
                plain = part.value.name if isinstance(part.value, exp.Column) else self.fresh(f"{found[part]}_of")
                argument, _ = arguments.setdefault(part.value, (plain, part.value_type))
                calls.append(Output(found[part], part.over(argument), part.type))
        return {name: (value, kind) for value, (name, kind) in arguments.items()}, calls, found

    def _pays(self, side: Node, groups: Aggregate, parts: dict[Part, str]) -> bool:
        rows = estimate(side, self.statistics).rows
        if any(part.kind in EXTREMES for part in parts):
            rows = min(rows, estimate(self.asked.tree, self.statistics).rows)
        return rows >= SHRINKS * estimate(groups, self.statistics).rows

    # -- above: the aggregate itself

    def _above(self, tree: Node) -> Node | None:
        """The aggregate over the tree of grouped inputs, under its old names and types; None if it is not exact."""
        node = self.asked.node
        outputs = [Output(name, self._apart(name), kind) for name, (_, kind) in self.asked.apart.items()]
        totals: dict[Part, Output] = {}
        for name, parts in self.asked.parts.items():
            for part in parts:
                if part in totals:
                    continue
                term = self._term(part)
                if term is None:
                    return None
                outputs.append(Output(self.fresh(f"{name}${part.kind}"), *term))
                totals[part] = part.over_groups(outputs[-1].name, term[1])
        sets = (call for call in node.calls if call.name not in self.asked.parts)
        over = Aggregate(Project(tree, tuple(outputs)), node.keys, (*totals.values(), *sets))
        results = (Output(call.name, self._result(call, totals), call.type) for call in node.calls)
        return Project(over, (*(Output(key, column(key)) for key in node.keys), *results))

    def _apart(self, name: str) -> exp.Expr:
        kept = next((each.keys[name] for each in self.grouped if name in each.keys), None)
        return self.asked.apart[name][0] if kept is None else column(kept)

    def _term(self, part: Part) -> Typed | None:
        home = next((each for each in self.grouped if part in each.parts), None)
        others = [each.rows for each in self.grouped if each is not home and each.rows is not None]
        return part.term(home.parts[part] if home is not None else None, others)

    def _result(self, call: Output, totals: dict[Part, Output]) -> exp.Expr:
        parts = self.asked.parts.get(call.name)
        if parts is None:
            return column(call.name)
        return united(call, parts, [totals[part].name for part in parts], not self.asked.node.keys)


def _read(node: Aggregate) -> tuple[Node, dict[str, exp.Expr]]:
    """What an aggregate is over, below projections, and what the columns that it reads are in terms of that."""
    below = node.child
    names = set(node.keys).union(*(columns_of(call.expression) for call in node.calls))
    values: dict[str, exp.Expr] = {name: column(name) for name in names}
    while isinstance(below, Project):
        outputs = {output.name: output.expression for output in below.outputs}
        values = {name: substitute(value, outputs) for name, value in values.items()}
        below = below.child
    return below, values


def _unselected(node: Node) -> Node:
    """The node below projections that only leave out columns."""
    while isinstance(node, Project) and all(o.is_column and o.expression.name == o.name for o in node.outputs):
        node = node.child
    return node


def _names_collide(tree: Node) -> bool:
    names = [name for each in _inputs(tree) for name in each.names]
    return len(set(names)) < len(names)


def _inputs(node: Node) -> Iterator[Node]:
    node = _unselected(node)
    if isinstance(node, Join) and node.kind == "inner":
        yield from _inputs(node.left)
        yield from _inputs(node.right)
    else:
        yield node
