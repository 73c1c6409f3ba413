"""Writes one expression of a plan for DuckDB: the walk, and what rules may ask for.

Idea: a rule is found by the expression's class or, for a function, by its name; it writes its operands first, each with
the type that Spark gives it, and then itself. Rules are in the files beside; `parity` lists them.
Invariant: what has no rule, or whose operands' types the rule does not know, raises `lane.expression` naming its SQL.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sqlglot import exp

from headwater.algebra.expressions import text
from headwater.engine.local.kinds import VOID, duckdb_type, wider
from headwater.engine.local.written import written
from headwater.errors import HeadwaterError

Key = type[exp.Expr] | str


@dataclass(frozen=True)
class Typed:
    """An expression in DuckDB's words, and the type Spark gives it."""

    sql: exp.Expr
    type: str
    literal: int | None = None  # the value, when it is an integer literal: Spark types those by their digits
    constant: str | None = None  # the text of a string literal
    raises: bool = False  # it has no type and no value: it raises an error


Rule = Callable[["Writer", exp.Expr], Typed]


def refuse(expression: exp.Expr, why: str) -> HeadwaterError:
    return HeadwaterError("lane.expression", expression=text(expression), why=why)


def key_of(expression: exp.Expr) -> Key:
    return expression.name.lower() if isinstance(expression, exp.Anonymous) else type(expression)


def arguments(call: exp.Expr) -> list[exp.Expr]:
    """A function's arguments, whether sqlglot knows the function or not."""
    if isinstance(call, exp.Anonymous):
        return list(call.expressions)
    found = [call.args.get("this"), call.args.get("expression"), *(call.args.get("expressions") or [])]
    return [each for each in found if isinstance(each, exp.Expr)]


@dataclass(frozen=True)
class Writer:
    """Writes expressions over columns of known types, by a table of rules."""

    rules: Mapping[Key, Rule]
    types: Mapping[str, str]
    over: str = ""  # what follows an aggregate function: nothing, or the OVER clause of a window
    window: tuple[exp.Expr, ...] = ()  # the operands of that clause

    def __call__(self, expression: exp.Expr) -> Typed:
        if isinstance(expression, exp.Paren):
            return self(expression.this)
        rule = self.rules.get(key_of(expression))
        if rule is None:
            raise refuse(expression, "it is not among the expressions proven to mean the same")
        return rule(self, expression)

    def column(self, column: exp.Expr) -> Typed:
        kind = self.types[column.name]
        if kind != VOID:
            named(kind)
        return Typed(column.copy(), kind)

    def aggregate(self, template: str, kind: str, *parts: Typed) -> Typed:
        """A call of an aggregate or window function."""
        return Typed(written(template + self.over, *(part.sql for part in parts), window=self.window), kind)

    def all(self, call: exp.Expr, *counts: int) -> list[Typed]:
        """A function's arguments, of which there must be one of these numbers."""
        found = arguments(call)
        if counts and len(found) not in counts:
            raise refuse(call, f"it is only known with {' or '.join(map(str, counts))} arguments")
        return [self(each) for each in found]

    def common(self, parts: list[Typed], at: exp.Expr) -> str:
        """The one type that all parts are brought to."""
        found = parts[0].type
        for part in parts[1:]:
            both = wider(found, part.type)
            if both is None:
                raise refuse(at, f"{found} meets {part.type}")
            found = both
        return found


def null_of(kind: str) -> Typed:
    return Typed(written(f"CAST(NULL AS {named(kind)})"), kind)


def named(kind: str) -> str:
    found = duckdb_type(kind)
    if found is None:
        raise HeadwaterError("lane.type", type=kind)
    return found


def call(name: str, kind: str, *parts: Typed) -> Typed:
    """A function of DuckDB over parts that are already in their types."""
    places = ", ".join(f"{{{i}}}" for i in range(len(parts)))
    return Typed(written(f"{name}({places})", *(part.sql for part in parts)), kind)


def infix(operator: str, kind: str, a: Typed, b: Typed) -> Typed:
    return Typed(written(f"({{0}} {operator} {{1}})", a.sql, b.sql), kind)


def form(template: str, kind: str, *parts: Typed) -> Typed:
    return Typed(written(template, *(part.sql for part in parts)), kind)


def must(kind: str, allowed: tuple[str, ...], at: exp.Expr) -> None:
    if kind not in allowed and kind != VOID:
        raise refuse(at, f"it is not known over {kind}")
