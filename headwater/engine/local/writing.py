"""Writes one expression of a plan for DuckDB: the walk, and what rules may ask for.

Idea: a rule is found by the expression's class or, for a function, by its name; it writes its operands first, each with
the type that Spark gives it, and then itself. Rules are in the files beside; `parity` lists them.
Invariant: what has no rule, or whose operands' types the rule does not know, raises `lane.expression` naming its SQL.

DuckDB leaves an operand out where the result is known without it: beside a NULL (of a literal, or of all rows at hand),
in AND and OR beside what statistics decide, under IS NULL and COUNT where they exclude a NULL. Spark may evaluate that
operand and raise an error. So each part knows whether it can fail, and what can is evaluated first (`first`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

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
    fails: bool = True  # for some rows it may raise an error; False only where that is known
    null: bool = False  # it has a NULL in its text: DuckDB may know its value before it reads a row


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
        return Typed(column.copy(), kind, fails=False)

    def aggregate(self, template: str, kind: str, *parts: Typed, total: bool = False) -> Typed:
        """A call of an aggregate or window function."""
        made = written(template + self.over, *(part.sql for part in parts), window=self.window)
        return Typed(made, kind, fails=not total)

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
    return Typed(written(f"CAST(NULL AS {named(kind)})"), kind, fails=False, null=True)


def named(kind: str) -> str:
    found = duckdb_type(kind)
    if found is None:
        raise HeadwaterError("lane.type", type=kind)
    return found


def call(name: str, kind: str, *parts: Typed, total: bool = False) -> Typed:
    """A function of DuckDB over parts that are already in their types; a total one has a value for all of theirs."""
    places = ", ".join(f"{{{i}}}" for i in range(len(parts)))
    return form(f"{name}({places})", kind, *parts, total=total)


def infix(operator: str, kind: str, a: Typed, b: Typed, total: bool = False) -> Typed:
    return form(f"({{0}} {operator} {{1}})", kind, a, b, total=total)


def form(template: str, kind: str, *parts: Typed, total: bool = False) -> Typed:
    made = Typed(written(template, *(part.sql for part in parts)), kind)
    null = any(part.null for part in parts)
    made = replace(made, fails=not total or any(part.fails for part in parts), null=null)
    return first(made, *parts) if null and len(parts) > 1 else made


def first(made: Typed, *parts: Typed) -> Typed:
    """The expression after those of its parts that can fail; DuckDB knows nothing of a hash, and so computes it."""
    failing = [part.sql for part in parts if part.fails]
    if not failing:
        return made
    places = ", ".join(f"{{{i + 1}}}" for i in range(len(failing)))
    text_ = f"CASE WHEN hash({places}) IS NULL THEN NULL ELSE {{0}} END"
    return replace(made, sql=written(text_, made.sql, *failing), fails=True)


def must(kind: str, allowed: tuple[str, ...], at: exp.Expr) -> None:
    if kind not in allowed and kind != VOID:
        raise refuse(at, f"it is not known over {kind}")
