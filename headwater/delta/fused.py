"""The answer and what it leaves behind, in one statement: for a view that is an aggregate, projected and filtered.

    touched groups -> each as it was and as it is -> projections, filters -> rows --- weight <> 0 --> the view's change
                                                                               \\-- as it is ----> the segment

Idea: the view's change and the segment of its partials are both functions of the touched groups' partials. Computed as
two statements they cost two round trips to the engine; as one, they are parts of the same few rows.
Invariant: a part is a plan over the statement's rows (`Part.plan`), so it can be evaluated by any engine; taking the
rows and columns directly is the same thing faster. A filter sets the weight to zero instead of dropping the row.
Limits: filters and projections between the aggregate and the view's top; any other operator needs the change by itself.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from headwater.algebra.expressions import cast, column, substitute
from headwater.algebra.nodes import Aggregate, Distinct, Filter, Node, Output, Project, Relation, Unfold, plain
from headwater.delta.partials import COUNT, recipe
from headwater.delta.pasts import as_aggregate, linear_recipe
from headwater.delta.rules import NEW, OLD, SEGMENT
from headwater.delta.signed import WEIGHT_TYPE, integer, weight
from headwater.lake.changes import WEIGHT

SIDE = "_hw_side"  # 0: the group as it was, 1: as it is


@dataclass(frozen=True)
class Part:
    """Some columns of the rows of a statement, where one of its columns is not zero."""

    source: Relation
    nonzero: str
    columns: tuple[tuple[str, str], ...]  # (its name, the name in the source)

    @property
    def plan(self) -> Node:
        kept = Filter(self.source, exp.NEQ(this=column(self.nonzero), expression=integer(0)))
        return Project(kept, tuple(Output(new, column(old)) for new, old in self.columns))


def head(plan: Node) -> tuple[tuple[Node, ...], Node] | None:
    """The projections and filters at the top of a view, from the top, and the aggregate by partials below them."""
    chain: list[Node] = []
    while isinstance(plan, (Project, Filter)):
        chain.append(plan)
        plan = plan.child
    linear = isinstance(plan, Distinct) or (isinstance(plan, Aggregate) and recipe(plan) is not None)
    return (tuple(chain), plan) if linear else None


def both_sides(chain: tuple[Node, ...], aggregate: Node, groups: Node) -> Node:
    """The view's rows for every touched group before and after, with the weight, and the segment's columns beside."""
    grouped = as_aggregate(aggregate)
    rows: Node = _results(grouped, Unfold(groups, SIDE, (0, 1)))
    beside = plain([*_segment_columns(grouped), SIDE])
    for node in reversed(chain):
        if isinstance(node, Project):
            rows = Project(rows, (*node.outputs, Output(WEIGHT, weight()), *beside))
        elif isinstance(node, Filter):
            shown = exp.If(this=node.predicate.copy(), true=weight(), false=integer(0))
            rows = Project(rows, (*plain(node.names), Output(WEIGHT, shown, WEIGHT_TYPE), *beside))
    view = chain[0] if chain else aggregate
    exact = (Output(item.name, cast(column(item.name), item.type), item.type) for item in view.schema)
    return Project(rows, (*exact, Output(WEIGHT, weight()), *beside))


def view_part(view: Node, source: Relation) -> Part:
    return Part(source, WEIGHT, tuple((name, name) for name in (*view.names, WEIGHT)))


def segment_part(aggregate: Node, source: Relation) -> Part:
    """What the touched groups' partials moved by."""
    names = (name.removeprefix(SEGMENT) for name in _segment_columns(as_aggregate(aggregate)))
    return Part(source, SIDE, tuple((name, SEGMENT + name) for name in names))


def _segment_columns(grouped: Aggregate) -> list[str]:
    return [SEGMENT + name for name in (*grouped.keys, *(p.name for p in linear_recipe(grouped).partials))]


def _results(grouped: Aggregate, rows: Node) -> Node:
    """Each group's results from the partials of its side; a group that is not there has weight zero."""
    made = linear_recipe(grouped)
    old, new = ({p.name: column(prefix + p.name) for p in made.partials} for prefix in (OLD, NEW))

    def of_side(expression: exp.Expr) -> exp.Expr:
        is_old = exp.EQ(this=column(SIDE), expression=exp.Literal.number(0))
        return exp.If(this=is_old, true=substitute(expression, old), false=substitute(expression, new))

    results = (Output(result.name, of_side(result.expression), result.type) for result in made.results)
    sign = exp.If(this=exp.EQ(this=column(SIDE), expression=exp.Literal.number(0)), true=integer(-1), false=integer(1))
    present = exp.GT(this=of_side(column(COUNT)), expression=integer(0))
    shown = exp.If(this=present, true=sign, false=integer(0)) if grouped.keys else sign
    segment = (
        *(Output(SEGMENT + key, column(key)) for key in grouped.keys),
        *plain([SEGMENT + p.name for p in made.partials]),
    )
    return Project(rows, (*plain(grouped.keys), *results, Output(WEIGHT, shown, WEIGHT_TYPE), *segment, *plain([SIDE])))
