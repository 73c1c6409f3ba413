"""Rows made of a row: EXPLODE of an array that is spelled out, which needs no array to be held.

Limits: ARRAY(a, b, ...) of types that meet, and ARRAY_REPEAT(a, n); not OUTER, not with positions.
"""

from __future__ import annotations

from sqlglot import exp

from headwater.algebra.nodes import Generate
from headwater.engine.local.casts import plain
from headwater.engine.local.conditions import met
from headwater.engine.local.kinds import INTEGERS
from headwater.engine.local.writing import Writer, arguments, refuse
from headwater.engine.local.written import Written, written


def write(write_: Writer, node: Generate) -> tuple[Written, str]:
    """A query that gives the rows made of one row of the child, and the type of its column."""
    generator = node.generator
    if node.outer or len(node.columns) != 1 or not isinstance(generator, exp.Explode):
        raise refuse(generator, "this way to make rows")
    array = generator.this
    if isinstance(array, exp.Array):
        parts = met([write_(each) for each in array.expressions], array) if array.expressions else []
        kind, listed = (parts[0].type, ", ".join(f"{{{i}}}" for i in range(len(parts)))) if parts else ("", "")
        made = written(f"(SELECT UNNEST([{listed}]))", *(part.sql for part in parts))
    elif isinstance(array, exp.Anonymous) and array.name.lower() == "array_repeat" and len(arguments(array)) == 2:
        value, times = (write_(each) for each in arguments(array))
        if times.type not in INTEGERS:
            raise refuse(array, f"{times.type} times")
        kind = value.type
        counted = plain(times, "bigint").sql
        made = written("(SELECT {0} FROM (SELECT UNNEST(RANGE({1}))))", value.sql, counted)
    else:
        raise refuse(generator, "arrays are not held")
    if node.columns[0].type not in ("", kind):
        raise refuse(generator, f"Spark types it {node.columns[0].type}, the lane {kind}")
    return made, kind
