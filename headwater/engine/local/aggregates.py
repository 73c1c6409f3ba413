"""Aggregate functions: sums in the type that Spark sums in, averages as Spark divides them.

A sum or average of doubles depends on the order of the rows in either engine; such aggregates are computed from all
rows of a touched group, and what leaves the view is read from where it is stored.
Left out: FIRST, LAST and other aggregates that depend on an order nobody gave; percentiles, modes, collections.
"""

from __future__ import annotations

from sqlglot import exp

from headwater.algebra.exact_types import decimal_type
from headwater.engine.local import kinds
from headwater.engine.local.arithmetic import decimal_quotient
from headwater.engine.local.casts import converted, plain
from headwater.engine.local.kinds import FRACTIONS, INTEGERS, WIDEST, decimal
from headwater.engine.local.writing import Typed, Writer, first, form, refuse

SUM_DIGITS = 10  # that Spark adds to a decimal's precision when it sums
AVERAGE_DIGITS = 4  # and to precision and scale of an average


def _argument(write: Writer, at: exp.Expr) -> tuple[Typed, str]:
    """What is aggregated, and DISTINCT where each value counts once."""
    if at.args.get("expressions") or at.args.get("ignore_nulls"):
        raise refuse(at, "with these arguments")
    inner = at.this
    if not isinstance(inner, exp.Distinct):
        return write(inner), ""
    if len(inner.expressions) != 1 or inner.args.get("on"):
        raise refuse(at, "DISTINCT over several columns")
    return same_zero(write(inner.expressions[0])), "DISTINCT "


def same_zero(part: Typed) -> Typed:
    """A fraction whose zeros are one value: Spark makes them so before it groups."""
    if part.type not in FRACTIONS:
        return part
    return form(
        "CASE WHEN {0} = 0 THEN CAST(0 AS DOUBLE) ELSE {0} END".replace("DOUBLE", part.type.upper()), part.type, part
    )


def count(write: Writer, at: exp.Expr) -> Typed:
    if isinstance(at.this, exp.Star) or (isinstance(at.this, exp.Literal) and not at.args.get("expressions")):
        return write.aggregate("count(*)", "bigint", total=True)
    part, distinct = _argument(write, at)
    return write.aggregate(f"count({distinct}{{0}})", "bigint", first(part, part), total=True)


def count_if(write: Writer, at: exp.Expr) -> Typed:
    part, distinct = _argument(write, at)
    if part.type != "boolean" or distinct:
        raise refuse(at, f"COUNT_IF of {part.type}")
    return write.aggregate("count(CASE WHEN {0} THEN 1 END)", "bigint", part)


def sum_(write: Writer, at: exp.Expr) -> Typed:
    part, distinct = _argument(write, at)
    total = write.aggregate(f"sum({distinct}{{0}})", "", part)
    if part.type in INTEGERS:
        return plain(total, "bigint")
    if part.type in FRACTIONS:
        return plain(write.aggregate(f"sum({distinct}CAST({{0}} AS DOUBLE))", "", part), "double")
    return plain(total, decimal(_sum_size(part, at)))


def _sum_size(part: Typed, at: exp.Expr) -> kinds.Decimal:
    size = decimal_type(part.type)
    if size is None:
        raise refuse(at, f"a sum of {part.type}")
    return min(WIDEST, size[0] + SUM_DIGITS), size[1]


def average(write: Writer, at: exp.Expr) -> Typed:
    part, distinct = _argument(write, at)
    if kinds.is_decimal(part.type):
        return _decimal_average(write, part, distinct, at)
    if part.type not in (*INTEGERS, *FRACTIONS):
        raise refuse(at, f"an average of {part.type}")
    as_double = converted(part, "double", at)
    total = write.aggregate(f"sum({distinct}{{0}})", "double", as_double)
    return form("({0} / {1})", "double", total, _rows(write, as_double, distinct, "double"))


def _rows(write: Writer, part: Typed, distinct: str, kind: str) -> Typed:
    """How many values there are; NULL where there are none, so that nothing is divided by zero."""
    rows = write.aggregate(f"count({distinct}{{0}})", "bigint", part, total=True)
    return plain(form("nullif({0}, 0)", "bigint", rows, total=True), kind)


def _decimal_average(write: Writer, part: Typed, distinct: str, at: exp.Expr) -> Typed:
    size = decimal_type(part.type) or (0, 0)
    total = plain(write.aggregate(f"sum({distinct}{{0}})", "", part), decimal(_sum_size(part, at)))
    rows = _rows(write, part, distinct, "decimal(20,0)")
    result = (min(WIDEST, size[0] + AVERAGE_DIGITS), min(WIDEST, size[1] + AVERAGE_DIGITS))
    return decimal_quotient(total, rows, at, result)


_SPREADS: dict[type[exp.Expr] | str, str] = {
    exp.Stddev: "stddev_samp",
    exp.StddevSamp: "stddev_samp",
    exp.StddevPop: "stddev_pop",
    exp.Variance: "var_samp",
    exp.VariancePop: "var_pop",
}


def spread(write: Writer, at: exp.Expr) -> Typed:
    part, distinct = _argument(write, at)
    if not kinds.is_numeric(part.type) or distinct:
        raise refuse(at, f"of {part.type}")
    return write.aggregate(f"{_SPREADS[type(at)]}({{0}})", "double", converted(part, "double", at))


def extreme(write: Writer, at: exp.Expr) -> Typed:
    part, _ = _argument(write, at)
    if part.type == kinds.VOID or part.type == "binary":
        raise refuse(at, f"of {part.type}")
    return write.aggregate("max({0})" if isinstance(at, exp.Max) else "min({0})", part.type, part)


def every(write: Writer, at: exp.Expr) -> Typed:
    (part,) = write.all(at, 1)
    if part.type != "boolean":
        raise refuse(at, f"of {part.type}")
    return write.aggregate("bool_or({0})" if at.name.lower() == "bool_or" else "bool_and({0})", "boolean", part)


def filtered(write: Writer, at: exp.Expr) -> Typed:
    """An aggregate over the rows for which a condition holds."""
    if not isinstance(at.expression, exp.Where):
        raise refuse(at, "this FILTER")
    condition = write(at.expression.this)
    chosen = at.this.copy()
    inner = chosen.this
    if isinstance(at.this, exp.Count) and isinstance(inner, (exp.Star, exp.Literal)):
        return write.aggregate("count(CASE WHEN {0} THEN 1 END)", "bigint", condition)
    value = inner.expressions[0] if isinstance(inner, exp.Distinct) else inner
    only = exp.If(this=at.expression.this.copy(), true=value.copy(), false=exp.Null())
    if isinstance(inner, exp.Distinct):
        inner.set("expressions", [only])
    else:
        chosen.set("this", only)
    return write(chosen)
