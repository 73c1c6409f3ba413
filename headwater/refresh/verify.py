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
    if not any(holds_doubles(field.type) for field in differing.schema):
        return missing, extra
    candidates: dict[Any, list[Row]] = {}
    for row in extra:
        candidates.setdefault(_exactly(row), []).append(row)
    unpaired = []
    for row in missing:
        others = candidates.get(_exactly(row), [])
        match = next((place for place, other in enumerate(others) if close(row, other)), None)
        if match is None:
            unpaired.append(row)
        else:
            del others[match]
    return unpaired, [row for others in candidates.values() for row in others]


def holds_doubles(kind: pa.DataType) -> bool:
    """True for floating point itself, and for a struct, array or map with it anywhere inside."""
    inside = (kind.field(place) for place in range(kind.num_fields))
    return pa.types.is_floating(kind) or any(holds_doubles(field.type) for field in inside)


def _exactly(value: Any) -> Any:
    """What has to be equal in two rows that are equal up to rounding: all but the doubles."""
    if isinstance(value, float):
        return float
    if isinstance(value, dict):
        return tuple((name, _exactly(part)) for name, part in value.items())
    return tuple(map(_exactly, value)) if isinstance(value, list | tuple) else value


def close(a: Row, b: Row) -> bool:
    """Equal, with doubles compared up to TOLERANCE, wherever they stand."""
    return all(_close(x, y) for x, y in zip(a, b, strict=True))


def _close(x: Any, y: Any) -> bool:
    if isinstance(x, float) and isinstance(y, float):
        return (math.isnan(x) and math.isnan(y)) or math.isclose(x, y, rel_tol=TOLERANCE, abs_tol=TOLERANCE * 1e-3)
    if isinstance(x, dict) and isinstance(y, dict):
        return x.keys() == y.keys() and close(tuple(x.values()), tuple(y[name] for name in x))
    if isinstance(x, list | tuple) and isinstance(y, list | tuple):
        return len(x) == len(y) and close(tuple(x), tuple(y))
    return bool(x == y)
