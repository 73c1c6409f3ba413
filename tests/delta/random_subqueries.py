"""Random subqueries: scalar, IN, EXISTS and their negations, correlated with the query around or not.

What only one of Spark and DuckDB reads, or both read differently, is left out; `random_queries` lists it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.delta.random_expressions import Scope

if TYPE_CHECKING:
    from tests.delta.random_queries import Writer

SCALARS = {
    "int": (
        "MAX({int})",
        "COUNT(*)",
        "SUM({int})",
        "COUNT({int}) + 1",
        "COUNT(*)",
        "MIN({int})",
        "COUNT(DISTINCT {any})",
    ),
    "string": ("MAX({string})", "MIN({string})"),
    "decimal": ("SUM({decimal})", "MAX({decimal})"),
    "double": ("MAX({double})", "MIN({double})"),
    "date": ("MAX({date})",),
    "boolean": ("BOOL_OR({boolean})", "COUNT(*) > 1"),
}


class Subqueries:
    """Draws the subqueries of one query."""

    def __init__(self, writer: Writer) -> None:
        self.writer = writer
        self.one_of = writer.one_of

    def give(self, scope: Scope, values: bool = True) -> Scope:
        """The scope, able to draw subqueries that name its columns."""
        if self.writer.left > 0:
            scope.subcondition = self.condition
            scope.subvalue = self.scalar if values else None
        return scope

    def condition(self, outer: Scope) -> str:
        form = self.one_of("exists", "in", "in", "compared", "compared") if self.writer.spend() else "none"
        if form == "in":
            return self.membership(outer) or self.exists(outer)
        if form == "compared":
            return self.compared(outer) or self.exists(outer)
        return self.exists(outer) if form == "exists" else "1 = 1"

    def exists(self, outer: Scope) -> str:
        source, inner, conditions = self.inner(outer, any_condition=True)
        where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
        shape = self.one_of("plain", "plain", "plain", "grouped", "aggregate")
        negated = self.one_of("", "NOT ")
        if shape == "plain" or inner.any_column() is None:
            return f"{negated}EXISTS (SELECT {self.one_of('1', '*')} FROM {source}{where})"
        source, inner, conditions = self.inner(outer)
        where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
        key = inner.any_column()
        if shape == "aggregate" or key is None:
            having = self.one_of("COUNT(*) > 1", "COUNT(*) <> 1", "COUNT(*) < 2")
            return f"{negated}EXISTS (SELECT COUNT(*) FROM {source}{where} HAVING {having})"
        return f"{negated}EXISTS (SELECT {key} FROM {source}{where} GROUP BY {key} HAVING COUNT(*) > 1)"

    def membership(self, outer: Scope) -> str | None:
        """`x IN (q)`, or of pairs; a condition, never a value, since Spark's is never NULL."""
        shape = self.one_of("rows", "rows", "pairs", "groups", "aggregate", "union")
        outer_ = outer if shape == "rows" else Scope(self.writer.draw)  # DuckDB correlates no pairs
        source, inner, conditions = self.inner(outer_, any_condition=True)
        shared = [kind for kind in outer.kinds() if inner.columns.get(kind)]
        if not shared:
            return None
        kinds = [self.one_of(*shared) for _ in range(2 if shape == "pairs" else 1)]
        wanted = [outer.value(kind, 0) for kind in kinds]
        listed = [inner.column(kind) for kind in kinds]
        rest = f" FROM {source}" + (f" WHERE {' AND '.join(conditions)}" if conditions else "")
        if shape == "groups":
            rest += f" GROUP BY {listed[0]} HAVING COUNT(*) {self.one_of('> 1', '= 1')}"
        elif shape == "aggregate":
            listed[0] = f"{self.one_of('MIN', 'MAX')}({listed[0]})"
        elif shape == "union":
            rest += f" {self.one_of('UNION', 'UNION ALL', 'EXCEPT')} SELECT {inner.constant(kinds[0])} AS m0"
        looked_for = f"({', '.join(wanted)})" if len(wanted) > 1 else wanted[0]
        given = ", ".join(f"{each} AS m{place}" for place, each in enumerate(listed))
        return f"{looked_for} {self.one_of('', 'NOT ')}IN (SELECT {given}{rest})"

    def compared(self, outer: Scope) -> str | None:
        kind = self.one_of(*outer.kinds()) if outer.kinds() else "int"
        value = self.scalar(outer, kind, spent=True)
        return value and f"{outer.value(kind, 0)} {self.one_of('=', '<', '>=', '<>')} {value}"

    def scalar(self, outer: Scope, kind: str, spent: bool = False) -> str | None:
        """A subquery of one row: an aggregate, or the first row in an order."""
        if not spent and not self.writer.spend():
            return None
        source, inner, conditions = self.inner(outer)
        where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
        if self.one_of("aggregate", "aggregate", "first") == "first" and inner.columns.get(kind):
            order = f"{inner.any_column()} {self.one_of('', 'DESC', 'NULLS LAST')}"
            return f"(SELECT {inner.column(kind)} AS f FROM {source}{where} ORDER BY {order} LIMIT 1)"
        usable = [
            each for each in SCALARS[kind] if all(inner.columns.get(k) or f"{{{k}}}" not in each for k in SCALARS)
        ]
        usable = [each for each in usable if "{any}" not in each or inner.any_column()]
        if not usable:
            return None
        call = self.one_of(*usable).replace("{any}", inner.any_column() or "")
        call = call.replace(f"{{{kind}}}", inner.value(kind, 1))
        having = self.one_of("", "", "", " HAVING COUNT(*) > 1", " HAVING COUNT(*) <> 1")
        return f"(SELECT {call} AS f FROM {source}{where}{having})"

    def inner(self, outer: Scope, any_condition: bool = False) -> tuple[str, Scope, list[str]]:
        """FROM, its scope, and the conditions: its own, and those with the query around, equalities unless told."""
        source, relations = self.writer.source(0, most=1)
        inner = Scope.of(self.writer.draw, relations)
        conditions = []
        for _ in range(int(self.one_of("1", "1", "0", "2"))):
            equality = inner.equal(outer)
            if equality:
                conditions.append(equality)
        if any_condition and self.one_of("no", "no", "yes") == "yes":
            kinds = [kind for kind in inner.kinds() if outer.columns.get(kind)]
            if kinds:
                kind = self.one_of(*kinds)
                conditions.append(f"{inner.column(kind)} {self.one_of('<', '<>', '<=>')} {outer.column(kind)}")
        if inner.kinds() and self.one_of("no", "yes") == "yes":
            conditions.append(self.give(inner).condition(int(self.one_of("0", "1"))))
        return source, inner, conditions
