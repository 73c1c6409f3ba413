"""An operand that Spark evaluates is evaluated in the lane, too: it may raise the error that Spark raises.

DuckDB leaves operands out beside a NULL that it knows of, beside what its statistics decide, and where they exclude a
NULL. Raising where Spark does not is allowed: the refresh is then Spark's.
"""

from __future__ import annotations

import duckdb
import pyarrow as pa
import pytest

from headwater.engine.local.written import LaneSql
from headwater.engine.types import arrow_type
from tests.engine.local import inputs
from tests.engine.local.comparing import RAISED, Lane, compare

MOST = 2**63 - 1
SET = {"row": 0, "s": "x", "j32": 0, "i64": MOST, "j64": MOST, "q": True}  # every other column is NULL
INT, DOUBLE, DECIMAL, DATE = (f"CAST(s AS {kind})" for kind in ("INT", "DOUBLE", "DECIMAL(12,2)", "DATE"))
TEXT, TRUTH, SUM = "CAST(CAST(s AS INT) AS STRING)", "CAST(s AS INT) > 1", "(i64 + j64)"

DIVIDED = [  # Spark evaluates the divisor before a dividend that is NULL
    *(f"{null} {sign} {INT}" for null in ("i32", "NULL") for sign in ("/", "%")),
    *(f"{null} {sign} {DOUBLE}" for null in ("f", "CAST(NULL AS DOUBLE)") for sign in ("/", "%")),
    *(f"{null} {sign} {DECIMAL}" for null in ("d", "CAST(NULL AS DECIMAL(12,2))") for sign in ("/", "%")),
    f"i32 DIV {INT}",
    f"PMOD(i32, {INT})",
    f"(i32 + NULL) / {INT}",
    f"i32 / {SUM}",
    f"i32 / (1 / {INT})",
]
JOINED = [f"CONCAT(p, {TEXT})", f"p || {TEXT}", f"UPPER(CAST(NULL AS STRING)) || {TEXT}", f"CONCAT({TEXT}, p)"]
BESIDE_A_LITERAL = [
    *(f"{INT} {sign} NULL" for sign in ("+", "-", "*", "&", "=", "<", ">=")),
    f"{INT} + NULL + 1",
    f"CASE {INT} WHEN CAST(NULL AS INT) THEN 1 ELSE 2 END",
    f"{INT} BETWEEN NULL AND NULL",
    f"REPLACE({TEXT}, 'a', CAST(NULL AS STRING))",
    f"SUBSTRING({TEXT}, 1, CAST(NULL AS INT))",
    f"DATE_ADD({DATE}, CAST(NULL AS INT))",
    f"DATEDIFF({DATE}, CAST(NULL AS DATE))",
    f"1 IN ({INT}, 1)",
]
DECIDED = [  # by a constant or by statistics: of what can be seen in the rows, these sides are always so
    f"{TRUTH} AND FALSE",
    f"{TRUTH} OR TRUE",
    f"NOT ({TRUTH} AND FALSE)",
    f"{TRUTH} AND j32 > 1000 AND q",
    f"q AND {TRUTH} AND j32 > 1000",
    f"{TRUTH} OR j32 < 1000",
    f"{SUM} BETWEEN 5 AND 3",
]
PRESENT = [f"{SUM} IS NULL", f"ISNOTNULL({SUM})", f"NVL2({SUM}, 1, 1)", f"COALESCE({SUM}, 1) IS NULL"]
RAISING = [*DIVIDED, *JOINED, *BESIDE_A_LITERAL, *DECIDED, *PRESENT]
LEFT_OUT = [  # by Spark as well
    f"i32 + {INT}",
    f"{INT} / i32",
    f"NOT q AND {TRUTH}",
    f"q OR {TRUTH}",
    f"COALESCE(j32, {INT})",
    f"IF(q, 1, {INT})",
    f"CASE WHEN q THEN 1 WHEN {TRUTH} THEN 2 END",
    f"j32 IN (0, {INT})",
    "CASE WHEN j32 <> 0 AND 10 / j32 > 1 THEN 1 ELSE 0 END",
]


def rows() -> pa.Table:
    return pa.table({name: pa.array([SET.get(name)], arrow_type(kind)) for name, kind in inputs.COLUMNS.items()})


@pytest.fixture(scope="module")
def lane() -> Lane:
    return Lane(rows())


def text(sql: str) -> str:
    made = inputs.written(sql)
    assert made is not None, sql
    return made.sql.sql(dialect=LaneSql)


@pytest.mark.parametrize("sql", RAISING)
def test_regression_an_operand_that_fails_is_not_left_out(lane, sql):
    made = inputs.written(sql)
    assert made is not None
    assert lane.values(made) == [RAISED]


@pytest.mark.parametrize("sql", [each for each in DIVIDED if each.startswith(("i32", "d ", "f "))] + JOINED[:2])
def test_regression_nor_is_it_beside_a_join_without_a_match(lane, sql):
    """What a join fills up is one NULL for all rows, and DuckDB stops there."""
    filled = "(SELECT MAX(i32) AS i32, MAX(d) AS d, MAX(f) AS f, MAX(p) AS p FROM edges WHERE FALSE)"
    own = "(SELECT s, i64, j64 FROM edges)"
    with pytest.raises(duckdb.Error):
        lane.connection.execute(f"SELECT {text(sql)} FROM {own}, {filled}")


def test_regression_what_is_counted_is_computed(lane):
    for over in ("", " OVER ()"):
        with pytest.raises(duckdb.Error):
            lane.connection.execute(f"SELECT {text(f'COUNT({SUM})' + over)} FROM edges")


def test_what_cannot_fail_is_written_once():
    for sql in (
        "i32 / j32",
        "d / 7",
        "e / (CASE WHEN q THEN d END)",
        "i32 > 1 AND s = 'a' AND b",
        "s IS NULL",
        "p || s",
    ):
        assert "hash(" not in text(sql), sql
    assert text(" AND ".join([TRUTH] * 20)).count("error(") <= 2 * 20


def test_spark_raises_the_same_errors(spark):
    outcome = compare(spark, rows(), [*RAISING, *LEFT_OUT])
    assert not outcome.disagreements, "\n".join(outcome.disagreements)
    assert outcome.errors == len(RAISING), [sql for sql in RAISING if sql in outcome.left]
