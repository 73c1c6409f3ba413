"""Aggregate calls in two steps: the parts that are added up over groups of rows, and again over those groups.

    COUNT(*)    the sum of the rows             SUM(x)     the sum of the sums
    COUNT(x)    the sum of the numbers of x     AVG(x)     the sum of the sums by the sum of the numbers
    MIN, MAX    that of those

Idea: a group of rows stands for as many as it has, and meets the groups of other relations; so a part of the one is
multiplied by the numbers of rows of the others, and a value of no group by all of them.
Invariant: the result, its type and its NULLs are those of the call over the rows themselves. A BIGINT is added up
in decimals, so that no part overflows where the total does not; a decimal in the type of Spark's own partial sums.
Limits: what is None here cannot be exact (doubles, some long decimals) or is not made of parts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlglot import exp

from headwater.algebra.exact_types import (
    COUNT_DIVISOR,
    LONG,
    averages_exactly,
    decimal_type,
    is_identified,
    is_summed_exactly,
    multiplies_exactly,
    product_type,
    sum_type,
)
from headwater.algebra.expressions import cast, column, is_atom
from headwater.algebra.nodes import Output

ROWS, NUMBER, TRUE, SUM, LEAST, GREATEST = "rows", "number", "true", "sum", "least", "greatest"
EXTREMES = (LEAST, GREATEST)
_FUNCTIONS: Mapping[str, type[exp.Func]] = {
    NUMBER: exp.Count, TRUE: exp.CountIf, SUM: exp.Sum, LEAST: exp.Min, GREATEST: exp.Max,
}  # fmt: skip
_CALLS: Mapping[type[exp.Expr], tuple[str, ...]] = {
    exp.Count: (NUMBER,), exp.CountIf: (TRUE,), exp.Sum: (SUM,), exp.Avg: (SUM, NUMBER), exp.Min: (LEAST,),
    exp.Max: (GREATEST,),
}  # fmt: skip

Typed = tuple[exp.Expr, str]


@dataclass(frozen=True)
class Part:
    """What is added up of a value; of the rows themselves when there is none."""

    kind: str
    value: exp.Expr | None = None
    value_type: str = "bigint"

    @property
    def type(self) -> str:
        """The type of the part over a group."""
        return {SUM: sum_type(self.value_type), LEAST: self.value_type, GREATEST: self.value_type}.get(
            self.kind, "bigint"
        )

    def over(self, name: str) -> exp.Expr:
        """The part of the rows of a group, whose value stands in a column."""
        return _FUNCTIONS[self.kind](this=column(name))

    def over_groups(self, name: str, kind: str) -> Output:
        """The part of groups, whose terms stand in a column."""
        if self.kind in EXTREMES:
            return Output(name, self.over(name), kind)
        return Output(name, exp.Sum(this=column(name)), sum_type(kind))

    def term(self, kept: str | None, others: Sequence[str]) -> Typed | None:
        """What a row of groups adds: from the column that keeps the part, and the other groups' numbers of rows."""
        if kept is not None:
            if self.kind in EXTREMES:
                return column(kept), self.type
            return (
                _times((column(kept), self.type), others) if self.kind == SUM else (_product([kept, *others]), "bigint")
            )
        if self.kind == ROWS or self.value is None:
            return _product(others), "bigint"
        if self.kind in EXTREMES:
            return self.value, self.value_type
        if self.kind == SUM:
            return _times((self.value, self.value_type), others)
        known = exp.Not(this=exp.Is(this=_whole(self.value), expression=exp.Null()))
        counts = known if self.kind == NUMBER else self.value.copy()
        return exp.If(this=counts, true=_product(others), false=zero()), "bigint"


def is_of_a_set(call: exp.Expr) -> bool:
    """True for a call that repeated rows do not change, and that no part gives: over DISTINCT, or of a constant."""
    constant = isinstance(call, exp.Min | exp.Max) and isinstance(call.this, exp.Literal)
    return (isinstance(call.this, exp.Distinct) or constant) and not call.args.get("expressions")


def split(call: Output, value: exp.Expr | None, kind: str) -> tuple[Part, ...] | None:
    """The parts of a call that reads a value of a type; None when it has none that are exact."""
    function = call.expression
    if isinstance(function, exp.Count) and isinstance(function.this, exp.Star | exp.Literal):
        return None if function.args.get("expressions") else (Part(ROWS),)
    kinds = _CALLS.get(type(function))
    if kinds is None or value is None or function.args.get("expressions"):
        return None
    if SUM in kinds and not is_summed_exactly(kind):
        return None
    if kinds[0] in EXTREMES and not is_identified(kind):
        return None
    if isinstance(function, exp.Avg) and not averages_exactly(sum_type(kind), call.type):
        return None
    wide = SUM in kinds and kind == "bigint"
    return tuple(Part(k, cast(value, LONG), LONG) if wide and k == SUM else Part(k, value, kind) for k in kinds)


def united(call: Output, parts: Sequence[Part], totals: Sequence[str], is_global: bool) -> exp.Expr:
    """The call's result from the columns that hold its parts over all groups."""
    total = column(totals[0])
    if isinstance(call.expression, exp.Avg):
        return _average(parts[0], total, column(totals[1]), call.type)
    if parts[0].kind == SUM:
        return cast(total, call.type)
    if parts[0].kind in EXTREMES or not is_global:
        return total
    return exp.Coalesce(this=total, expressions=[zero()])


def zero() -> exp.Expr:
    return cast(exp.Literal.number(0), "bigint")


def _average(part: Part, total: exp.Expr, number: exp.Expr, kind: str) -> exp.Expr:
    decimal = decimal_type(kind) is not None
    whole = cast(total, sum_type(part.value_type) if decimal else "double")
    quotient = exp.Div(this=whole, expression=cast(number, COUNT_DIVISOR if decimal else "double"))
    none = exp.EQ(this=number.copy(), expression=zero())
    return exp.If(this=none, true=exp.Null(), false=cast(quotient, kind) if decimal else quotient)


def _times(value: Typed, rows: Sequence[str]) -> Typed | None:
    """The value once for each of the rows that it meets; None when digits would be lost."""
    if not rows:
        return value
    expression, kind = value
    if not multiplies_exactly(kind):
        return None
    factor = expression if decimal_type(kind) else cast(expression, LONG)
    product = exp.Mul(this=_whole(factor), expression=cast(_product(rows), LONG))
    return cast(product, product_type(kind)), product_type(kind)


def _product(rows: Sequence[str]) -> exp.Expr:
    product: exp.Expr = column(rows[0])
    for name in rows[1:]:
        product = exp.Mul(this=product, expression=column(name))
    return product


def _whole(expression: exp.Expr) -> exp.Expr:
    return expression.copy() if is_atom(expression) else exp.Paren(this=expression.copy())
