"""Dates and times: the proleptic calendar, microseconds and UTC in both engines.

Left out: formats, intervals as values, time zones, and text that is not a literal as a timestamp.
"""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from headwater.engine.local.arithmetic import add, subtract
from headwater.engine.local.casts import converted, literal_time, plain, seconds_of
from headwater.engine.local.kinds import INTEGERS
from headwater.engine.local.writing import Typed, Writer, form, refuse

CLOCK = ("timestamp", "timestamp_ntz")
PARTS = {
    "year": "year({0})",
    "quarter": "quarter({0})",
    "month": "month({0})",
    "week": "week({0})",
    "day": "day({0})",
    "dayofweek": "(dayofweek({0}) + 1)",
    "weekday": "(isodow({0}) - 1)",
    "dayofyear": "dayofyear({0})",
    "hour": "hour({0})",
    "minute": "minute({0})",
    "second": "second({0})",
}
NAMES = {"dayofmonth": "day", "weekofyear": "week"}
EXTRACTED = {
    "YEAR": "year",
    "QUARTER": "quarter",
    "MONTH": "month",
    "WEEK": "week",
    "DAY": "day",
    "DOY": "dayofyear",
    "HOUR": "hour",
    "MINUTE": "minute",
}
UNITS = {
    "year": "year", "yyyy": "year", "yy": "year", "quarter": "quarter", "month": "month", "mm": "month",
    "mon": "month", "week": "week",
}  # fmt: skip
CLOCK_UNITS = UNITS | {"day": "day", "dd": "day", "hour": "hour", "minute": "minute", "second": "second"}


def _time(part: Typed, at: exp.Expr, clock: bool = False) -> Typed:
    allowed = CLOCK if clock else ("date", *CLOCK)
    if part.constant is not None:
        part = literal_time(part.constant, allowed[0]) or part
    if part.type not in allowed:
        raise refuse(at, f"a time expected, {part.type} found")
    return part


def part_of(write: Writer, at: exp.Expr) -> Typed:
    """YEAR(x), HOUR(x) and so on."""
    name = NAMES.get(at.name.lower(), at.name.lower())
    (value,) = write.all(at, 1)
    return _part(name, value, at)


def extract(write: Writer, at: exp.Expr) -> Typed:
    name = EXTRACTED.get(at.this.name.upper())
    if name is None:
        raise refuse(at, "this field of a time")
    return _part(name, write(at.expression), at)


def _part(name: str, value: Typed, at: exp.Expr) -> Typed:
    value = _time(value, at, clock=name in ("hour", "minute", "second"))
    return form(f"CAST({PARTS[name]} AS INTEGER)", "int", value)


def as_date(write: Writer, at: exp.Expr) -> Typed:
    """What sqlglot puts around the arguments of date functions."""
    part = write(at.this)
    return converted(part, "date", at)


def add_days(write: Writer, at: exp.Expr) -> Typed:
    unit = at.args.get("unit")
    if unit is not None and unit.name.upper() != "DAY":
        raise refuse(at, f"DATE_ADD by {unit.name}")
    return _days(write(at.this), write(at.expression), "+", at)


def subtract_days(write: Writer, at: exp.Expr) -> Typed:
    value, days = write.all(at, 2)
    return _days(value, days, "-", at)


def _days(value: Typed, days: Typed, sign: str, at: exp.Expr) -> Typed:
    value = converted(_time(value, at), "date", at)
    if days.type not in INTEGERS[:3]:
        raise refuse(at, f"days of type {days.type}")
    return form(f"({{0}} {sign} CAST({{1}} AS INTEGER))", "date", value, days)


def days_between(write: Writer, at: exp.Expr) -> Typed:
    unit = at.args.get("unit")
    if unit is not None:
        raise refuse(at, "DATEDIFF in a unit")
    end, start = (converted(_time(write(each), at), "date", at) for each in (at.this, at.expression))
    return form("CAST(({0} - {1}) AS INTEGER)", "int", end, start)


def add_months(write: Writer, at: exp.Expr) -> Typed:
    value, months = write.all(at, 2)
    if months.type not in INTEGERS[:3]:
        raise refuse(at, f"months of type {months.type}")
    value = converted(_time(value, at), "date", at)
    return form("CAST(({0} + to_months(CAST({1} AS INTEGER))) AS DATE)", "date", value, months)


def last_day(write: Writer, at: exp.Expr) -> Typed:
    (value,) = write.all(at, 1)
    return form("last_day({0})", "date", converted(_time(value, at), "date", at))


def truncated_date(write: Writer, at: exp.Expr) -> Typed:
    value, unit = write.all(at, 2)
    name = UNITS.get((unit.constant or "").lower())
    if name is None:
        raise refuse(at, "its unit must be a literal: year, quarter, month or week")
    return form(f"CAST(date_trunc('{name}', {{0}}) AS DATE)", "date", converted(_time(value, at), "date", at))


def truncated_time(write: Writer, at: exp.Expr) -> Typed:
    unit, value = write.all(at, 2)
    name = CLOCK_UNITS.get((unit.constant or "").lower())
    if name is None:
        raise refuse(at, "its unit must be a literal: year, quarter, month, week, day, hour, minute or second")
    value = _time(value, at)
    kind = value.type if value.type in CLOCK else "timestamp"
    return form(f"CAST(date_trunc('{name}', {{0}}) AS TIMESTAMP)", kind, converted(value, kind, at))


def unix_seconds(write: Writer, at: exp.Expr) -> Typed:
    (value,) = write.all(at, 1)
    if value.type != "timestamp":
        raise refuse(at, f"seconds of {value.type}")
    return seconds_of(value)


def unix_timestamp(write: Writer, at: exp.Expr) -> Typed:
    """As UNIX_SECONDS, but cut off towards 1970."""
    (value,) = write.all(at, 1)
    if value.type != "timestamp":
        raise refuse(at, f"seconds of {value.type}")
    return form("(epoch_us({0}) // 1000000)", "bigint", value)


def unix_micros(write: Writer, at: exp.Expr) -> Typed:
    (value,) = write.all(at, 1)
    if value.type != "timestamp":
        raise refuse(at, f"microseconds of {value.type}")
    return form("epoch_us({0})", "bigint", value)


def unix_date(write: Writer, at: exp.Expr) -> Typed:
    (value,) = write.all(at, 1)
    if value.type != "date":
        raise refuse(at, f"days of {value.type}")
    return form("CAST(({0} - DATE '1970-01-01') AS INTEGER)", "int", value)


# -- with intervals

_STEPS = {
    "YEAR": "to_years", "MONTH": "to_months", "DAY": "to_days", "HOUR": "to_hours", "MINUTE": "to_minutes",
    "SECOND": "to_seconds",
}  # fmt: skip


def plus(write: Writer, both: exp.Expr) -> Typed:
    if isinstance(both.this.unnest(), exp.Interval):
        return _shifted(write, both.expression, both.this.unnest(), "+", both)
    if isinstance(both.expression.unnest(), exp.Interval):
        return _shifted(write, both.this, both.expression.unnest(), "+", both)
    if _is_date_plus_days(write, both):
        return _days(write(both.this), write(both.expression), "+", both)
    return add(write, both)


def minus(write: Writer, both: exp.Expr) -> Typed:
    if isinstance(both.expression.unnest(), exp.Interval):
        return _shifted(write, both.this, both.expression.unnest(), "-", both)
    if _is_date_plus_days(write, both):
        return _days(write(both.this), write(both.expression), "-", both)
    return subtract(write, both)


def _is_date_plus_days(write: Writer, both: exp.Expr) -> bool:
    return write(both.this).type == "date" and write(both.expression).type in INTEGERS[:3]


def _shifted(write: Writer, value: exp.Expr, interval: exp.Expr, sign: str, at: exp.Expr) -> Typed:
    named = interval.args.get("unit")
    unit = named.name.upper().rstrip("S") if named is not None else ""
    amount = interval.this.name if isinstance(interval.this, exp.Literal) else ""
    if unit not in _STEPS or not amount.lstrip("-").isdigit():
        raise refuse(at, "an interval other than a whole number of one unit, from years to seconds")
    moved = _time(write(value), at)
    made = form(f"({{0}} {sign} {_STEPS[unit]}({amount}))", "timestamp", moved)
    if moved.type != "date":
        return replace(made, type=moved.type)
    return plain(made, "date" if unit in ("YEAR", "MONTH", "DAY") else "timestamp")
