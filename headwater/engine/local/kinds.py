"""Spark's types as the lane needs them: which belong together, which is wider, what a decimal operation gives.

Idea: Spark decides the type of every operand before it computes anything (`AnsiTypeCoercion`, `DecimalPrecision`); the
lane decides the same and then writes every operand in its type, so that DuckDB has nothing left to decide.
Invariant: a function gives None, or raises, where Spark's rule depends on more than the types given here.
"""

from __future__ import annotations

from headwater.algebra.exact_types import decimal_type

INTEGERS = ("tinyint", "smallint", "int", "bigint")
FRACTIONS = ("float", "double")
TIMES = ("date", "timestamp", "timestamp_ntz")
SIMPLE = {
    "boolean": "BOOLEAN",
    "tinyint": "TINYINT",
    "smallint": "SMALLINT",
    "int": "INTEGER",
    "bigint": "BIGINT",
    "float": "FLOAT",
    "double": "DOUBLE",
    "string": "VARCHAR",
    "binary": "BLOB",
    "date": "DATE",
    "timestamp": "TIMESTAMP",  # an instant is kept as its reading in UTC, which is the only session time zone allowed
    "timestamp_ntz": "TIMESTAMP",
}
VOID = "void"
WIDEST = 38
LEAST_SCALE = 6  # what Spark keeps of a scale that does not fit
DIGITS = {"tinyint": 3, "smallint": 5, "int": 10, "bigint": 20}  # of the decimal that holds every integer of a type

Decimal = tuple[int, int]  # precision, scale


def duckdb_type(kind: str) -> str | None:
    """The type's name in DuckDB; None for one that the lane does not hold."""
    return kind.upper() if decimal_type(kind) else SIMPLE.get(kind)


def decimal(size: Decimal) -> str:
    return f"decimal({size[0]},{size[1]})"


def is_decimal(kind: str) -> bool:
    return decimal_type(kind) is not None


def is_numeric(kind: str) -> bool:
    return kind in INTEGERS or kind in FRACTIONS or is_decimal(kind)


def as_decimal(kind: str) -> Decimal | None:
    """The decimal that a type of exact numbers is taken for."""
    return (DIGITS[kind], 0) if kind in DIGITS else decimal_type(kind)


def wider(a: str, b: str) -> str | None:
    """The type of CASE, COALESCE, IN and the like over two types; None where the lane does not follow Spark."""
    if a == b or b == VOID:
        return a
    if a == VOID:
        return b
    if a in INTEGERS and b in INTEGERS:
        return max(a, b, key=INTEGERS.index)
    if is_numeric(a) and is_numeric(b) and (a in FRACTIONS or b in FRACTIONS):
        return "double"
    left, right = as_decimal(a), as_decimal(b)
    if left and right:
        return decimal(wider_decimal(left, right))
    if {a, b} <= set(TIMES):
        return "timestamp" if "timestamp" in (a, b) else "timestamp_ntz"
    return None


def wider_decimal(a: Decimal, b: Decimal) -> Decimal:
    """The decimal that holds both; of more digits than there are, those before the point are kept."""
    scale = max(a[1], b[1])
    precision = max(a[0] - a[1], b[0] - b[1]) + scale
    return (precision, scale) if precision <= WIDEST else (WIDEST, max(0, scale - (precision - WIDEST)))


def fitted(precision: int, scale: int) -> Decimal:
    """What is left of a result type that is too wide: whole digits first, and at least six of the others."""
    if precision <= WIDEST:
        return precision, scale
    whole = precision - scale
    return WIDEST, max(WIDEST - whole, min(scale, LEAST_SCALE))


def sum_size(a: Decimal, b: Decimal) -> Decimal:
    """The exact type of a + b and a - b, before it is fitted."""
    scale = max(a[1], b[1])
    return max(a[0] - a[1], b[0] - b[1]) + scale + 1, scale


def product_size(a: Decimal, b: Decimal) -> Decimal:
    return a[0] + b[0] + 1, a[1] + b[1]


def quotient_size(a: Decimal, b: Decimal) -> Decimal:
    scale = max(LEAST_SCALE, a[1] + b[0] + 1)
    return a[0] - a[1] + b[1] + scale, scale


def remainder_size(a: Decimal, b: Decimal) -> Decimal:
    scale = max(a[1], b[1])
    return min(a[0] - a[1], b[0] - b[1]) + scale, scale
