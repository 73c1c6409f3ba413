"""The past of a plan node: the bag it stood at under the old cursor, read from where it is stored or recomputed.

Idea: a past is an integral, stored or recomputed. A stored past holds a node's rows, or the partials of a linear
aggregate; whatever is not stored is computed from the pasts below it, down to the tables' own snapshots.
Invariant: every function gives a signed bag that equals the node's full form at the old cursor, so what is
stored decides the cost of a refresh and never its result.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, singledispatch

from sqlglot import exp

from headwater.algebra.expressions import cast, column
from headwater.algebra.nodes import (
    Aggregate,
    Column,
    Distinct,
    Filter,
    Generate,
    Join,
    Node,
    Output,
    Project,
    Relation,
    Scan,
    Schema,
    Unfold,
    Union,
    plain,
)
from headwater.delta.partials import COUNT, Recipe, recipe
from headwater.delta.signed import (
    WEIGHT_TYPE,
    bag,
    inner_join,
    integer,
    project,
    signed,
    signed_schema,
)
from headwater.lake.changes import WEIGHT

ROWS, PARTIALS = "rows", "partials"


@dataclass(frozen=True)
class Past:
    """A stored past: which node, in which form, ordered by which columns."""

    name: str
    node: Node
    form: str
    key: tuple[str, ...]

    @cached_property
    def schema(self) -> Schema:
        """The stored columns: rows carry a weight, partials are added up and need none."""
        if self.form == ROWS:
            return signed_schema(self.node.schema)
        grouped = as_aggregate(self.node)
        return partial_schema(grouped, linear_recipe(grouped))

    @property
    def relation(self) -> Relation:
        return Relation(self.name, self.schema)


class Pasts:
    """The stored pasts of one view, and how the past of any of its nodes is read."""

    def __init__(self, stored: tuple[Past, ...]) -> None:
        self.stored = stored
        self._rows = {past.node: past for past in stored if past.form == ROWS}
        self._partials = {past.node: past for past in stored if past.form == PARTIALS}
        self._relevant: dict[Node, bool] = {}

    def rows(self, node: Node) -> Node:
        """The node's past as a signed bag."""
        if node in self._rows:
            return self._rows[node].relation
        if node in self._partials:
            return aggregate_results(as_aggregate(node), self._partials[node].relation)
        if not self._stored_below(node):
            return signed(node)
        return recomputed(node, self)

    def holds_rows(self, node: Node) -> bool:
        return node in self._rows

    def partials(self, node: Node) -> Node:
        """Rows whose partials add up to those of the node's groups: one row a group and segment, or more."""
        if node in self._partials:
            return self._partials[node].relation
        return partials_of(as_aggregate(node), self.rows(node.children[0]))

    def _stored_below(self, node: Node) -> bool:
        if node not in self._relevant:
            below = (
                child in self._rows or child in self._partials or self._stored_below(child) for child in node.children
            )
            self._relevant[node] = any(below)
        return self._relevant[node]


@singledispatch
def recomputed(node: Node, pasts: Pasts) -> Node:
    """The node's past from the pasts of its children: by its full form over their rows."""
    return signed(node.with_children(*(bag(pasts.rows(child)) for child in node.children)))


@recomputed.register
def _(node: Filter, pasts: Pasts) -> Node:
    return Filter(pasts.rows(node.child), node.predicate)


@recomputed.register
def _(node: Project, pasts: Pasts) -> Node:
    return project(pasts.rows(node.child), node.outputs)


@recomputed.register
def _(node: Union, pasts: Pasts) -> Node:
    return Union(tuple(pasts.rows(child) for child in node.inputs))


@recomputed.register(Unfold)
@recomputed.register(Generate)
def _(node: Unfold | Generate, pasts: Pasts) -> Node:
    return Project(node.with_children(pasts.rows(node.child)), plain((*node.names, WEIGHT)))


@recomputed.register
def _(node: Join, pasts: Pasts) -> Node:
    if node.kind == "inner":
        return inner_join(pasts.rows(node.left), pasts.rows(node.right), node.condition)
    return signed(node.with_children(*(bag(pasts.rows(child)) for child in node.children)))


# -- partials of linear aggregates


def as_aggregate(node: Node) -> Aggregate:
    """DISTINCT is grouping by every column and asking for nothing."""
    if isinstance(node, Distinct):
        return Aggregate(node.child, node.names, ())
    assert isinstance(node, Aggregate)
    return node


def linear_recipe(node: Aggregate) -> Recipe:
    found = recipe(node)
    if found is None:
        raise ValueError(f"{node.label} is not linear")
    return found


def partial_schema(node: Aggregate, made: Recipe) -> Schema:
    keys = tuple(Column(name, node.child.type_of(name)) for name in node.keys)
    return keys + tuple(Column(partial.name, partial.type) for partial in made.partials)


def partials_of(node: Aggregate, rows: Node) -> Node:
    """The partials of a signed bag of the aggregate's input rows."""
    from headwater.algebra.nodes import Repeat

    made = linear_recipe(node)
    weighted = not is_plain(rows)
    source = bag(rows) if not weighted else (Repeat(rows) if made.unit_weights else rows)
    return Aggregate(source, node.keys, tuple(partial.over(weighted) for partial in made.partials))


def is_plain(rows: Node) -> bool:
    return isinstance(rows, Project) and rows.outputs[-1].expression == integer(1)


def added(node: Aggregate, rows: Node) -> Node:
    """Partial rows summed per group."""
    made = linear_recipe(node)
    sums = tuple(
        Output(
            p.name,
            cast(
                exp.Coalesce(this=exp.Sum(this=column(p.name)), expressions=[cast(exp.Literal.number(0), p.type)]),
                p.type,
            ),
            p.type,
        )
        for p in made.partials
    )
    return Aggregate(rows, node.keys, sums)


def aggregate_results(node: Aggregate, partial_rows: Node) -> Node:
    """The aggregate's output, as a signed bag, from rows of partials."""
    made = linear_recipe(node)
    groups: Node = added(node, partial_rows)
    if node.keys:
        groups = Filter(groups, exp.GT(this=column(COUNT), expression=integer(0)))
    return Project(groups, (*plain(node.keys), *made.results, Output(WEIGHT, integer(1), WEIGHT_TYPE)))


def is_snapshot(node: Node) -> bool:
    """True for a table read as it is or with fewer columns: its own files are its past."""
    return isinstance(node, Scan) or (
        isinstance(node, Project) and is_snapshot(node.child) and all(o.is_column for o in node.outputs)
    )
