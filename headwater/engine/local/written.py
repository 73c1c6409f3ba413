"""A piece of DuckDB's SQL inside a plan's expression, with the columns that it reads left as columns.

Idea: the compiler merges expressions by substituting columns. What the lane writes must survive that word for word, so
it is kept as text with numbered places for its operands, and sqlglot's own rewriting for DuckDB never sees it.
Invariant: the text is closed: a call, or in parentheses; an operand can be put in any place without more of them.
"""

from __future__ import annotations

import re
from typing import Any, ClassVar

from sqlglot import exp
from sqlglot.dialects.duckdb import DuckDB
from sqlglot.generator import Generator

_PLACE = re.compile(r"\{(w?)(\d+)\}")


class Written(exp.Expression, exp.Func):
    """`this` is the text, `expressions` its operands, `window` those of its OVER clause."""

    arg_types: ClassVar[dict[str, Any]] = {"this": True, "expressions": False, "window": False}


def written(text: str, *operands: exp.Expr, window: tuple[exp.Expr, ...] = ()) -> Written:
    """Text in which `{0}`, `{1}` and so on stand for the operands, `{w0}` and so on for those of a window."""
    made = Written(this=text, expressions=[operand.copy() for operand in operands])
    if window:
        made.set("window", [operand.copy() for operand in window])
    return made


def string(value: str) -> Written:
    """A string literal."""
    return Written(this="'" + value.replace("'", "''") + "'", expressions=[])


def _written_sql(generator: Generator, expression: Written) -> str:
    operands = [generator.sql(each) for each in expression.expressions]
    window = [generator.sql(each) for each in expression.args.get("window") or ()]
    if not operands and not window:
        return str(expression.this)
    return _PLACE.sub(lambda place: (window if place[1] else operands)[int(place[2])], expression.this)


class LaneSql(DuckDB):
    """Writes a compiled statement whose expressions are all `Written`, columns, or the compiler's own."""

    class Generator(DuckDB.Generator):  # type: ignore[misc, valid-type]
        TRANSFORMS: ClassVar[dict[Any, Any]] = {**DuckDB.Generator.TRANSFORMS, Written: _written_sql}
