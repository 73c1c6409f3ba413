"""A second opinion on whole views: DuckDB over Arrow copies of the tables, compared as bags."""

from __future__ import annotations

import math
from collections import Counter
from decimal import Decimal

import duckdb
import sqlglot


def duckdb_rows(lake, view) -> Counter:
    """The view's text, with ties broken, run by DuckDB over the tables at the view's cursor."""
    connection = duckdb.connect()
    for name, version in view.cursor.items():
        folder = lake._folders([name])[name]
        connection.register(name, folder.read(version))
    text = sqlglot.transpile(view._definition.evaluated, read="spark", write="duckdb")[0]
    return bag(connection.execute(text).fetchall())


def view_rows(view) -> Counter:
    return bag(tuple(row.values()) for row in view.arrow().to_pylist())


def bag(rows) -> Counter:
    return Counter(tuple(comparable(value) for value in row) for row in rows)


def comparable(value):
    """One spelling per value: numbers to five places (Spark rounds means of decimals), NaN equal to itself."""
    if isinstance(value, bool) or not isinstance(value, (int, float, Decimal)):
        return value
    number = float(value)
    if math.isnan(number):
        return "NaN"
    return 0.0 if number == 0 else float(f"{round(number, 5):.9g}")


def check(lake, view) -> None:
    """Equal to Spark's own evaluation, and to DuckDB's."""
    verified = view.verify()
    assert verified.ok, verified.examples
    assert view_rows(view) == duckdb_rows(lake, view), view.name
