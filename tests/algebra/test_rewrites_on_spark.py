"""What the rewrites compute anew, on Spark itself: the types that they foretell, and the rows, over edge cases."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from headwater.algebra.nodes import Aggregate, Node, Project
from headwater.engine.compiler import compile_plan
from headwater.engine.spark import frames
from headwater.engine.typing import annotate
from headwater.refresh.definition import plan_of
from tests.delta.harness import REPEATED, REWRITTEN, TABLES, queries
from tests.engine.on_spark import rows_of

ROWS = {
    "a": [
        (1, 2, "x"),
        (1, 2, "x"),
        (1, None, "y"),
        (2, -4, None),
        (None, 3, "x"),
        (3, None, None),
        (2, 1000000, "y"),
    ],
    "b": [(1, 2, "x"), (1, 2, "x"), (2, None, "y"), (None, 1, "z"), (3, 3, None), (2, 1000000, "x")],
    "c": [
        (1, 1, Decimal("9999.99"), 0.5),
        (1, 2, Decimal("-0.01"), None),
        (2, 2, None, 1.5),
        (2, 1, Decimal("0.33"), 0.0),
        (None, 3, Decimal("1.00"), 2.0),
    ],
}
OWN = {title: sql for title, sql in queries().items() if title.split(":")[0] in REWRITTEN}
MORE = {
    "averages of decimals": """SELECT a.v, AVG(d) AS average, AVG(d * 3) AS more, SUM(d * (1 - d)) AS total
        FROM a JOIN c ON a.k = c.j GROUP BY a.v""",
    "long decimals": """SELECT a.v, SUM(t.d) AS total FROM a JOIN (SELECT j, CAST(d AS DECIMAL(38, 2)) AS d FROM c) t
        ON a.k = t.j GROUP BY a.v""",
    "dates": """SELECT YEAR(t.d) AS year, COUNT(*) AS n, MAX(t.d) AS last
        FROM b JOIN (SELECT k, DATE_ADD(DATE'2020-12-30', k) AS d FROM a) t ON b.k = t.k GROUP BY YEAR(t.d)""",
}
LEFT_ALONE = {
    "an average that would be rounded twice": """SELECT a.v, AVG(t.d) AS average
        FROM a JOIN (SELECT j, CAST(d AS DECIMAL(38, 2)) AS d FROM c) t ON a.k = t.j GROUP BY a.v""",
    "more digits than a product keeps": """SELECT a.v, SUM(t.d) AS total
        FROM a JOIN (SELECT j, CAST(d AS DECIMAL(38, 9)) AS d FROM c) t ON a.k = t.j GROUP BY a.v""",
}


@pytest.fixture(scope="module")
def tables(spark):
    for name, rows in ROWS.items():
        listed = ", ".join(f"{column.name} {column.type}" for column in TABLES[name])
        spark.createDataFrame(rows, listed).createOrReplaceTempView(name)
    yield
    for name in ROWS:
        spark.catalog.dropTempView(name)


def forgotten(node: Node) -> Node:
    """The node without the types of its calls and computed columns."""
    if isinstance(node, Project):
        return replace(node, outputs=tuple(replace(output, type="") for output in node.outputs))
    if isinstance(node, Aggregate):
        return replace(node, calls=tuple(replace(call, type="") for call in node.calls))
    return node


@pytest.fixture
def analyse(spark, tables):
    return lambda text: frames.schema_of(spark.sql(text))


def statement(plan: Node) -> str:
    return compile_plan(plan, lambda leaf: leaf.table).sql(dialect="spark")


@pytest.mark.parametrize("chosen", [OWN, MORE], ids=["own", "more"])
def test_types_and_rows(chosen, spark, analyse):
    statements = []
    for title, sql in chosen.items():
        plan = plan_of(sql, TABLES, analyse(sql), REPEATED, analyse, {})
        assert annotate(plan.transform(forgotten), analyse, {}) == plan, f"{title}: Spark gives other types"
        statements.append(statement(plan))
    for title, ours, own in zip(chosen, rows_of(spark, statements), rows_of(spark, list(chosen.values())), strict=True):
        assert ours == own, title


def test_what_is_grouped_below_and_what_is_left_alone(analyse):
    def groups(sql: str) -> int:
        plan = plan_of(sql, TABLES, analyse(sql), REPEATED, analyse, {})
        return sum(isinstance(node, Aggregate) for node in plan.walk())

    assert {title: groups(sql) for title, sql in (MORE | LEFT_ALONE).items() if groups(sql) == 1} == dict.fromkeys(
        LEFT_ALONE, 1
    )


def test_a_part_that_would_overflow_does_not_when_the_total_is_in_range(spark, analyse):
    sql = """SELECT SUM(t.m) AS total, COUNT(*) AS n FROM b JOIN (
        SELECT k, CASE WHEN k = 1 THEN 9000000000000000000 ELSE -9000000000000000000 END AS m FROM a
    ) t ON t.k < b.k WHERE b.k = 3"""
    plan = plan_of(sql, TABLES, analyse(sql), REPEATED, analyse, {})
    assert sum(isinstance(node, Aggregate) for node in plan.walk()) > 1
    assert [tuple(row) for row in spark.sql(statement(plan)).collect()] == [(9 * 10**18, 5)]
