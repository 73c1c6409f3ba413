"""Total expressions: those that have a value for every row, so that rows that nobody asked for do them no harm.

Idea: under ANSI rules `1 / x`, an INT sum or a cast can fail. Evaluated below a join, such an expression would meet
rows that the join drops, and fail where the query does not. An expression is total here when its type can be derived
and no operator on the way can fail for any values of the types it is given.
Limits: a short list; whatever is not on it is not total. Implicit casts are not derived: both sides have one type, or
are numbers of which at least one is a decimal.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import singledispatch

from sqlglot import exp

from headwater.algebra.exact_types import DIGITS, MAX_PRECISION, decimal_type

Types = Mapping[str, str]
FUNCTIONS = {
    "YEAR": ("date", "int"), "QUARTER": ("date", "int"), "MONTH": ("date", "int"), "DAY": ("date", "int"),
    "UPPER": ("string", "string"), "LOWER": ("string", "string"),
}  # fmt: skip


def is_total(expression: exp.Expr, types: Types) -> bool:
    return total_type(expression, types) is not None


@singledispatch
def total_type(expression: exp.Expr, types: Types) -> str | None:
    """The type of a total expression; None for any other."""
    return None


@total_type.register
def _(expression: exp.Column, types: Types) -> str | None:
    return types.get(expression.name)


@total_type.register
def _(expression: exp.Literal, types: Types) -> str | None:
    text = str(expression.this)
    if expression.is_string:
        return "string"
    whole, _, fraction = text.partition(".")
    if not (whole + fraction).isdigit():
        return None
    if fraction:
        return f"decimal({len(whole.lstrip('0') + fraction)},{len(fraction)})"
    return "int" if int(whole) < 2**31 else None


@total_type.register
def _(expression: exp.Paren, types: Types) -> str | None:
    return total_type(expression.this, types)


@total_type.register(exp.Add)
@total_type.register(exp.Sub)
@total_type.register(exp.Mul)
def _(expression: exp.Binary, types: Types) -> str | None:
    """Of decimals, as long as the result has all their digits."""
    sides = (expression.this, expression.expression)
    kinds = [total_type(side, types) for side in sides]
    if not any(kind and decimal_type(kind) for kind in kinds):
        return None
    left, right = (_as_decimal(side, kind) for side, kind in zip(sides, kinds, strict=True))
    if left is None or right is None:
        return None
    if isinstance(expression, exp.Mul):
        precision, scale = left[0] + right[0] + 1, left[1] + right[1]
    else:
        scale = max(left[1], right[1])
        precision = max(left[0] - left[1], right[0] - right[1]) + scale + 1
    return f"decimal({precision},{scale})" if precision <= MAX_PRECISION else None


def _as_decimal(side: exp.Expr, kind: str | None) -> tuple[int, int] | None:
    if kind in DIGITS:
        bare = side.unnest()
        return (len(str(bare.this)), 0) if isinstance(bare, exp.Literal) else (DIGITS[kind], 0)
    return decimal_type(kind) if kind else None


@total_type.register
def _(expression: exp.Cast, types: Types) -> str | None:
    """Of integers to decimals that hold them."""
    kind = total_type(expression.this, types)
    wanted = expression.to.sql(dialect="spark").lower().replace(" ", "")
    decimal = decimal_type(wanted)
    room = {"bigint": 19}.get(kind or "", DIGITS.get(kind or "", MAX_PRECISION + 1))
    return wanted if decimal and decimal[0] - decimal[1] >= room else None


@total_type.register(exp.EQ)
@total_type.register(exp.NEQ)
@total_type.register(exp.GT)
@total_type.register(exp.GTE)
@total_type.register(exp.LT)
@total_type.register(exp.LTE)
@total_type.register(exp.NullSafeEQ)
def _(expression: exp.Binary, types: Types) -> str | None:
    kinds = {total_type(side, types) for side in (expression.this, expression.expression)}
    return "boolean" if len(kinds) == 1 and None not in kinds else None


@total_type.register(exp.And)
@total_type.register(exp.Or)
def _(expression: exp.Binary, types: Types) -> str | None:
    return _boolean(types, expression.this, expression.expression)


@total_type.register
def _(expression: exp.Not, types: Types) -> str | None:
    return _boolean(types, expression.this)


@total_type.register
def _(expression: exp.Is, types: Types) -> str | None:
    return "boolean" if isinstance(expression.expression, exp.Null) and is_total(expression.this, types) else None


@total_type.register
def _(expression: exp.Boolean, types: Types) -> str | None:
    return "boolean"


@total_type.register
def _(expression: exp.In, types: Types) -> str | None:
    if set(expression.args) - {"this", "expressions"} or not expression.expressions:
        return None
    return "boolean" if _common(types, expression.this, *expression.expressions) else None


@total_type.register
def _(expression: exp.Case, types: Types) -> str | None:
    if expression.this is not None:
        return None
    branches = expression.args["ifs"]
    if _boolean(types, *(branch.this for branch in branches)) is None:
        return None
    otherwise = expression.args.get("default")
    values = [*(branch.args["true"] for branch in branches), *([otherwise] if otherwise is not None else [])]
    return _common(types, *values)


@total_type.register
def _(expression: exp.Anonymous, types: Types) -> str | None:
    """A function by its name in Spark."""
    name, arguments = expression.name.upper(), expression.expressions
    if name == "COALESCE":
        return _common(types, *arguments)
    kinds = [total_type(argument, types) for argument in arguments]
    return FUNCTIONS[name][1] if name in FUNCTIONS and kinds == [FUNCTIONS[name][0]] else None


@total_type.register
def _(expression: exp.Extract, types: Types) -> str | None:
    field = expression.this.name.upper()
    return FUNCTIONS[field][1] if field in FUNCTIONS and total_type(expression.expression, types) == "date" else None


def _boolean(types: Types, *parts: exp.Expr) -> str | None:
    return "boolean" if all(total_type(part, types) == "boolean" for part in parts) else None


def _common(types: Types, *values: exp.Expr) -> str | None:
    """The one type of all values, NULL aside."""
    kinds = {total_type(value, types) for value in values if not isinstance(value.unnest(), exp.Null)}
    return kinds.pop() if len(kinds) == 1 else None
