"""What a user's text does, as Spark's own parser and analyser understand it: does it only read, does it read the clock.

Idea: text is a poor witness (`WITH x AS (...) INSERT ...` begins as a query does, a comparison with 'today' casts the
string when the other side is a date), so Spark's plans are asked.
Invariant: nothing is executed here.
"""

from __future__ import annotations

from typing import Any

from py4j.java_gateway import is_instance_of  # type: ignore[import-untyped]
from pyspark import SparkContext
from pyspark.sql import DataFrame, SparkSession

LOGICAL = "org.apache.spark.sql.catalyst.plans.logical"
AROUND = ("UnresolvedWith", "Union")  # what stands around INSERTs: CTEs before them, and several after one FROM
HARMLESS = ("Describe", "Show")  # commands that only tell


def written_by(session: SparkSession, sql: str) -> str | None:
    """The kind of statement, where it is not one that only reads; Spark's error where it is none."""
    plan: Any = session._jsparkSession.sessionState().sqlParser().parsePlan(sql)
    explained = _kind(plan) == "ExplainCommand"
    if explained:
        plan = plan.logicalPlan()
    while _kind(plan) in AROUND:
        plan = plan.children().apply(0)
    kind = _kind(plan)
    if kind.startswith(HARMLESS) or not any(_is_a(plan, each) for each in ("Command", "ParsedStatement")):
        return None
    return "EXPLAIN" if explained else "INSERT" if kind.startswith("Insert") else kind


def _kind(plan: Any) -> str:
    return str(plan.getClass().getSimpleName())


def _is_a(plan: Any, name: str) -> bool:
    return bool(is_instance_of(SparkContext._gateway, plan, f"{LOGICAL}.{name}"))


def reads_the_clock(frame: DataFrame) -> bool:
    """True when Spark takes a text in the query for a time: 'now', 'today', 'tomorrow', 'yesterday', or 'epoch'.

    It does so by a rule that replaces every cast of a constant string to a date or timestamp, however it is written.
    The rule is run here on the plan and on its subqueries.
    """
    rules: Any = frame.sparkSession._jvm.org.apache.spark.sql.catalyst.optimizer  # type: ignore[union-attr]
    top = frame._jdf.queryExecution().analyzed()
    inner = top.subqueriesAll()
    for plan in (top, *(inner.apply(place) for place in range(inner.size()))):
        spelled_out = rules.ReplaceExpressions.apply(plan)  # to_date('today') is a cast underneath
        if not spelled_out.fastEquals(rules.SpecialDatetimeValues.apply(spelled_out)):
            return True
    return False
