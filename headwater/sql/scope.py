"""What the names of one SELECT mean, and what may stand in its expressions.

Idea: every column of a query gets a plan name that no other has, so an expression over plan names means the same
wherever its columns are at hand: a subquery's condition that names a column of the outer query can be moved up.
Invariant: `resolve` gives an expression over plan names alone, or raises `Unsupported` with the place in the text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from sqlglot import exp

from headwater.algebra.expressions import column
from headwater.algebra.nodes import Node, Output, Project, plain
from headwater.errors import Unsupported
from headwater.sql.functions import ROW_MAKERS
from headwater.sql.parse import function_name, position_of

PLAN = "_hw_plan"  # the table of a column that is a plan name already


@dataclass
class Names:
    """Hands out output names that no other column of the query has."""

    taken: set[str] = field(default_factory=set)

    def fresh(self, *wishes: str) -> str:
        candidates = [*wishes, *(f"{wishes[-1]}_{i}" for i in range(2, 10_000))]
        chosen = next(name for name in candidates if name.lower() not in self.taken)
        self.taken.add(chosen.lower())
        return chosen


def planned(name: str) -> exp.Column:
    """A plan column, to stand in an expression that is yet to be resolved."""
    return exp.Column(this=exp.to_identifier(name, quoted=True), table=exp.to_identifier(PLAN))


@dataclass(frozen=True)
class Scope:
    """(relation alias, column) to plan name; whole expressions that are computed already; the query around, if any."""

    node: Node
    columns: Mapping[tuple[str, str], str]
    computed: Mapping[exp.Expr, str] = field(default_factory=dict)
    outer: Scope | None = None
    grouped: bool = False

    def over(self, node: Node) -> Scope:
        return replace(self, node=node)

    def knowing(self, node: Node, computed: Mapping[exp.Expr, str]) -> Scope:
        return replace(self, node=node, computed={**self.computed, **computed})

    def resolve(self, expression: exp.Expr, outer: bool = False) -> exp.Expr:
        """The expression over plan names; with `outer`, also those of the query around."""
        return self._bound(expression, outer)

    def _bound(self, expression: exp.Expr, outer: bool) -> exp.Expr:
        def bind(part: exp.Expr) -> exp.Expr:
            if part in self.computed:
                return column(self.computed[part])
            if isinstance(part, exp.Column):
                return self._column(part, outer)
            refuse(part)
            return part

        return expression.copy().transform(bind)

    def _column(self, part: exp.Column, outer: bool) -> exp.Expr:
        if part.table == PLAN:
            return column(part.name)
        known = self.find(part)
        if known is not None:
            return column(known)
        around = self.outer
        while outer and around is not None:
            known = around.find(part)
            if known is not None:
                return column(known)
            around = around.outer
        if self.grouped and self.outer is None:
            raise unsupported(f"The column {part.name}, neither grouped nor aggregated,", part)
        raise unsupported("A reference to a column of an outer query", part)

    def find(self, part: exp.Column) -> str | None:
        """The plan name of a column of this query."""
        if part in self.computed:
            return self.computed[part]
        name = part.name.lower()
        if part.table:
            return self.columns.get((part.table.lower(), name))
        found = {plan for (_, known), plan in self.columns.items() if known == name}
        return found.pop() if len(found) == 1 else None


def computed_column(node: Node, expression: exp.Expr, name: str) -> tuple[Node, str]:
    """The node with an expression over its columns as a column; a plain column is there already."""
    if isinstance(expression, exp.Column):
        return node, expression.name
    return Project(node, (*plain(node.names), Output(name, expression))), name


def unsupported(what: str, at: exp.Expr) -> Unsupported:
    return Unsupported("unsupported.syntax", what=what, position=position_of(at))


REFUSED: tuple[tuple[type[exp.Expr], str], ...] = (
    (exp.Subquery, "A subquery in this place"),
    (exp.Exists, "EXISTS in this place"),
    (exp.Query, "A subquery in this place"),
    (exp.Window, "A window function in this place"),
)


def refuse(part: exp.Expr) -> None:
    """Raise for what cannot stand inside a plan expression."""
    for kind, what in REFUSED:
        if isinstance(part, kind):
            raise unsupported(what, part)
    if isinstance(part, exp.Func) and function_name(part) in ROW_MAKERS:
        raise unsupported(f"{function_name(part).upper()} in this place", part)
