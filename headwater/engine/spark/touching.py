"""The rows that a DELETE or UPDATE touches, found by Spark: for what the parity table lacks, and for Spark's errors.

Idea: the lake's rows are handed over with their numbers; Spark evaluates the texts as they were written.
Invariant: a text that Spark refuses, or that fails for a row, is `data.predicate` with Spark's own reason.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark.errors import AnalysisException, ParseException, PySparkException
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from headwater.engine.assignments import may_assign
from headwater.engine.spark import frames
from headwater.engine.spark.failures import refused
from headwater.engine.types import arrow_type
from headwater.errors import HeadwaterError
from headwater.lake.arrow_types import plain_table
from headwater.lake.rewriting import Touched

ROW = "_hw_row"
_NAMED_ERROR = re.compile(r"\[[A-Z][A-Z0-9_.]+\][^\n]*")


def touched(
    session: SparkSession,
    rows: pa.Table,
    table: str,
    condition: str | None,
    values: Mapping[str, str],
    types: Mapping[str, str],
) -> Touched:
    """The rows for which the condition holds, and what their columns become."""
    numbered = rows.append_column(ROW, pa.array(np.arange(rows.num_rows, dtype=np.int64)))
    frame = frames.local_rows(session, numbered).alias(table)
    try:
        wanted = _where(frame, condition).select(F.col(ROW), *_values(frame, values, types))
        found = plain_table(wanted.toArrow()).sort_by(ROW)
    except HeadwaterError:
        raise
    except (PySparkException, Py4JError) as error:
        raise HeadwaterError("sql.invalid", why=reason(error)) from None
    named = {name: found.column(1 + at).cast(arrow_type(types[name])) for at, name in enumerate(values)}
    return Touched(found.column(ROW).to_numpy(), named)


def _where(frame: DataFrame, condition: str | None) -> DataFrame:
    if condition is None:
        return frame
    kind = frame.select(F.expr(condition)).schema[0].dataType.simpleString()
    if kind not in ("boolean", "void"):
        raise HeadwaterError("data.assignment", what="The condition", type=kind, wanted="boolean")
    return frame.where(F.expr(condition))


def _values(frame: DataFrame, values: Mapping[str, str], types: Mapping[str, str]) -> list[Column]:
    made = []
    for at, (name, text) in enumerate(values.items()):
        kind = frame.select(F.expr(text)).schema[0].dataType.simpleString()
        if not may_assign(kind, types[name]):
            what = f"{text}, for column {name!r},"
            raise HeadwaterError("data.assignment", what=what, type=kind, wanted=types[name])
        made.append(F.expr(text).cast(types[name]).alias(f"_hw_value_{at}"))
    return made


def reason(error: Any) -> str:
    """Spark's sentence, without its stack."""
    if isinstance(error, (AnalysisException, ParseException)):
        return str(refused(error).params["why"])
    found = _NAMED_ERROR.search(str(error))
    return (found.group() if found else str(error).strip().split("\n")[0]).rstrip(".")
