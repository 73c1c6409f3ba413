"""Which values an UPDATE may store in which columns: Spark's rule (ANSI store assignment), by the names of types.

Idea: what keeps its meaning is cast, and a value that does not fit is an error of that cast; a text is never read as a
number, nor a number as a truth.
"""

from __future__ import annotations

import re

_NUMBERS = re.compile(r"tinyint|smallint|int|bigint|float|double|decimal\(\d+,\d+\)")
_TIMES = ("date", "timestamp", "timestamp_ntz")


def may_assign(given: str, column: str) -> bool:
    """Whether an expression of one type may be stored in a column of another."""
    if given in (column, "void"):
        return True
    if _NUMBERS.fullmatch(given) and _NUMBERS.fullmatch(column):
        return True
    if given in _TIMES and column in _TIMES:
        return True
    plain = not given.startswith(("array<", "map<", "struct<", "variant", "interval", "binary"))
    return column == "string" and plain
