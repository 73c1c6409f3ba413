"""The filters that stand right above a table, as comparisons: what a change's rows must pass to matter to the view.

    join ( filter d < '1995-03-15' ( scan orders ), ... )      =>      orders: d < '1995-03-15'

Idea: a filter is linear, so it may as well be applied to a change where that is read. Rows that cannot pass are then
neither handed to the engine nor looked up by.
Invariant: every place where the plan reads the table contributes an alternative; a place whose rows are stored or
used unfiltered contributes an empty one, and nothing is dropped.
Limits: comparisons of whole numbers, of dates, and equality of plain strings; through filters and projections of plain
columns, up to the first node whose rows are stored. Everything else is left to the statement, which filters anyway.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping
from typing import Any

from sqlglot import exp

from headwater.algebra.expressions import conjuncts, rename
from headwater.algebra.nodes import Filter, Node, Project, Scan, Schema
from headwater.delta.pasts import Past
from headwater.lake.comparisons import Alternative, Comparison

INTEGERS = ("tinyint", "smallint", "int", "bigint")
OPERATORS: dict[type[exp.Expr], tuple[str, str]] = {  # and as they read from right to left
    exp.EQ: ("=", "="),
    exp.LT: ("<", ">"),
    exp.LTE: ("<=", ">="),
    exp.GT: (">", "<"),
    exp.GTE: (">=", "<="),
}
SAFE_DAY = 28  # the last day of every month; adding months to a later one depends on the month
MONTHS = {"MONTH": 1, "YEAR": 12}

Parts = tuple[exp.Expr, ...]


def first_filters(plan: Node, stored: tuple[Past, ...]) -> dict[str, tuple[Alternative, ...]]:
    """Per table, what its rows are compared with in each place that reads it."""
    kept = {past.node for past in stored}
    found: dict[str, set[Alternative]] = {}
    for scan, parts in _places(plan, (), kept):
        comparisons = tuple(each for part in parts for each in _comparisons(part, scan))
        found.setdefault(scan.table, set()).add(comparisons)
    return {table: tuple(alternatives) for table, alternatives in found.items() if all(alternatives)}


def alternatives(condition: exp.Expr, columns: Schema) -> tuple[Alternative, ...]:
    """What a table's rows are compared with in a condition over its columns; an empty alternative rules nothing out."""
    scan = Scan("", columns, tuple(item.name for item in columns))
    bare = condition.unnest()
    parts = bare.flatten() if isinstance(bare, exp.Or) else [bare]
    return tuple(tuple(each for part in conjuncts(one) for each in _comparisons(part, scan)) for one in parts)


def _places(node: Node, parts: Parts, kept: set[Node]) -> Iterator[tuple[Scan, Parts]]:
    """Every scan with the conditions above it, in the scan's own columns."""
    if node in kept:
        parts = ()
    if isinstance(node, Scan):
        yield node, parts
    elif isinstance(node, Filter):
        yield from _places(node.child, (*parts, *conjuncts(node.predicate)), kept)
    elif isinstance(node, Project):
        plain = {o.name: o.expression.name for o in node.outputs if o.is_column}
        below = (rename(part, plain) for part in parts if {c.name for c in part.find_all(exp.Column)} <= plain.keys())
        yield from _places(node.child, tuple(below), kept)
    else:
        for child in node.children:
            yield from _places(child, (), kept)


def _comparisons(part: exp.Expr, scan: Scan) -> Iterator[Comparison]:
    types = {item.name: item.type for item in scan.columns}
    sources = dict(zip((item.name for item in scan.columns), scan.sources, strict=True))
    for column, operator, value in _compared(part.unnest()):
        kind = types[column.name]
        if isinstance(value, exp.Column):
            if types[value.name] == kind and (kind == "date" or kind in INTEGERS):
                yield Comparison(sources[column.name], operator, sources[value.name], is_column=True)
        elif operator == "in":
            values = [_constant(each, kind) for each in value]
            if values and None not in values:
                yield Comparison(sources[column.name], "in", tuple(values))
        else:
            constant = _constant(value, kind)
            if constant is not None and (kind != "string" or operator == "="):
                yield Comparison(sources[column.name], operator, constant)


def _compared(part: exp.Expr) -> Iterator[tuple[exp.Column, str, Any]]:
    if isinstance(part, exp.Between) and isinstance(part.this, exp.Column) and not part.args.get("symmetric"):
        yield part.this, ">=", part.args["low"]
        yield part.this, "<=", part.args["high"]
    elif isinstance(part, exp.In) and isinstance(part.this, exp.Column) and part.expressions:
        yield part.this, "in", part.expressions
    elif type(part) in OPERATORS:
        forth, back = OPERATORS[type(part)]
        if isinstance(part.this, exp.Column):
            yield part.this, forth, part.expression
        elif isinstance(part.expression, exp.Column):
            yield part.expression, back, part.this


def _constant(value: exp.Expr, kind: str) -> Any:
    """The value of a constant of the column's own type; None when it is not plainly that."""
    if kind == "date":
        return _date(value.unnest())
    if not isinstance(value, exp.Literal):
        return None
    if kind == "string" and value.is_string and "\\" not in value.this:
        return value.this
    if kind in INTEGERS and not value.is_string and value.this.isdigit() and len(value.this) <= _DIGITS[kind]:
        return int(value.this)
    return None


_DIGITS: Mapping[str, int] = {"tinyint": 2, "smallint": 4, "int": 9, "bigint": 18}  # that always fit


def _date(value: exp.Expr) -> datetime.date | None:
    if isinstance(value, (exp.Add, exp.Sub)) and isinstance(value.expression, exp.Interval):
        start = _date(value.this.unnest())
        return start and _moved(start, value.expression, 1 if isinstance(value, exp.Add) else -1)
    if isinstance(value, exp.Cast) and value.is_type("date") and value.this.is_string:
        try:
            return datetime.datetime.strptime(value.this.name, "%Y-%m-%d").date()
        except ValueError:
            return None
    return None


def _moved(start: datetime.date, interval: exp.Interval, sign: int) -> datetime.date | None:
    amount, unit = interval.this, interval.text("unit").upper()
    if not (isinstance(amount, exp.Literal) and amount.name.isdigit() and len(amount.name) <= 4):
        return None
    count = sign * int(amount.name)
    try:
        if unit == "DAY":
            return start + datetime.timedelta(days=count)
        if unit in MONTHS and start.day <= SAFE_DAY:
            year, month = divmod(12 * start.year + start.month - 1 + count * MONTHS[unit], 12)
            return start.replace(year=year, month=month + 1)
    except (OverflowError, ValueError):
        return None
    return None
