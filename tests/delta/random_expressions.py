"""Random expressions over the columns that a query has at hand, by kind, so that each is valid.

Idea: a `Scope` knows its columns by kind and an `Ask` for subqueries; whatever is drawn can be drawn again from it.
Kinds are those of `random_tables`; a `shown` column may only be named, never compared, grouped or computed with.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from hypothesis import strategies as st

from tests.delta.random_tables import KINDS, Kinds

CONSTANTS = {
    "int": ("0", "1", "2", "-4"),
    "string": ("'x'", "'y'", "''"),
    "decimal": ("0.25", "1.50", "-2.00"),
    "double": ("CAST(0.5 AS DOUBLE)", "CAST('NaN' AS DOUBLE)", "CAST(2 AS DOUBLE)"),
    "date": ("DATE '2024-02-29'", "DATE '2023-01-01'"),
    "boolean": ("TRUE", "FALSE"),
}
NULLS = {
    "int": "CAST(NULL AS INT)", "string": "CAST(NULL AS STRING)", "decimal": "CAST(NULL AS DECIMAL(6, 2))",
    "double": "CAST(NULL AS DOUBLE)", "date": "CAST(NULL AS DATE)", "boolean": "CAST(NULL AS BOOLEAN)",
}  # fmt: skip
CONVERTED = {  # a value of one kind from a column of another
    "int": ("LENGTH({string})", "YEAR({date})", "MONTH({date})", "CASE WHEN {boolean} THEN 1 ELSE 0 END"),
    "string": ("UPPER({string})", "CAST({int} AS STRING)", "SUBSTRING({string}, 1, 1)"),
    "decimal": ("CAST({int} AS DECIMAL(12, 2))", "ABS({decimal})"),
    "double": ("CAST({int} AS DOUBLE)", "CAST({decimal} AS DOUBLE)"),
    "date": ("LEAST({date}, DATE '2024-01-01')",),
    "boolean": ("{int} > 1", "{string} IS NULL", "{date} < DATE '2024-03-01'"),
}


@dataclass(frozen=True)
class Relation:
    """Something to select from: its text, the name its columns are read by, and their kinds."""

    text: str
    alias: str
    columns: Kinds


@dataclass
class Scope:
    """The columns that an expression may read, by kind: `r1.k` and so on."""

    draw: st.DrawFn
    columns: dict[str, list[str]] = field(default_factory=dict)
    subcondition: Callable[[Scope], str] | None = None  # draws a condition with a subquery
    subvalue: Callable[[Scope, str], str | None] | None = None  # draws a scalar subquery of a kind, if there is one

    @classmethod
    def of(cls, draw: st.DrawFn, relations: Iterable[Relation]) -> Scope:
        scope = cls(draw)
        for relation in relations:
            for name, kind in relation.columns.items():
                scope.columns.setdefault(kind, []).append(f"{relation.alias}.{name}")
        return scope

    def one_of(self, *options: str) -> str:
        return self.draw(st.sampled_from(options))

    def kinds(self) -> list[str]:
        """The kinds that can be computed with, of which there is a column."""
        return [kind for kind in KINDS if self.columns.get(kind)]

    def column(self, kind: str) -> str:
        return self.one_of(*self.columns[kind])

    def any_column(self) -> str | None:
        kinds = self.kinds()
        return self.column(self.one_of(*kinds)) if kinds else None

    def constant(self, kind: str) -> str:
        return self.one_of(*CONSTANTS[kind], NULLS[kind])

    def value(self, kind: str, depth: int = 1) -> str:
        """An expression of a kind."""
        if kind == "shown":
            return self.column(kind)
        if not self.columns.get(kind):
            return self.converted(kind) or self.constant(kind)
        if depth == 0:
            return self.column(kind)
        form = self.one_of("column", "column", "column", "constant", "coalesce", "case", "computed", *["subquery"] * 3)
        if form == "constant":
            return self.constant(kind)
        if form == "coalesce":
            return f"COALESCE({self.column(kind)}, {self.one_of(*CONSTANTS[kind])})"
        if form == "case":
            otherwise = self.one_of(*CONSTANTS[kind], "NULL")
            return f"CASE WHEN {self.condition(0)} THEN {self.value(kind, 0)} ELSE {otherwise} END"
        if form == "computed":
            return self.computed(kind)
        if form == "subquery" and self.subvalue is not None:
            return self.subvalue(self, kind) or self.column(kind)
        return self.column(kind)

    def computed(self, kind: str) -> str:
        left, right = self.column(kind), self.one_of(*self.columns[kind], *CONSTANTS[kind])
        if kind == "int":
            return f"{left} {self.one_of('+', '-', '*')} {right}"
        if kind in ("decimal", "double"):
            return f"{left} {self.one_of('+', '-')} {right}"
        if kind == "string":
            return f"{left} || {right}"
        if kind == "boolean":
            return f"({left} {self.one_of('AND', 'OR')} {right})"
        return self.converted(kind) or left

    def converted(self, kind: str) -> str | None:
        possible = [each for each in CONVERTED[kind] for other in self.kinds() if f"{{{other}}}" in each]
        if not possible:
            return None
        made = self.one_of(*possible)
        for other in self.kinds():
            if f"{{{other}}}" in made:
                made = made.replace(f"{{{other}}}", self.column(other))
        return made

    # -- conditions

    def condition(self, depth: int = 1) -> str:
        kinds = self.kinds()
        subquery = ["subquery"] if depth and self.subcondition is not None else []
        if not kinds:
            return self.subcondition(self) if subquery and self.subcondition is not None else "1 = 1"
        kind = self.one_of(*kinds)
        nested = ["and", "or", "not"] if depth else []
        form = self.one_of("compare", "compare", "null", "in", *subquery, *subquery, *nested)
        if form == "subquery" and self.subcondition is not None:
            return self.subcondition(self)
        if form == "null":
            return f"{self.column(kind)} IS {self.one_of('', 'NOT ')}NULL"
        if form == "in":
            listed = ", ".join(CONSTANTS[kind][:2])
            return f"{self.column(kind)} {self.one_of('', 'NOT ')}IN ({listed}{self.one_of('', '', ', NULL')})"
        if form in ("and", "or"):
            return f"({self.condition(depth - 1)} {form.upper()} {self.condition(depth - 1)})"
        if form == "not":
            return f"NOT ({self.condition(depth - 1)})"
        if kind == "boolean" and self.one_of("compare", "bare") == "bare":
            return self.column(kind)
        other = self.value(kind, depth) if depth else self.constant(kind)
        return f"{self.column(kind)} {self.one_of('=', '<>', '<', '>=', '<=>')} {other}"

    def equal(self, other: Scope) -> str | None:
        """An equality between a column here and one of the same kind there."""
        kinds = [kind for kind in self.kinds() if other.columns.get(kind)]
        if not kinds:
            return None
        kind = self.one_of(*kinds)
        return f"{self.column(kind)} = {other.column(kind)}"
