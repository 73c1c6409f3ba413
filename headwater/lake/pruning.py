"""Which files can hold given rows, judged by the log's statistics alone.

Idea: a row can be in a file only if each of its values lies between the file's minimum and maximum of that column
(a NULL: only if the file has NULLs) and equals the file's partition values.
Invariant: a file that holds a wanted row is never ruled out; whatever the statistics cannot promise counts as
possible.
Complexity: files times columns times wanted rows, vectorised over the rows.
Limits: floats are looked at only without NaN (writers leave NaN out of the bounds), decimals up to 15 digits (the
log holds JSON numbers), timestamps with a millisecond of slack (some writers truncate them).
"""

from __future__ import annotations

import contextlib
import datetime
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as kinds

from headwater.lake import partitions
from headwater.lake.comparisons import Alternative, Comparison
from headwater.lake.data_files import DataFile
from headwater.lake.stats import EXACT_DIGITS

SLACK = datetime.timedelta(milliseconds=1)
MOST_ALTERNATIVES = 1_000  # comparing more of them with every file costs more than reading a column

Mask = npt.NDArray[np.bool_]


def files_that_may_hold(files: Iterable[DataFile], wanted: pa.Table) -> list[DataFile]:
    usable = [name for name in wanted.column_names if _comparable(wanted.column(name))]
    return [file for file in files if _may_hold(file, wanted, usable)]


def files_that_may_pass(
    files: Iterable[DataFile], alternatives: Sequence[Alternative], schema: pa.Schema
) -> list[DataFile]:
    """The files with a row for which the comparisons of one alternative may all hold; without alternatives all."""
    if not alternatives or not all(alternatives) or len(alternatives) > MOST_ALTERNATIVES:
        return list(files)
    return [file for file in files if any(all(_may_pass(file, each, schema) for each in one) for one in alternatives)]


def _may_pass(file: DataFile, comparison: Comparison, schema: pa.Schema) -> bool:
    if comparison.is_column:
        return True
    low, high = _span(file, comparison.column, schema)
    if file.stats.get("nullCount", {}).get(comparison.column) == file.rows is not None:
        return False
    match comparison.operator:
        case "=":
            return _among([comparison.value], low, high)
        case "in":
            return _among(comparison.value, low, high)
        case "<":
            return low is None or low < comparison.value
        case "<=":
            return low is None or low <= comparison.value
        case ">":
            return high is None or high > comparison.value
        case ">=":
            return high is None or high >= comparison.value
    return True


def _among(values: Iterable[Any], low: Any, high: Any) -> bool:
    return any((low is None or low <= value) and (high is None or value <= high) for value in values)


def _span(file: DataFile, column: str, schema: pa.Schema) -> tuple[Any, Any]:
    """Between which values a column's are in a file, NULL aside; None where that is not known."""
    if column in file.partition:
        value = partitions.typed(file.partition[column], schema.field(column).type).as_py()
        return value, value
    return file.stats.get("minValues", {}).get(column), file.stats.get("maxValues", {}).get(column)


def _comparable(column: pa.ChunkedArray) -> bool:
    kind = column.type
    if kinds.is_floating(kind):
        return not pc.any(pc.is_nan(column)).as_py()
    if kinds.is_decimal(kind):
        return bool(kind.precision <= EXACT_DIGITS)
    return any(test(kind) for test in (kinds.is_integer, kinds.is_string, kinds.is_date, kinds.is_timestamp))


def _may_hold(file: DataFile, wanted: pa.Table, usable: list[str]) -> bool:
    possible: Mask = np.ones(wanted.num_rows, dtype=bool)
    for name, value in file.partition.items():
        if name in wanted.column_names:
            possible &= _equals(wanted.column(name), partitions.typed(value, wanted.schema.field(name).type))
    for name in usable:
        if name not in file.partition and possible.any():
            possible &= _within(wanted.column(name), file, name)
    return bool(possible.any())


def _equals(column: pa.ChunkedArray, value: pa.Scalar) -> Mask:
    return _mask(pc.equal(column, value) if value.is_valid else pc.is_null(column))


def _within(column: pa.ChunkedArray, file: DataFile, name: str) -> Mask:
    low = file.stats.get("minValues", {}).get(name)
    high = file.stats.get("maxValues", {}).get(name)
    nulls = file.stats.get("nullCount", {}).get(name)
    possible = np.ones(len(column), dtype=bool)
    if low is not None:
        possible &= _mask(pc.greater_equal(column, _bound(low, -1, column.type)))
    if high is not None:
        possible &= _mask(pc.less_equal(column, _bound(high, 1, column.type)))
    if nulls is not None and nulls == file.rows:
        possible[:] = False
    missing = _mask(pc.is_null(column))
    return np.where(missing, nulls != 0, possible)


def _bound(value: Any, direction: int, kind: pa.DataType) -> pa.Scalar:
    if isinstance(value, datetime.datetime):
        with contextlib.suppress(OverflowError):  # the first or the last moment that Python has
            value = value + direction * SLACK
    return pa.scalar(value, kind)


def _mask(column: pa.ChunkedArray) -> Mask:
    return np.asarray(pc.fill_null(column, False).to_numpy(), dtype=bool)
