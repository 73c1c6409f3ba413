"""Arithmetic: operands in the type that Spark computes in, results in the type that it gives.

DuckDB is told to raise on a division by zero, of doubles too (see `connection.SETTINGS`); integers and decimals that
overflow raise in both. A decimal is computed exactly in up to 38 digits and then rounded half away from zero, as Spark
does; where even 38 digits are too few on the way, DuckDB raises, and the refresh is Spark's.
Left out: functions whose last bit differs between math libraries (EXP, LN, POWER, ...): a row that is computed in one
lane must be removed in the other.
"""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from headwater.algebra.exact_types import decimal_type
from headwater.engine.local import kinds
from headwater.engine.local.casts import converted, plain
from headwater.engine.local.kinds import FRACTIONS, INTEGERS, WIDEST, Decimal, decimal, is_decimal
from headwater.engine.local.writing import Typed, Writer, call, first, form, infix, named, refuse
from headwater.engine.local.written import written

_INT_LIMIT, _LONG_LIMIT = 2**31, 2**63


# -- literals


def number(write: Writer, literal: exp.Expr) -> Typed:
    """A literal has the type that its digits need."""
    if literal.is_string:
        return text(literal.name)
    shown = literal.name.lower()
    if "e" in shown:
        return Typed(written(f"CAST('{shown}' AS DOUBLE)"), "double", fails=False)
    if "." in shown:
        whole, part = shown.split(".")
        digits = len((whole + part).lstrip("0"))
        return Typed(
            written(f"CAST('{shown}' AS DECIMAL({max(digits, len(part), 1)},{len(part)}))"),
            decimal((max(digits, len(part), 1), len(part))),
            fails=False,
        )
    return integer(int(shown), literal)


def integer(value: int, at: exp.Expr) -> Typed:
    if -_INT_LIMIT <= value < _INT_LIMIT:
        kind = "int"
    elif -_LONG_LIMIT <= value < _LONG_LIMIT:
        kind = "bigint"
    else:
        raise refuse(at, "an integer of more than 64 bits")
    return Typed(written(f"CAST({value} AS {named(kind)})"), kind, literal=value, fails=False)


def text(value: str) -> Typed:
    shown = value.replace("'", "''")
    sql = "''" if not value else f"'{shown}'"
    if "\0" in value:
        pieces = (f"'{piece}'" for piece in shown.split("\0"))
        sql = f"({' || chr(0) || '.join(pieces)})"
    return Typed(written(sql), "string", constant=value, fails=False)


def negated(write: Writer, call_: exp.Expr) -> Typed:
    inner = call_.this.unnest()
    if isinstance(inner, exp.Literal) and not inner.is_string and inner.name.isdigit() and inner is call_.this:
        return integer(-int(inner.name), call_)
    part = write(call_.this)
    if not kinds.is_numeric(part.type):
        raise refuse(call_, f"the negative of {part.type}")
    return (
        plain(form("(-{0})", part.type, part), part.type) if part.type in INTEGERS else form("(-{0})", part.type, part)
    )


# -- operators


def _operands(write: Writer, both: exp.Expr) -> tuple[Typed, Typed]:
    parts = write.all(both, 2)
    return parts[0], parts[1]


def operand_kinds(a: Typed, b: Typed, at: exp.Expr) -> tuple[str, str]:
    """What a binary operator takes its operands for: one type, or two decimals each of its own size."""
    if a.type == kinds.VOID or b.type == kinds.VOID:
        both = b.type if a.type == kinds.VOID else a.type
        return both, both
    if not (kinds.is_numeric(a.type) and kinds.is_numeric(b.type)):
        raise refuse(at, f"{a.type} meets {b.type}")
    if (is_decimal(a.type) or is_decimal(b.type)) and not {a.type, b.type} & set(FRACTIONS):
        return decimal(decimal_of(a)), decimal(decimal_of(b))
    both = kinds.wider(a.type, b.type) or ""
    return both, both


def decimal_of(part: Typed) -> Decimal:
    """The decimal that an operand is taken for: an integer literal by its digits, other integers by their type."""
    if part.literal is not None:
        return len(str(abs(part.literal))), 0
    size = kinds.as_decimal(part.type)
    assert size is not None
    return size


def _prepared(write: Writer, both: exp.Expr) -> tuple[Typed, Typed, str]:
    a, b = _operands(write, both)
    left, right = operand_kinds(a, b, both)
    if kinds.VOID in (left, right):
        raise refuse(both, "arithmetic over nothing but NULL")
    return converted(a, left, both), converted(b, right, both), left if left == right else ""


def add(write: Writer, both: exp.Expr) -> Typed:
    return _sum(write, both, "+")


def subtract(write: Writer, both: exp.Expr) -> Typed:
    return _sum(write, both, "-")


def _sum(write: Writer, both: exp.Expr, sign: str) -> Typed:
    a, b, kind = _prepared(write, both)
    if not is_decimal(a.type):
        return _same_type(sign, kind, a, b, both)
    precision, scale = kinds.sum_size(_size(a), _size(b))
    common = decimal((min(precision, WIDEST), scale))
    return _fitted(infix(sign, "", plain(a, common), plain(b, common)), precision, scale)


def multiply(write: Writer, both: exp.Expr) -> Typed:
    a, b, kind = _prepared(write, both)
    if not is_decimal(a.type):
        return _same_type("*", kind, a, b, both)
    precision, scale = kinds.product_size(_size(a), _size(b))
    if scale > WIDEST:
        raise refuse(both, f"a product of {a.type} and {b.type}, of more than {WIDEST} decimal places,")
    return _fitted(infix("*", "", a, b), precision, scale)


def _same_type(operator: str, kind: str, a: Typed, b: Typed, at: exp.Expr) -> Typed:
    if kind not in INTEGERS and kind not in FRACTIONS:
        raise refuse(at, f"arithmetic over {kind}")
    return infix(operator, kind, a, b)


def divide(write: Writer, both: exp.Expr) -> Typed:
    a, b = _operands(write, both)
    left, right = operand_kinds(a, b, both)
    if not is_decimal(left):
        return _divided("({0} / {1})", "double", converted(a, "double", both), converted(b, "double", both))
    return decimal_quotient(converted(a, left, both), converted(b, right, both), both)


def _divided(template: str, kind: str, a: Typed, b: Typed) -> Typed:
    """A quotient or remainder: Spark evaluates the divisor first, and it whatever the dividend is."""
    return first(form(template, kind, a, b), b)


def decimal_quotient(a: Typed, b: Typed, at: exp.Expr, size: Decimal | None = None) -> Typed:
    """The quotient cut off one digit late, in integers; that digit then rounds it. `size`: if not that of `/`."""
    left, right = _size(a), _size(b)
    precision, scale = size or kinds.fitted(*kinds.quotient_size(left, right))
    late = min(scale + 1, WIDEST)
    shift = late - left[1] + right[1]
    if shift < 0 or shift > WIDEST - 1:
        raise refuse(at, f"a quotient of {a.type} and {b.type}")
    dividend = f"(CAST({_unscaled(0, left[1])} AS DECIMAL(38,0)) * CAST({10**shift} AS DECIMAL(38,0)))"
    cut = f"(CAST({dividend} AS HUGEINT) // CAST({_unscaled(1, right[1])} AS HUGEINT))"
    exact = f"(CAST({cut} AS DECIMAL(38,0)) * CAST('{_place(late)}' AS DECIMAL({max(late, 1)},{late})))"
    return _divided(f"CAST({exact} AS DECIMAL({precision},{scale}))", decimal((precision, scale)), a, b)


def _unscaled(place: int, scale: int) -> str:
    """A decimal's digits as an integer."""
    return f"replace(CAST({{{place}}} AS VARCHAR), '.', '')" if scale else f"{{{place}}}"


def _place(scale: int) -> str:
    return "0." + "0" * (scale - 1) + "1" if scale else "1"


def whole_quotient(write: Writer, both: exp.Expr) -> Typed:
    a, b = _operands(write, both)
    if a.type not in INTEGERS or b.type not in INTEGERS:
        raise refuse(both, f"DIV of {a.type} and {b.type}")
    return _divided("({0} // {1})", "bigint", plain(a, "bigint"), plain(b, "bigint"))


def remainder(write: Writer, both: exp.Expr) -> Typed:
    a, b, kind = _remainder_operands(write, both)
    if kind in INTEGERS and _is_positive(both.expression):
        return form("({0} % {1})", kind, a, b, total=True)
    return _guarded(_divided("({0} % {1})", kind, a, b), kind, both)


def _is_positive(divisor: exp.Expr) -> bool:
    """True for an integer literal by which every integer has a remainder."""
    return (
        isinstance(divisor, exp.Literal) and not divisor.is_string and divisor.name.isdigit() and int(divisor.name) > 0
    )


def positive_remainder(write: Writer, both: exp.Expr) -> Typed:
    a, b, kind = _remainder_operands(write, both)
    if kind in INTEGERS:
        moved = _wrapped("(CAST({0} % {1} AS HUGEINT) + {1})", kind)
        text_ = f"CAST(CASE WHEN {{0}} % {{1}} < 0 THEN {moved} % {{1}} ELSE {{0}} % {{1}} END AS {named(kind)})"
    else:
        text_ = "CASE WHEN {0} % {1} < 0 THEN ({0} % {1} + {1}) % {1} ELSE {0} % {1} END"
    if is_decimal(kind):
        text_ = f"CAST({text_} AS {named(kind)})"
    return _divided(text_, kind, a, b)


def _wrapped(sum_: str, kind: str) -> str:
    """A sum of two negative numbers as Spark's machine word holds it."""
    bits = {"int": 32, "bigint": 64}.get(kind)
    if bits is None:
        return sum_
    return f"(CASE WHEN {sum_} < {-(2 ** (bits - 1))} THEN {sum_} + {2**bits} ELSE {sum_} END)"


def _remainder_operands(write: Writer, both: exp.Expr) -> tuple[Typed, Typed, str]:
    a, b, kind = _prepared(write, both)
    if kind and kind not in FRACTIONS and not is_decimal(kind):
        return a, b, kind
    if kind in FRACTIONS:
        return a, b, kind
    size = kinds.wider_decimal(_size(a), _size(b))
    if size[1] < max(_size(a)[1], _size(b)[1]):
        raise refuse(both, f"the remainder of {a.type} and {b.type}")
    return (
        plain(a, decimal(size)),
        plain(b, decimal(size)),
        decimal(kinds.fitted(*kinds.remainder_size(_size(a), _size(b)))),
    )


def _guarded(done: Typed, kind: str, at: exp.Expr) -> Typed:
    return plain(done, kind) if is_decimal(kind) else done


def _size(part: Typed) -> Decimal:
    return decimal_type(part.type) or (0, 0)


def _fitted(exact: Typed, precision: int, scale: int) -> Typed:
    return plain(exact, decimal(kinds.fitted(precision, scale)))


# -- bits


_BITS: dict[type[exp.Expr], str] = {
    exp.BitwiseAnd: "({0} & {1})",
    exp.BitwiseOr: "({0} | {1})",
    exp.BitwiseXor: "xor({0}, {1})",
}


def bits(write: Writer, both: exp.Expr) -> Typed:
    a, b = _operands(write, both)
    kind = write.common([a, b], both)
    if kind not in INTEGERS:
        raise refuse(both, f"bits of {kind}")
    return form(_BITS[type(both)], kind, converted(a, kind, both), converted(b, kind, both))


def inverted(write: Writer, call_: exp.Expr) -> Typed:
    part = write(call_.this)
    if part.type not in INTEGERS:
        raise refuse(call_, f"bits of {part.type}")
    return form("(~{0})", part.type, part)


# -- functions


def absolute(write: Writer, call_: exp.Expr) -> Typed:
    (part,) = write.all(call_, 1)
    if not kinds.is_numeric(part.type):
        raise refuse(call_, f"ABS of {part.type}")
    return plain(call("abs", part.type, part), part.type) if is_decimal(part.type) else call("abs", part.type, part)


def square_root(write: Writer, call_: exp.Expr) -> Typed:
    (part,) = write.all(call_, 1)
    root = "CASE WHEN {0} < 0 THEN CAST('nan' AS DOUBLE) ELSE sqrt({0}) END"
    return form(root, "double", _double(part, call_))


def sign(write: Writer, call_: exp.Expr) -> Typed:
    (part,) = write.all(call_, 1)
    one = "CAST(1 AS DOUBLE)"
    text_ = f"CASE WHEN isnan({{0}}) THEN {{0}} WHEN {{0}} > 0 THEN {one} WHEN {{0}} < 0 THEN -{one} ELSE {{0}} END"
    return form(text_, "double", _double(part, call_))


def _double(part: Typed, at: exp.Expr) -> Typed:
    if not kinds.is_numeric(part.type):
        raise refuse(at, f"a number expected, {part.type} found")
    return converted(part, "double", at)


def round_(write: Writer, call_: exp.Expr) -> Typed:
    """ROUND of exact numbers; a literal says to how many places."""
    parts = write.all(call_, 1, 2)
    places = parts[1].literal if len(parts) == 2 else 0
    kind = parts[0].type
    if places is None or places < 0:
        raise refuse(call_, "the number of places must be a literal that is not negative")
    if kind in INTEGERS:
        return replace(parts[0], literal=None)
    size = decimal_type(kind)
    if size is None:
        raise refuse(call_, f"rounding {kind}: Spark rounds its text")
    scale = min(places, size[1])
    return plain(parts[0], decimal((min(WIDEST, size[0] - size[1] + 1 + scale), scale)))


def ceiling(write: Writer, call_: exp.Expr) -> Typed:
    return _whole(write, call_, "ceil")


def floor(write: Writer, call_: exp.Expr) -> Typed:
    return _whole(write, call_, "floor")


def _whole(write: Writer, call_: exp.Expr, function: str) -> Typed:
    if call_.args.get("decimals") or call_.args.get("to"):
        raise refuse(call_, "with a number of places")
    part = write(call_.this)
    size = decimal_type(part.type)
    if size is not None:
        result = decimal((size[0] - size[1] + 1, 0)) if size[1] else part.type
        return plain(call(function, "", part), result)
    if part.type in INTEGERS:
        return plain(part, "bigint")
    if part.type not in FRACTIONS:
        raise refuse(call_, f"{function.upper()} of {part.type}")
    return form(f"CAST({function}({{0}}) AS BIGINT)", "bigint", converted(part, "double", call_))


def is_nan(write: Writer, call_: exp.Expr) -> Typed:
    (part,) = write.all(call_, 1)
    if part.type not in FRACTIONS:
        raise refuse(call_, f"ISNAN of {part.type}")
    return form("coalesce(isnan({0}), FALSE)", "boolean", part)


def nan_or(write: Writer, call_: exp.Expr) -> Typed:
    parts = write.all(call_, 2)
    if {part.type for part in parts} != {"double"}:
        raise refuse(call_, "NANVL of other types than DOUBLE")
    return form("CASE WHEN isnan({0}) THEN {1} ELSE {0} END", "double", *parts)
