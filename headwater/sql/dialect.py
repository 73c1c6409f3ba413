"""Spark's SQL as this library reads it: sqlglot's dialect, corrected where it changes what a text means.

Idea: what need not be understood passes as it is written. sqlglot knows hundreds of functions and writes some of them
back in other words (`to_char(d, '99.99')` as a plain cast), so all but a few are read as a name and arguments.
Invariant: a query, read and written again, is the same to Spark; a test runs every kind of expression both ways.
"""

from __future__ import annotations

from typing import Any, ClassVar

from sqlglot import exp
from sqlglot.dialects.spark import Spark

from headwater.sql.functions import AGGREGATES

# Read by sqlglot for their arguments' sake: a unit without quotes, an element in brackets.
ARGUMENTS = {"array", "date_add", "date_diff", "dateadd", "datediff", "timestampadd", "timestampdiff"}
# Aggregates and window functions that plans look into.
CALLS = {
    *("avg", "count", "count_if", "max", "mean", "min", "sum"),
    *("std", "stddev", "stddev_pop", "stddev_samp", "var_pop", "var_samp", "variance"),
    *("row_number", "explode", "posexplode", "inline"),
}
UNDERSTOOD = ARGUMENTS | CALLS


class ViewSql(Spark):
    """Read with this dialect; write plans with `spark`, and what was read with this one: it keeps QUALIFY."""

    class Tokenizer(Spark.Tokenizer):
        STRING_ESCAPES: ClassVar[list[str]] = ["\\", "'", '"']  # 'it''s' is one literal since Spark 4

    class Parser(Spark.Parser):  # type: ignore[misc, valid-type]
        FUNCTIONS: ClassVar[dict[str, Any]] = {
            name: read for name, read in Spark.Parser.FUNCTIONS.items() if name.lower() in UNDERSTOOD
        }
        FUNCTION_PARSERS: ClassVar[dict[str, Any]] = {
            name: read for name, read in Spark.Parser.FUNCTION_PARSERS.items() if name.lower() not in AGGREGATES
        }

    class Generator(Spark.Generator):  # type: ignore[misc, valid-type]
        TRANSFORMS: ClassVar[dict[Any, Any]] = {
            kind: write for kind, write in Spark.Generator.TRANSFORMS.items() if kind is not exp.Select
        }
