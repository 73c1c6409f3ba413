"""Answers of two engines to one text, compared as bags of rows.

Idea: a text is Spark's; sqlglot writes it for DuckDB. Where it ends in ORDER BY ... LIMIT, the order is completed by
all output columns, so that both engines, and a maintained view, keep the same rows.
Limits: Spark rounds quotients and means of decimals where DuckDB computes in doubles. Rows that differ after rounding
are therefore paired off once more, within `TOLERANCE`, which is far below a cent.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal

import duckdb
import pyarrow as pa
import sqlglot
from sqlglot import exp

from tests.api.oracle import bag

TOLERANCE = 1.5e-4  # one of the last of four places, which two engines may round differently
SHOWN = 3  # differing rows of each side in a report


def pinned(sql: str, columns: int) -> exp.Query:
    """The text with its LIMIT's order completed; `columns` is how many it gives."""
    query = sqlglot.parse_one(sql, read="spark")
    assert isinstance(query, exp.Query)
    if query.args.get("limit") is None:
        return query
    places = ", ".join(str(place) for place in range(1, columns + 1))
    rest = sqlglot.parse_one(f"SELECT 1 ORDER BY {places}", read="spark").args["order"]
    order = query.args.get("order")
    if order is None:
        query.set("order", rest)
    else:
        order.set("expressions", [*order.expressions, *rest.expressions])
    return query


def without_idle_order(sql: str) -> str:
    """The text of a view: an outer ORDER BY without a LIMIT has no meaning there."""
    query = sqlglot.parse_one(sql, read="spark")
    if query.args.get("limit") is not None or query.args.get("order") is None:
        return sql
    at = sql.lower().rindex("\norder by")
    return sql[:at].rstrip() + "\n"


class Duck:
    """One DuckDB over Arrow tables."""

    def __init__(self, tables: Mapping[str, pa.Table]) -> None:
        self._connection = duckdb.connect()
        for name, rows in tables.items():
            self._connection.register("arriving", rows)
            self._connection.execute(f"CREATE TABLE {name} AS SELECT * FROM arriving")

    def columns(self, sql: str) -> int:
        text = sqlglot.transpile(sql, read="spark", write="duckdb")[0]
        return len(self._connection.execute(f"DESCRIBE {text}").fetchall())

    def rows(self, sql: str) -> list[tuple]:
        return self._connection.execute(pinned(sql, self.columns(sql)).sql(dialect="duckdb")).fetchall()


def difference(found: Iterable[Sequence], expected: Iterable[Sequence]) -> str:
    """What is in one bag of rows only, as a text; empty if they are equal."""
    here, there = bag(found), bag(expected)
    extra, missing = list((here - there).elements()), list((there - here).elements())
    for row in list(extra):
        twin = next((other for other in missing if _close(row, other)), None)
        if twin is not None:
            extra.remove(row)
            missing.remove(twin)
    if not extra and not missing:
        return ""
    return f"{_some('extra', extra)}; {_some('missing', missing)}"


def _close(left: Sequence, right: Sequence) -> bool:
    return len(left) == len(right) and all(_same(a, b) for a, b in zip(left, right, strict=True))


def _same(left: object, right: object) -> bool:
    if _is_number(left) and _is_number(right):
        return math.isclose(float(left), float(right), rel_tol=1e-9, abs_tol=TOLERANCE)
    return left == right


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float, Decimal)) and not isinstance(value, bool)


def _some(side: str, rows: list[tuple]) -> str:
    shown = Counter(rows).most_common(SHOWN)
    return f"{len(rows)} {side}: " + ", ".join(f"{count} x {row}" for row, count in shown) if rows else f"none {side}"
