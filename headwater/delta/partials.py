"""Aggregates that add up: what is kept per group so that a change is merged by addition alone.

Idea: a linear aggregate is a function of a few sums over its group (the partials). The partials of a change, added to
those of the past, are those of the present; inserts and deletes differ only in their weight.
Invariant: exact arithmetic only. Integers are summed in decimal(38,0) where 64 bits could overflow on the way,
decimals in the type Spark gives their sum. Sums of doubles are not exact under retraction, so they are not linear here.
Complexity: O(rows of the change); the past is read for the touched groups only.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from headwater.algebra.exact_types import (
    COUNT_DIVISOR,
    INTEGERS,
    MAX_PRECISION,
    averages_exactly,
    decimal_type,
    sum_type,
)
from headwater.algebra.expressions import cast, column
from headwater.algebra.nodes import Aggregate, Node, Output, Window
from headwater.delta.signed import integer, weight

COUNT = "_hw_count"
_WEIGHT_DIGITS = 10  # a weight is taken to fit decimal(10,0) when it multiplies a decimal


@dataclass(frozen=True)
class Partial:
    """One kept sum: its column, its type, and what is summed for a row (before the weight)."""

    name: str
    type: str
    value: exp.Expr | None  # None: the weight itself
    only_if: exp.Expr | None = None  # the row counts only where this holds

    def over(self, weighted: bool) -> Output:
        """The sum over a signed bag, or over a plain one."""
        return Output(
            self.name,
            cast(exp.Coalesce(this=exp.Sum(this=self._term(weighted)), expressions=[_zero(self.type)]), self.type),
            self.type,
        )

    def _term(self, weighted: bool) -> exp.Expr:
        term = self._weighted_value() if weighted else (integer(1) if self.value is None else self.value.copy())
        if self.only_if is None:
            return term
        return exp.If(this=self.only_if.copy(), true=term, false=_zero(self.type))

    def _weighted_value(self) -> exp.Expr:
        if self.value is None:
            return weight()
        decimal = decimal_type(self.type)
        if decimal is None:
            return exp.Mul(this=cast(self.value.copy(), "bigint"), expression=weight())
        if needs_unit_weights(self):
            negative = exp.Neg(this=exp.Paren(this=self.value.copy()))
            return exp.If(this=exp.GT(this=weight(), expression=integer(0)), true=self.value.copy(), false=negative)
        factor = cast(weight(), f"decimal({_WEIGHT_DIGITS},0)")
        return exp.Mul(this=exp.Paren(this=self.value.copy()), expression=factor)


@dataclass(frozen=True)
class Recipe:
    """An aggregate node by partials: what is kept, and each call's result from it."""

    partials: tuple[Partial, ...]
    results: tuple[Output, ...]  # over partial columns

    @property
    def unit_weights(self) -> bool:
        """True when rows must be repeated instead of multiplied (their decimals leave no room for a factor)."""
        return any(needs_unit_weights(partial) for partial in self.partials)


def needs_unit_weights(partial: Partial) -> bool:
    decimal = decimal_type(partial.type)
    return decimal is not None and decimal[0] > MAX_PRECISION - _WEIGHT_DIGITS - 1


def recipe(node: Aggregate) -> Recipe | None:
    """How to maintain the node by addition; None when some call does not add up."""
    partials: dict[str, Partial] = {COUNT: Partial(COUNT, "bigint", None)}
    results = []
    for call in node.calls:
        made = _call(node, call)
        if made is None:
            return None
        needed, result = made
        partials |= {partial.name: partial for partial in needed}
        results.append(Output(call.name, result, call.type))
    return Recipe(tuple(partials.values()), tuple(results))


def _call(node: Aggregate, call: Output) -> tuple[list[Partial], exp.Expr] | None:
    function = call.expression
    if (
        isinstance(function, exp.Count)
        and isinstance(function.this, exp.Star | exp.Literal)
        and not function.expressions
    ):
        return [], column(COUNT)
    argument = function.this
    if not isinstance(argument, exp.Column) or function.args.get("expressions"):
        return None
    kind = node.child.type_of(argument.name)
    present = Partial(f"{argument.name}$n", "bigint", None, exp.Not(this=exp.Is(this=argument, expression=exp.Null())))
    if isinstance(function, exp.Count):
        return [present], column(present.name)
    if isinstance(function, exp.CountIf):
        counted = Partial(
            f"{argument.name}$true", "bigint", None, exp.Coalesce(this=argument, expressions=[exp.false()])
        )
        return [counted], column(counted.name)
    if isinstance(function, (exp.Sum, exp.Avg)):
        total = _total(argument, kind)
        result = total and (
            _sum(total, call.type) if isinstance(function, exp.Sum) else _average(total, present, call.type)
        )
        return ([present, total], _null_if_empty(present, result)) if total and result else None
    return None


def _total(argument: exp.Column, kind: str) -> Partial | None:
    """The kept sum of a column, in a type that cannot round."""
    some = exp.Not(this=exp.Is(this=argument.copy(), expression=exp.Null()))
    name = f"{argument.name}$sum"
    if kind in INTEGERS:
        return Partial(name, "bigint", argument, some)
    if kind == "bigint":
        return Partial(name, "decimal(38,0)", cast(argument.copy(), "decimal(38,0)"), some)
    if decimal_type(kind) is None:
        return None
    return Partial(name, sum_type(kind), argument, some)


def _sum(total: Partial, result_type: str) -> exp.Expr:
    return cast(column(total.name), result_type)


def _average(total: Partial, present: Partial, result_type: str) -> exp.Expr | None:
    decimal = decimal_type(result_type)
    if decimal is None:
        as_double = cast(column(total.name), "double")
        return exp.Div(this=as_double, expression=cast(column(present.name), "double"))
    if not averages_exactly(total.type, result_type):
        return None
    quotient = exp.Div(this=column(total.name), expression=cast(column(present.name), COUNT_DIVISOR))
    return cast(quotient, result_type)


def _null_if_empty(present: Partial, result: exp.Expr) -> exp.Expr:
    none = exp.EQ(this=column(present.name), expression=integer(0))
    return exp.If(this=none, true=exp.Null(), false=result)


def _zero(kind: str) -> exp.Expr:
    return cast(exp.Literal.number(0), kind)


_ROUNDED = (exp.Stddev, exp.StddevSamp, exp.StddevPop, exp.Variance, exp.VariancePop)
_ROUNDED_NAMES = frozenset(
    [
        "corr",
        "covar_pop",
        "covar_samp",
        "kurtosis",
        "skewness",
        "regr_avgx",
        "regr_avgy",
        "regr_intercept",
        "regr_r2",
        "regr_slope",
        "regr_sxx",
        "regr_sxy",
        "regr_syy",
        "std",
        "histogram_numeric",
        "approx_percentile",
        "percentile_approx",
        "approx_top_k",
    ]
)
_SUMS_NAMES = frozenset(("try_sum", "try_avg", "mean"))


def is_exact(node: Node) -> bool:
    """False where doubles are added up: the last bits depend on the order of the rows."""
    if not isinstance(node, (Aggregate, Window)):
        return True
    return not any(_adds_doubles(node, call.expression) for call in node.calls)


def _adds_doubles(node: Aggregate | Window, call: exp.Expr) -> bool:
    kinds = {node.child.type_of(each.name) for each in call.find_all(exp.Column)}
    doubles = any("float" in kind or "double" in kind for kind in kinds)
    for function in call.find_all(exp.Func):
        name = function.name.lower() if isinstance(function, exp.Anonymous) else ""
        if isinstance(function, (*_ROUNDED, exp.AnonymousAggFunc)) or name in _ROUNDED_NAMES:
            return True
        if doubles and (isinstance(function, (exp.Sum, exp.Avg)) or name in _SUMS_NAMES):
            return True
    return False


def is_linear(node: Node) -> bool:
    return isinstance(node, Aggregate) and recipe(node) is not None
