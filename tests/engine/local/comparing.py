"""Runs expressions on both engines over the same rows and says where they differ: in value, in type, in error.

`python -m tests.engine.local.comparing --pairs 60000 --seed 1` compares as many random (expression, input) pairs and
prints every disagreement. A value of Spark's where the lane raises is no disagreement: the refresh is then Spark's;
such pairs are counted on their own.
"""

from __future__ import annotations

import argparse
import math
import struct
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import islice

import duckdb
import pyarrow as pa

from headwater.engine.local.connection import connect
from headwater.engine.local.kinds import duckdb_type
from headwater.engine.local.writing import Typed
from headwater.engine.local.written import LaneSql
from headwater.engine.types import arrow_type, spark_type
from tests.engine.local import inputs

RAISED = "an error"
AT_ONCE = 100  # expressions in one Spark job


@dataclass
class Outcome:
    """What a comparison found."""

    pairs: int = 0
    left_to_spark: int = 0
    errors: int = 0  # pairs on which both raise
    disagreements: list[str] = field(default_factory=list)
    left: dict[str, int] = field(default_factory=dict)

    def add(self, other: Outcome) -> None:
        self.pairs += other.pairs
        self.left_to_spark += other.left_to_spark
        self.errors += other.errors
        self.disagreements += other.disagreements
        self.left |= other.left


def compare(spark, rows: pa.Table, expressions: list[str]) -> Outcome:
    """Every expression over every row."""
    outcome = Outcome()
    lane = Lane(rows)
    for start in range(0, len(expressions), AT_ONCE):
        some = expressions[start : start + AT_ONCE]
        for sql, (kind, values) in zip(some, on_spark(spark, rows, some), strict=True):
            written = inputs.written(sql)
            assert written is not None
            _judge(sql, written, kind, values, lane.values(written), outcome)
    return outcome


def _judge(sql: str, written: Typed, kind: str, expected: list, found: list, outcome: Outcome) -> None:
    outcome.pairs += len(expected)
    if kind != written.type:
        outcome.disagreements.append(f"{sql}: Spark types it {kind}, the lane {written.type}")
        return
    for row, (theirs, ours) in enumerate(zip(expected, found, strict=True)):
        if ours is RAISED:
            outcome.errors += theirs is RAISED
            outcome.left_to_spark += theirs is not RAISED
            if theirs is not RAISED:
                outcome.left[sql] = outcome.left.get(sql, 0) + 1
        elif theirs is RAISED or exactly(theirs) != exactly(ours):
            outcome.disagreements.append(
                f"row {row}: {sql}: {theirs!r} on Spark, {ours!r} in the lane\n"
                f"    {written.sql.sql(dialect=LaneSql)[:400]}"
            )


def exactly(value: object) -> object:
    """The value so that NaN equals itself and the two zeros differ."""
    if isinstance(value, float):
        return "nan" if math.isnan(value) else struct.pack("d", value)
    return value


# -- Spark


def on_spark(spark, rows: pa.Table, expressions: list[str]) -> list[tuple[str, list]]:
    """Each expression's type, and its value or error per row, all in one job."""
    return _in_one_job(spark, edges(spark, rows), expressions)


def _in_one_job(spark, frame, expressions: list[str]) -> list[tuple[str, list]]:
    from pyspark.sql import Column

    jvm, parser = spark._jvm, spark._jsparkSession.sessionState().sqlParser()
    tried = []
    for number, sql in enumerate(expressions):
        caught = jvm.org.apache.spark.sql.catalyst.expressions.TryEval(
            parser.parseExpression(f"NAMED_STRUCT('v', IF(row IS NULL, NULL, {sql}))")  # never folded, always nullable
        )
        tried.append(Column(jvm.org.apache.spark.sql.classic.ExpressionUtils.column(caught)).alias(f"x{number}"))
    table = frame.select("row", *tried).orderBy("row").toArrow().drop_columns(["row"])  # windows reorder the rows
    found = []
    for number in range(len(expressions)):
        column = table.column(number).combine_chunks()
        kind = spark_type(_plain(column.type.field(0).type))
        values = python_values(column.field(0))
        found.append((kind, [v if ok else RAISED for v, ok in zip(values, column.is_valid().to_pylist(), strict=True)]))
    return found


def python_values(column: pa.Array) -> list:
    """Values as Python's, times as numbers: Python has no year 10000."""
    if pa.types.is_date(column.type):
        column = column.cast(pa.int32())
    if pa.types.is_timestamp(column.type):
        column = column.cast(pa.int64())
    return column.to_pylist()


def _plain(kind: pa.DataType) -> pa.DataType:
    if pa.types.is_large_string(kind):
        return pa.string()
    return pa.timestamp("us", "UTC") if pa.types.is_timestamp(kind) and kind.tz else kind


def edges(spark, rows: pa.Table):
    frame = spark.createDataFrame(rows)
    frame.createOrReplaceTempView("edges")
    return frame


# -- DuckDB


class Lane:
    """The rows in DuckDB, and expressions over them."""

    def __init__(self, rows: pa.Table) -> None:
        self.connection = connect()
        self.rows = rows.num_rows
        plain = pa.table(
            {
                n: c.cast(pa.timestamp("us")) if pa.types.is_timestamp(c.type) else c
                for n, c in zip(rows.column_names, rows.columns, strict=True)
            }
        )
        self.connection.register("given", plain)
        self.connection.execute("CREATE TABLE edges AS SELECT * FROM given")

    def values(self, written: Typed) -> list:
        """The value of every row; rows that raise are found by halving."""
        return self._between(written.sql.sql(dialect=LaneSql), written.type, 0, self.rows)

    def _between(self, sql: str, kind: str, start: int, stop: int) -> list:
        try:
            return self._run(sql, kind, f"WHERE row >= {start} AND row < {stop} ORDER BY row")
        except (duckdb.OutOfRangeException, duckdb.ConversionException, duckdb.InvalidInputException):
            if stop - start == 1:
                return [RAISED]
        middle = (start + stop) // 2
        return self._between(sql, kind, start, middle) + self._between(sql, kind, middle, stop)

    def _run(self, sql: str, kind: str, rest: str) -> list:
        result = self.connection.sql(f"SELECT {sql} AS v FROM edges {rest}")
        assert str(result.types[0]) == duckdb_type(kind), (sql, kind, result.types)
        return python_values(result.to_arrow_table().column(0).cast(arrow_type(kind)).combine_chunks())


# -- the command


def some_expressions(seed: int, pairs: int) -> Iterable[str]:
    """Every sample over columns, then nested ones until there are enough."""
    made = inputs.Expressions(seed)
    wanted = -(-pairs // inputs.ROWS)
    alone = list(made.alone(inputs.SCALAR, 2))
    yield from alone
    yield from islice(made.nested(2), max(0, wanted - len(alone)))


def main() -> None:
    from headwater.engine.spark.session import local_session

    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--pairs", type=int, default=60_000)
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    spark = local_session(spark__sql__codegen__wholeStage="false")
    outcome, expressions = Outcome(), list(some_expressions(given.seed, given.pairs))
    for start in range(0, len(expressions), AT_ONCE):
        found = compare(spark, inputs.rows(given.seed), expressions[start : start + AT_ONCE])
        outcome.add(found)
        print(f"{outcome.pairs:,} pairs, {len(outcome.disagreements):,} disagreements", flush=True)
        for line in found.disagreements[:50]:
            print(line, flush=True)
    for sql, count in sorted(outcome.left.items(), key=lambda item: -item[1])[:40]:
        print(f"left to Spark {count}: {sql}")
    print(
        f"{outcome.pairs:,} pairs, {outcome.errors:,} errors in both, {outcome.left_to_spark:,} left to Spark, "
        f"{len(outcome.disagreements):,} disagreements"
    )


if __name__ == "__main__":
    main()
