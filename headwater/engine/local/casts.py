"""Casts, explicit and implied: every pair of types that means the same, with Spark's rules where DuckDB's differ.

DuckDB rounds where Spark cuts off (double and decimal to integer), reads more texts as numbers (`1_000`, `1.5` as an
integer) and fewer (`1.5d`); a value that a type cannot hold is an error in both.
Left out: anything to or from the text of a double, doubles to decimal (by way of that text), time zones.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date, datetime

from sqlglot import exp

from headwater.algebra.exact_types import decimal_type
from headwater.engine.local.kinds import FRACTIONS, INTEGERS, VOID, as_decimal, is_decimal
from headwater.engine.local.writing import Typed, Writer, form, named, null_of, refuse
from headwater.engine.local.written import written

# What Spark trims from a text before it reads a number or a date in it: every control character, and the space.
BLANKS = "chr(0) || '" + "".join(map(chr, [*range(1, 0x21), 0x7F])) + "'"
EXACT_DIGITS = 15  # of a decimal whose double DuckDB computes by one correctly rounded division
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_TIME = re.compile(r"\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}:\d{2}(\.\d{1,6})?")
TRUE_WORDS, FALSE_WORDS = ("t", "true", "y", "yes", "1"), ("f", "false", "n", "no", "0")


def spark_name(kind: exp.DataType) -> str:
    """A type as Spark's simpleString writes it."""
    return kind.sql(dialect="spark").lower().replace(" ", "")


def cast(write: Writer, call: exp.Expr) -> Typed:
    """CAST(x AS type)."""
    if call.args.get("safe") or call.args.get("format"):
        raise refuse(call, "what does not fit would become NULL")
    return converted(write(call.this), spark_name(call.args["to"]), call)


def converted(part: Typed, kind: str, at: exp.Expr) -> Typed:
    """A part in another type, as CAST gives it."""
    if part.type == kind:
        return replace(part, literal=None, constant=None)
    if part.type == VOID:
        return plain(part, kind) if part.raises else null_of(kind)
    rule = _rule(part, kind)
    if rule is None:
        raise refuse(at, f"the cast of {part.type} to {kind}")
    return rule


def _rule(part: Typed, kind: str) -> Typed | None:
    source = part.type
    if source == "string":
        return _from_string(part, kind)
    if kind == "string":
        return _to_string(part)
    if source in INTEGERS:
        return _from_integer(part, kind)
    if is_decimal(source):
        return _from_decimal(part, kind)
    if source in FRACTIONS:
        return _from_fraction(part, kind)
    if source == "boolean" and kind in INTEGERS:
        return plain(part, kind)
    return _between_times(part, kind)


def plain(part: Typed, kind: str) -> Typed:
    return form(f"CAST({{0}} AS {named(kind)})", kind, part, total=_fits(part, kind))


def _fits(part: Typed, kind: str) -> bool:
    """True when no value that an exact number or a truth can have is too large for a type."""
    source = part.type
    if source == "boolean":
        return kind in INTEGERS or kind == "string"
    size, into = as_decimal(source), as_decimal(kind)
    if part.literal is not None and is_decimal(kind):
        size = len(str(abs(part.literal))), 0
    if size is None:
        return source == "float" and kind == "double"
    if into is None:
        return kind in FRACTIONS or kind == "string"
    if kind in INTEGERS and source in INTEGERS:
        return INTEGERS.index(source) <= INTEGERS.index(kind)
    return is_decimal(kind) and into[1] >= size[1] and into[0] - into[1] >= size[0] - size[1]


def _from_integer(part: Typed, kind: str) -> Typed | None:
    if kind in INTEGERS or kind in FRACTIONS or is_decimal(kind):
        return plain(part, kind)
    return form("({0} <> 0)", kind, part, total=True) if kind == "boolean" else None


def _from_decimal(part: Typed, kind: str) -> Typed | None:
    if kind in INTEGERS:
        return form(f"CAST(TRUNC({{0}}) AS {named(kind)})", kind, part)
    if is_decimal(kind):
        return plain(part, kind)
    if kind == "double":
        size = decimal_type(part.type) or (0, 0)
        return (
            plain(part, kind)
            if size[0] <= EXACT_DIGITS
            else form("CAST(CAST({0} AS VARCHAR) AS DOUBLE)", kind, part, total=True)
        )
    return form("({0} <> 0)", kind, part, total=True) if kind == "boolean" else None


def _from_fraction(part: Typed, kind: str) -> Typed | None:
    if kind in FRACTIONS:
        return plain(part, kind)
    if kind == "boolean":
        return form("({0} <> 0)", kind, part, total=True)
    if kind == "bigint":  # 2**63 is taken for the largest, which as a double it is
        return form(
            "CASE WHEN {0} = 9223372036854775808.0 THEN 9223372036854775807 ELSE CAST(TRUNC({0}) AS BIGINT) END",
            kind,
            part,
        )
    return form(f"CAST(TRUNC({{0}}) AS {named(kind)})", kind, part) if kind in INTEGERS else None


def _to_string(part: Typed) -> Typed | None:
    kind = part.type
    if kind in INTEGERS or is_decimal(kind) or kind == "boolean":
        return plain(part, "string")
    if kind in ("date", "timestamp", "timestamp_ntz"):  # beyond these years the two write a sign or an era
        return form(
            "CASE WHEN year({0}) BETWEEN 1 AND 9999 OR {0} IS NULL THEN CAST({0} AS VARCHAR) "
            "ELSE error('lane: a year of more than four digits') END",
            "string",
            part,
        )
    return None


def _between_times(part: Typed, kind: str) -> Typed | None:
    source = part.type
    if source == "date" and kind in ("timestamp", "timestamp_ntz"):
        return plain(part, kind)
    if source in ("timestamp", "timestamp_ntz"):
        if kind == "date":
            return plain(part, kind)
        if kind in ("timestamp", "timestamp_ntz"):
            return replace(part, type=kind)
        if kind == "bigint" and source == "timestamp":
            return seconds_of(part)
    return None


def seconds_of(part: Typed) -> Typed:
    """Whole seconds since 1970, rounded down."""
    return form("((epoch_us({0}) - ((epoch_us({0}) % 1000000 + 1000000) % 1000000)) // 1000000)", "bigint", part)


# -- texts


def _from_string(part: Typed, kind: str) -> Typed | None:
    if part.constant is not None and kind in ("date", "timestamp", "timestamp_ntz"):
        return literal_time(part.constant, kind)
    trimmed = form(f"trim({{0}}, {BLANKS})", "string", part)
    if kind in INTEGERS:
        return _if_matches(part, trimmed, "[+-]?[0-9]+", f"CAST({{1}} AS {named(kind)})", kind)
    if is_decimal(kind):
        return _if_matches(
            part, trimmed, r"[+-]?([0-9]{1,30}\.?[0-9]{0,30}|\.[0-9]{1,30})", f"CAST({{1}} AS {named(kind)})", kind
        )
    if kind == "double":
        return _double_of(part, trimmed)
    if kind == "boolean":
        return _boolean_of(part, trimmed)
    return _date_of(part, trimmed) if kind == "date" else None


def _if_matches(part: Typed, trimmed: Typed, pattern: str, then: str, kind: str) -> Typed:
    text = (
        f"CASE WHEN {{0}} IS NULL THEN NULL WHEN regexp_full_match({{1}}, '{pattern}') THEN {then} "
        f"ELSE error('not a {kind}') END"
    )
    return form(text, kind, part, trimmed)


def _double_of(part: Typed, trimmed: Typed) -> Typed:
    number = r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?"
    special = "regexp_full_match(lower({1}), '[+-]?(inf|infinity)|nan')"
    text = (
        f"CASE WHEN {{0}} IS NULL THEN NULL WHEN regexp_full_match({{1}}, '{number}') THEN CAST({{1}} AS DOUBLE) "
        f"WHEN regexp_full_match({{1}}, '{number}[dDfF]') THEN CAST(left({{1}}, -1) AS DOUBLE) "
        f"WHEN {special} THEN CAST(ltrim(lower({{1}}), '+') AS DOUBLE) ELSE error('not a double') END"
    )
    return form(text, "double", part, trimmed)


def _boolean_of(part: Typed, trimmed: Typed) -> Typed:
    yes, no = (", ".join(f"'{word}'" for word in words) for words in (TRUE_WORDS, FALSE_WORDS))
    text = (
        f"CASE WHEN {{0}} IS NULL THEN NULL WHEN lower({{1}}) IN ({yes}) THEN TRUE "
        f"WHEN lower({{1}}) IN ({no}) THEN FALSE ELSE error('not a boolean') END"
    )
    return form(text, "boolean", part, trimmed)


def _date_of(part: Typed, trimmed: Typed) -> Typed:
    pattern = "([0-9][0-9][0-9][0-9])(-([0-9]{1,2})(-([0-9]{1,2})(?s:[ T].*)?)?)?"

    def group(number: int) -> str:
        return f"CAST(coalesce(nullif(regexp_extract({{1}}, '^{pattern}$', {number}), ''), '1') AS BIGINT)"

    return _if_matches(part, trimmed, pattern, f"make_date({group(1)}, {group(3)}, {group(5)})", "date")


def literal_time(value: str, kind: str) -> Typed | None:
    """A date or time of day written in the text of a query; None for other spellings than the usual."""
    shown = value.strip(" ")
    try:
        if _DATE.fullmatch(shown):
            date.fromisoformat(shown)
        elif kind != "date" and _TIME.fullmatch(shown):
            datetime.fromisoformat(shown)
        else:
            return None
    except ValueError:
        return None
    return Typed(written(f"CAST('{shown}' AS {named(kind)})"), kind, fails=False)


def exact_part(part: Typed, size: tuple[int, int]) -> Typed:
    """An integer or decimal as a decimal that holds all its values."""
    return (
        plain(part, f"decimal({size[0]},{size[1]})") if as_decimal(part.type) != size or part.type in INTEGERS else part
    )


CAST_NAMES = {
    "int": "int", "bigint": "bigint", "smallint": "smallint", "tinyint": "tinyint", "double": "double",
    "string": "string", "boolean": "boolean", "date": "date", "to_date": "date", "timestamp": "timestamp",
}  # fmt: skip


def cast_by_name(write: Writer, call: exp.Expr) -> Typed:
    """INT(x), STRING(x), TO_DATE(x) and so on."""
    (part,) = write.all(call, 1)
    return converted(part, CAST_NAMES[call.name.lower()], call)
