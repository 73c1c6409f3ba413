"""Types in which sums are exact, and what Spark makes of them: the arithmetic that a rewrite may rearrange.

Idea: integers and decimals add up to the same number in any order; doubles do not. A type is named as Spark's
`simpleString` writes it.
Limits: Spark gives a product or quotient at most 38 digits and then cuts its scale to no less than `KEPT_SCALE`.
"""

from __future__ import annotations

import re

INTEGERS = ("tinyint", "smallint", "int")
NUMBERS = (*INTEGERS, "bigint", "float", "double")
MAX_PRECISION = 38
KEPT_SCALE = 6  # Spark's DecimalType.MINIMUM_ADJUSTED_SCALE
LONG = "decimal(19,0)"  # holds every BIGINT
COUNT_DIVISOR = "decimal(20,0)"  # what Spark's AVG of decimals divides by
# Digits that a quotient keeps beyond the result's scale. Rounding twice can differ from rounding once only in groups of
# more than 10**digits / 2 rows, since a quotient by n cannot come nearer to a tie than 1 / (2 n) of its last place.
AVERAGE_GUARD_DIGITS = 9
_DECIMAL = re.compile(r"decimal\((\d+),(\d+)\)")
DIGITS = {"tinyint": 3, "smallint": 5, "int": 10, "bigint": 20}  # of the decimal that an integer is taken for
# The other types than numbers that a type meets without losing a difference: its values are not cast, or to what holds
# them all. A date that becomes a timestamp, or a local time an instant, may fall on another where clocks are changed.
_WIDENED = {
    "date": ("timestamp_ntz", "string"),
    "timestamp": ("date", "timestamp_ntz", "string"),
    "timestamp_ntz": ("date", "string"),
    "boolean": ("string",),
    "binary": ("string",),
}
# Types whose equal values are the same value: grouping by them loses nothing. Doubles (-0.0) and collated strings do.
_IDENTIFIED = (*INTEGERS, "bigint", "date", "timestamp", "timestamp_ntz", "boolean", "string", "binary")


def decimal_type(kind: str) -> tuple[int, int] | None:
    """Precision and scale of a decimal type; None for any other."""
    found = _DECIMAL.fullmatch(kind)
    return (int(found[1]), int(found[2])) if found else None


def is_identified(kind: str) -> bool:
    """True when two values that are grouped together cannot be told apart by any expression."""
    return kind in _IDENTIFIED or decimal_type(kind) is not None


def keeps_apart(kind: str, other: str) -> bool:
    """True when values of a type that differ also differ in an equality with a value of the other type.

    Spark compares in a common type. A STRING that meets a number becomes one, and '1' and '01' are then equal; a BIGINT
    that meets a DOUBLE may be rounded; a number that meets a STRING stays what it is. Within one type equality is that
    of groups, for doubles and collated strings, too. What is not listed is taken for merged.
    """
    if not kind or kind == other:
        return bool(kind)
    number, one = other in NUMBERS or decimal_type(other) is not None, decimal_type(kind)
    if one is not None:
        return (other in (*INTEGERS, "bigint") or decimal_type(other) is not None) and _keeps_scale(one, other)
    if kind in (*INTEGERS, "float", "double"):
        return number or other == "string"
    if kind == "bigint":
        return other == "string" or (number and other not in ("float", "double"))
    return other in _WIDENED.get(kind, ())


def _keeps_scale(one: tuple[int, int], other: str) -> bool:
    """Two decimals are compared in one that keeps their digits before the point, and of those after it what is left."""
    precision, scale = decimal_type(other) or (DIGITS[other], 0)
    return max(one[0] - one[1], precision - scale) + one[1] <= MAX_PRECISION


def is_summed_exactly(kind: str) -> bool:
    return kind in (*INTEGERS, "bigint") or decimal_type(kind) is not None


def sum_type(kind: str) -> str:
    """The type of Spark's SUM over an exact type."""
    decimal = decimal_type(kind)
    return f"decimal({min(MAX_PRECISION, decimal[0] + 10)},{decimal[1]})" if decimal else "bigint"


def multiplies_exactly(kind: str) -> bool:
    """True when the product with a LONG keeps every digit after the point."""
    return (decimal_type(kind) or (0, 0))[1] <= KEPT_SCALE


def product_type(kind: str) -> str:
    """A type for the product of an exact type with a LONG: as many digits as there are."""
    return f"decimal({MAX_PRECISION},{(decimal_type(kind) or (0, 0))[1]})"


def averages_exactly(total: str, result: str) -> bool:
    """True when a total divided by its count, rounded to the result's type, is the AVG that Spark gives."""
    decimal = decimal_type(result)
    return decimal is None or _quotient_scale(total) >= decimal[1] + AVERAGE_GUARD_DIGITS


def _quotient_scale(total: str) -> int:
    """The scale Spark gives a decimal divided by a COUNT_DIVISOR."""
    precision, scale = decimal_type(total) or (0, 0)
    wanted = max(6, scale + 21)
    whole = precision - scale
    return wanted if whole + wanted <= MAX_PRECISION else max(MAX_PRECISION - whole, min(wanted, KEPT_SCALE))
