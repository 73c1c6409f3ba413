"""Texts: counted in code points, compared by bytes, in both engines.

Where DuckDB reads a position, a length or a pattern otherwise, the rule computes what Spark would; UPPER, LOWER and
REVERSE agree on ASCII and are Spark's for other texts (DuckDB maps letters one by one and reverses grapheme clusters).
"""

from __future__ import annotations

from sqlglot import exp

from headwater.engine.local.arithmetic import text
from headwater.engine.local.casts import converted
from headwater.engine.local.kinds import INTEGERS
from headwater.engine.local.writing import Typed, Writer, arguments, call, first, form, refuse
from headwater.engine.local.written import string

LIKE_ESCAPE = "\\"


def _texts(write: Writer, at: exp.Expr, *counts: int) -> list[Typed]:
    parts = write.all(at, *counts)
    if any(part.type != "string" for part in parts):
        raise refuse(at, f"over {', '.join(part.type for part in parts)}")
    return parts


def _number(part: Typed, at: exp.Expr) -> Typed:
    if part.type not in INTEGERS[:3]:
        raise refuse(at, f"a position or length of type {part.type}")
    return form("CAST({0} AS BIGINT)", "bigint", part)


def function(name: str, kind: str, count: int):  # type: ignore[no-untyped-def]
    """A function of texts that DuckDB knows under another name, or the same."""

    def rule(write: Writer, at: exp.Expr) -> Typed:
        parts = _texts(write, at, count)
        made = call(name, kind, *parts, total=True)
        return form("CAST({0} AS INTEGER)", kind, made, total=True) if kind == "int" else made

    return rule


def ascii_only(name: str):  # type: ignore[no-untyped-def]
    """A function that agrees on ASCII: other texts are left to Spark."""

    def rule(write: Writer, at: exp.Expr) -> Typed:
        parts = _texts(write, at, 1)
        return form(
            f"CASE WHEN {{0}} IS NULL OR strlen({{0}}) = length({{0}}) THEN {name}({{0}}) "
            f"ELSE error('lane: {name} beyond ASCII') END",
            "string",
            *parts,
        )

    return rule


# Not GREATEST and LEAST: they skip NULLs, and a NULL position makes the result NULL.
_FIRST = "(CASE WHEN {1} > 0 THEN {1} - 1 WHEN {1} < 0 THEN length({0}) + {1} ELSE {1} END)"


def _not_negative(number: str) -> str:
    return f"(CASE WHEN {number} < 0 THEN 0 ELSE {number} END)"


def substring(write: Writer, at: exp.Expr) -> Typed:
    """Positions count from one or, when negative, from the end; what lies before the start is cut off."""
    value = write(at.this)
    if value.type != "string":
        raise refuse(at, f"a substring of {value.type}")
    start = _number(write(at.args["start"]), at)
    first = _not_negative(_FIRST)
    if at.args.get("length") is None:
        return form(f"substring({{0}}, {first} + 1)", "string", value, start)
    length = _number(write(at.args["length"]), at)
    count = f"{_not_negative(f'({_FIRST} + {{2}})')} - {first}"
    return form(f"substring({{0}}, {first} + 1, {_not_negative(f'({count})')})", "string", value, start, length)


def substring_by_name(write: Writer, at: exp.Expr) -> Typed:
    parts = arguments(at)
    if len(parts) not in (2, 3):
        raise refuse(at, "with this many arguments")
    return substring(write, exp.Substring(this=parts[0], start=parts[1], length=parts[2] if len(parts) == 3 else None))


def left(write: Writer, at: exp.Expr) -> Typed:
    value, count = write.all(at, 2)
    if value.type != "string":
        raise refuse(at, f"LEFT of {value.type}")
    return form(f"substring({{0}}, 1, {_not_negative('{1}')})", "string", value, _number(count, at))


def right(write: Writer, at: exp.Expr) -> Typed:
    value, count = write.all(at, 2)
    if value.type != "string":
        raise refuse(at, f"RIGHT of {value.type}")
    return form(
        "CASE WHEN {1} <= 0 AND {0} IS NOT NULL THEN '' "
        f"ELSE substring({{0}}, {_not_negative('(length({0}) - {1})')} + 1) END",
        "string",
        value,
        _number(count, at),
    )


_TRIMS = {"BOTH": "trim", "LEADING": "ltrim", "TRAILING": "rtrim"}


def trim(write: Writer, at: exp.Expr) -> Typed:
    if at.args.get("collation"):
        raise refuse(at, "with a collation")
    characters = at.args.get("expression")
    parts = [write(at.this), write(characters) if characters is not None else text(" ")]
    return _trimmed(_TRIMS[at.args.get("position") or "BOTH"], parts, at)


def trim_by_name(write: Writer, at: exp.Expr) -> Typed:
    """LTRIM(s), LTRIM(characters, s) and so on."""
    parts = write.all(at, 1, 2)
    name = "trim" if at.name.lower() == "btrim" else at.name.lower()
    if len(parts) == 2 and name != "trim":
        parts.reverse()
    return _trimmed(name, parts if len(parts) == 2 else [*parts, text(" ")], at)


def _trimmed(name: str, parts: list[Typed], at: exp.Expr) -> Typed:
    if any(part.type != "string" for part in parts):
        raise refuse(at, "over other types than STRING")
    return call(name, "string", *parts)


def concat(write: Writer, at: exp.Expr) -> Typed:
    """NULL when a part is; other types by their texts."""
    made = [converted(part, "string", at) for part in write.all(at)]
    if not made:
        raise refuse(at, "of nothing")
    joined = made[0]
    for part in made[1:]:  # Spark evaluates each, though one before is NULL
        joined = first(form("({0} || {1})", "string", joined, part, total=True), part)
    return joined


def concat_with(write: Writer, at: exp.Expr) -> Typed:
    parts = _texts(write, at)
    if len(parts) < 2 or len(parts) > 9:
        raise refuse(at, "with this many arguments")
    return call("concat_ws", "string", *parts)


def pad(write: Writer, at: exp.Expr) -> Typed:
    parts = write.all(at, 2, 3)
    filler = parts[2] if len(parts) == 3 else text(" ")
    if parts[0].type != "string" or not filler.constant:
        raise refuse(at, "padding with anything but a literal")
    count = form("CAST({0} AS INTEGER)", "int", parts[1])
    _number(parts[1], at)
    return call(at.name.lower(), "string", parts[0], count, filler)


def repeat(write: Writer, at: exp.Expr) -> Typed:
    value, count = write.all(at, 2)
    if value.type != "string":
        raise refuse(at, f"REPEAT of {value.type}")
    return call("repeat", "string", value, _number(count, at))


def position(write: Writer, at: exp.Expr) -> Typed:
    """LOCATE(part, whole), INSTR(whole, part), POSITION(part IN whole): counted from one, zero when absent."""
    if isinstance(at, exp.StrPosition):
        if at.args.get("position") or at.args.get("occurrence"):
            raise refuse(at, "from a position")
        whole, part = write(at.this), write(at.args["substr"])
    elif at.name.lower() == "instr":
        whole, part = _texts(write, at, 2)
    else:
        part, whole = _texts(write, at, 2)
    if {whole.type, part.type} != {"string"}:
        raise refuse(at, "over other types than STRING")
    return form("CAST(instr({0}, {1}) AS INTEGER)", "int", whole, part)


# -- patterns


def like(write: Writer, at: exp.Expr) -> Typed:
    escape = LIKE_ESCAPE
    test = at
    if isinstance(at, exp.Escape):
        test = at.this
        escape = at.expression.name
    if not isinstance(test, exp.Like) or not isinstance(test.expression, exp.Literal) or len(escape) != 1:
        raise refuse(at, "the pattern must be a literal")
    value = write(test.this)
    if value.type != "string":
        raise refuse(at, f"a pattern over {value.type}")
    pattern, escaped = _like_pattern(test.expression.name, escape, at)
    kept = f"{{0}} {'NOT LIKE' if test.args.get('negate') else 'LIKE'} {{1}}"
    if escaped:
        kept += " ESCAPE '\\'"
    return form(f"({kept})", "boolean", value, Typed(string(pattern), "string", fails=False), total=True)


def _like_pattern(pattern: str, escape: str, at: exp.Expr) -> tuple[str, bool]:
    """The pattern with a backslash before what stands for itself; whether there is one."""
    made, place = "", 0
    while place < len(pattern):
        letter = pattern[place]
        if letter == escape:
            place += 1
            letter = pattern[place] if place < len(pattern) else ""
            if letter not in ("_", "%", escape) or not letter:
                raise refuse(at, "its pattern escapes what needs no escape")
            made += _itself(letter)
        else:
            made += letter if letter in "_%" else _itself(letter)
        place += 1
    return made, "\\" in made


def _itself(letter: str) -> str:
    return "\\" + letter if letter in "_%\\" else letter
