"""Verification: a view compared, as a bag, with its own SQL evaluated by Spark at the view's cursor.

Idea: the text is evaluated as the user wrote it (with ties broken, where it allows several answers), never through the
plan that maintains the view. Spark subtracts one bag from the other; what is left over on both sides may still be equal
up to the rounding of doubles, and is paired off.
Invariant: integers, decimals, strings and times must be equal; doubles may differ by `TOLERANCE`, relative.
Complexity: a full evaluation of the view and one shuffle; only differing rows reach the driver, at most `COMPARED`.
"""

from __future__ import annotations

import math
from typing import Any

import pyarrow as pa

TOLERANCE = 1e-9
COMPARED = 10_000  # differing rows that are paired off one by one
EXAMPLES = 5
SIDE, COPIES = "_hw_side", "_hw_copies"  # side +1: recompute has more of the row; -1: the view has

Row = tuple[Any, ...]


def leftovers(differing: pa.Table) -> tuple[list[Row], list[Row]]:
    """Rows only in recompute and rows only in the view, after equal-but-for-rounding pairs are taken out."""
    names = [name for name in differing.column_names if name != COPIES]
    missing: list[Row] = []
    extra: list[Row] = []
    for row in differing.to_pylist():
        values = tuple(row[name] for name in names)
        (missing if row[COPIES] > 0 else extra).extend([values] * abs(row[COPIES]))
    if not any(pa.types.is_floating(field.type) for field in differing.schema):
        return missing, extra
    for row in list(missing):
        match = next((other for other in extra if close(row, other)), None)
        if match is not None:
            missing.remove(row)
            extra.remove(match)
    return missing, extra


def close(a: Row, b: Row) -> bool:
    """Equal, with doubles compared up to TOLERANCE."""
    return all(_close(x, y) for x, y in zip(a, b, strict=True))


def _close(x: Any, y: Any) -> bool:
    if isinstance(x, float) and isinstance(y, float):
        return (math.isnan(x) and math.isnan(y)) or math.isclose(x, y, rel_tol=TOLERANCE, abs_tol=TOLERANCE * 1e-3)
    return bool(x == y)
