"""Statistics of a Parquet file for the log, taken from its footer: no data is read.

Idea: readers skip a file when no value between its minimum and maximum can match, so a bound may be loose but never
too tight.
Invariant: minimum <= every value <= maximum for every column that is named; a column that cannot promise this is
left out (floats with NaN, decimals beyond what a JSON number keeps, nested and binary columns, booleans).
Complexity: row groups times columns, at most INDEXED_COLUMNS of them.
"""

from __future__ import annotations

import datetime
import math
from collections import Counter
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pyarrow.types as kinds

from headwater.lake.data_files import stats_text

INDEXED_COLUMNS = 32  # Delta's own default
TEXT_PREFIX = 32  # characters kept of a long string, as in Delta's writer
HIGHEST = "\U0010ffff"  # sorts after every other character
EXACT_DIGITS = 15  # decimal digits that survive a JSON number read as a double


def footer_stats(footer: pq.FileMetaData) -> str:
    """The stats JSON of one file that was written here or by Spark, which do not hide a NaN."""
    minimum: dict[str, Any] = {}
    maximum: dict[str, Any] = {}
    nulls: dict[str, int] = {}
    for name, at in _flat_columns(footer):
        chunks = [footer.row_group(group).column(at).statistics for group in range(footer.num_row_groups)]
        if any(chunk is None for chunk in chunks):
            continue
        if all(chunk.has_null_count for chunk in chunks):
            nulls[name] = sum(chunk.null_count for chunk in chunks)
        low, high = _bound(chunks, "min", min), _bound(chunks, "max", max)
        if low is not None and high is not None:
            _add(minimum, name, low, lower_bound)
            _add(maximum, name, high, upper_bound)
    return stats_text(footer.num_rows, minimum, maximum, nulls)


def _flat_columns(footer: pq.FileMetaData) -> Iterator[tuple[str, int]]:
    flat = {field.name for field in footer.schema.to_arrow_schema() if not kinds.is_nested(field.type)}
    paths = [footer.schema.column(at).path for at in range(footer.num_columns)]
    seen = Counter(paths)
    indexed = [(name, at) for at, name in enumerate(paths) if name in flat and seen[name] == 1]
    yield from indexed[:INDEXED_COLUMNS]


def _bound(chunks: list[Any], side: str, best: Callable[[list[Any]], Any]) -> Any:
    """The bound over all row groups; row groups with nothing but NULL have none and need none."""
    holding = [chunk for chunk in chunks if not (chunk.has_null_count and chunk.num_values == 0)]
    if not holding or not all(chunk.has_min_max for chunk in holding):
        return None
    try:
        found = [getattr(chunk, side) for chunk in holding]
        if any(isinstance(value, float) and math.isnan(value) for value in found):
            return None  # Spark's word for a maximum that is NaN
        return best(found)
    except (OverflowError, ValueError, pa.ArrowInvalid):  # a date that Python cannot hold
        return None


def _add(bounds: dict[str, Any], name: str, value: Any, encode: Callable[[Any], Any]) -> None:
    encoded = None if value is None else encode(value)
    if encoded is not None:
        bounds[name] = encoded


def lower_bound(value: Any) -> Any:
    return value[:TEXT_PREFIX] if isinstance(value, str) else _number_or_time(value)


def upper_bound(value: Any) -> Any:
    if not isinstance(value, str):
        return _number_or_time(value)
    if len(value) <= TEXT_PREFIX:
        return value
    return None if HIGHEST in value else value[:TEXT_PREFIX] + HIGHEST


def _number_or_time(value: Any) -> Any:
    match value:
        case bool() | bytes():
            return None
        case int():
            return value
        case float():
            return value if math.isfinite(value) else None
        case Decimal():
            return float(value) if len(value.as_tuple().digits) <= EXACT_DIGITS else None
        case datetime.datetime():
            return value.replace(tzinfo=None).isoformat(timespec="microseconds") + ("Z" if value.tzinfo else "")
        case datetime.date():
            return value.isoformat()
    return None
