"""Many queries on one Spark in few jobs: by the text and by the compiled plan of it."""

from __future__ import annotations

import json

from py4j.protocol import Py4JJavaError

from headwater.engine.compiler import compile_plan
from headwater.engine.spark import frames
from headwater.errors import HeadwaterError
from headwater.refresh.definition import plan_of


def check(spark, queries: list[str], tables: dict) -> None:
    for name, frame in tables.items():
        frame.createOrReplaceTempView(name)
    sources = {name: frames.schema_of(frame) for name, frame in tables.items()}
    statements, problems = [], []
    for sql in queries:
        try:
            statements.append(planned(spark, sql, sources))
        except HeadwaterError as error:
            problems.append(f"{sql}: {error}")
    assert not problems, "\n".join(problems)
    for sql, statement, expected, found in zip(
        queries, statements, rows_of(spark, queries), rows_of(spark, statements), strict=True
    ):
        if expected != found:
            problems.append(f"{sql}: {expected} became {found} by {statement}")
    assert not problems, "\n".join(problems)


def planned(spark, sql: str, sources: dict) -> str:
    def analyse(text: str):
        return frames.schema_of(spark.sql(text))

    plan = plan_of(sql, sources, analyse(sql), {}, analyse, {})
    return compile_plan(plan, lambda leaf: leaf.table).sql(dialect="spark")


def rows_of(spark, statements: list[str]) -> list[list[str]]:
    """Each statement's rows, spelled out and sorted; all in one job where Spark can.

    It mixes up the CTEs of one name in a union of queries that have them and read only some ("No CTERelationDef").
    """
    try:
        return rows_of_union(spark, statements)
    except Py4JJavaError:
        return [rows for statement in statements for rows in rows_of_union(spark, [statement])]


def rows_of_union(spark, statements: list[str]) -> list[list[str]]:
    """In one job. Doubles to nine digits: sums have no order."""
    numbered = (f"SELECT {n} AS n, TO_JSON(STRUCT(t.*)) AS row FROM ({sql}) t" for n, sql in enumerate(statements))
    found: list[list[str]] = [[] for _ in statements]
    for n, row in spark.sql(" UNION ALL ".join(numbered)).collect():
        found[n].append(str(json.loads(row, parse_float=lambda number: f"{float(number):.9g}")))
    return [sorted(rows) for rows in found]
