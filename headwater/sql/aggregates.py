"""Aggregate calls in a select list: which parts they are, and what they give over no rows at all.

Idea: a call is the function with all that belongs to it (FILTER, WITHIN GROUP, IGNORE NULLS). Its arguments are
computed below the aggregate, so that the call itself only names columns and constants.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from headwater.algebra.expressions import cast
from headwater.sql.functions import AGGREGATES
from headwater.sql.parse import function_name

BELONGS = (exp.Filter, exp.WithinGroup, exp.IgnoreNulls, exp.RespectNulls)
STRUCTURE = (*BELONGS, exp.Distinct, exp.Where, exp.Order, exp.Ordered)
IGNORING_NULLS = (
    exp.Count, exp.Sum, exp.Avg, exp.Min, exp.Max, exp.CountIf,
    exp.Stddev, exp.StddevSamp, exp.StddevPop, exp.Variance, exp.VariancePop,
)  # fmt: skip
COUNTS = frozenset(("count", "count_if", "approx_count_distinct", "regr_count"))
SORTED = ("sort_array", "array_sort")
COLLECTIONS = frozenset(("collect_list", "collect_set", "array_agg"))


def is_aggregate(function: exp.Expr) -> bool:
    if not isinstance(function, exp.Func) or isinstance(function, (exp.And, exp.Or)):
        return False
    return isinstance(function, exp.AggFunc) or function_name(function) in AGGREGATES


def aggregate_calls(expressions: list[exp.Expr]) -> list[exp.Expr]:
    """The different aggregate calls inside the expressions, in order of appearance; not those of inner queries."""
    found: dict[exp.Expr, None] = {}
    for expression in expressions:
        query = expression.find_ancestor(exp.Query)
        for function in expression.find_all(exp.Func, bfs=False):
            if not is_aggregate(function) or function.find_ancestor(exp.Query) is not query:
                continue
            if not is_windowed(function):
                found[whole_call(function)] = None
    return list(found)


def is_windowed(function: exp.Expr) -> bool:
    """True for the function of a window call."""
    call = whole_call(function)
    return isinstance(call.parent, exp.Window) and call.arg_key == "this"


def whole_call(function: exp.Expr) -> exp.Expr:
    """The function with the clauses that belong to it, and the sorting of what it collects."""
    while isinstance(function.parent, BELONGS) and function.arg_key == "this":
        function = function.parent
    parent = function.parent
    return parent if parent is not None and is_sorting(parent) and parent.expressions[0] is function else function


def is_sorting(part: exp.Expr) -> bool:
    """SORT_ARRAY over a collection: part of the call, since without it a group has no row that comes out again."""
    if not isinstance(part, exp.Anonymous) or function_name(part) not in SORTED:
        return False
    made, *rest = part.expressions
    while isinstance(made, BELONGS):
        made = made.this
    is_plain = all(isinstance(each, (exp.Boolean, exp.Literal)) for each in rest)
    return is_plain and isinstance(made, exp.Func) and function_name(made) in COLLECTIONS


def over_columns(call: exp.Expr, computed: Callable[[exp.Expr, str], str]) -> exp.Expr:
    """The call over plan columns: every argument that reads a column is computed below and named here."""
    made = filtered(call.copy())

    def visit(part: exp.Expr) -> exp.Expr:
        if isinstance(part, exp.Star) or part.find(exp.Column, exp.Query) is None:
            return part
        if isinstance(part, STRUCTURE) or is_aggregate(part) or is_sorting(part):
            return part
        return exp.Column(this=exp.to_identifier(computed(part, "arg"), quoted=True))

    return made.transform(visit)


def filtered(call: exp.Expr) -> exp.Expr:
    """FILTER as a condition inside the argument, where the function passes over NULLs."""
    if not (isinstance(call, exp.Filter) and isinstance(call.this, IGNORING_NULLS)):
        return call
    condition, function = call.expression.this, call.this
    several = isinstance(function.this, exp.Distinct) or function.args.get("expressions")
    if several:
        return call
    counted = exp.Literal.number(1) if isinstance(function.this, (exp.Star, exp.Literal)) else function.this.copy()
    made = function.copy()
    made.set("this", exp.If(this=condition.copy(), true=counted, false=exp.Null()))
    return made


def over_nothing(call: exp.Expr) -> exp.Expr:
    """What the call gives over no rows."""
    function = call.expressions[0] if is_sorting(call) else call
    while isinstance(function, BELONGS):
        function = function.this
    name = function_name(function)
    if name in COUNTS:
        return cast(exp.Literal.number(0), "bigint")
    return exp.Array(expressions=[]) if name in COLLECTIONS else exp.Null()
