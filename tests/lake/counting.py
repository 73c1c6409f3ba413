"""The oracle of these tests: bags as `collections.Counter`, one Python tuple per row."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

from headwater.api.finding import Finding
from headwater.engine.local.lane import LocalLane
from headwater.lake.bags import WEIGHT
from headwater.lake.delta_table import DeltaFolder

SCHEMA = pa.schema([("k", pa.int64()), ("x", pa.float64()), ("s", pa.string())])

rows = st.tuples(
    st.sampled_from([1, 2, None]),
    st.sampled_from([0.0, -0.0, 1.5, math.nan, None]),
    st.sampled_from(["a", "", None]),
)


def comparable(value: Any) -> Any:
    if isinstance(value, float):
        return "NaN" if math.isnan(value) else value + 0.0
    if isinstance(value, dict):
        return tuple((key, comparable(inner)) for key, inner in value.items())
    if isinstance(value, list | tuple):
        return tuple(comparable(inner) for inner in value)
    return value


def bag(table: pa.Table) -> Counter[tuple[Any, ...]]:
    """The signed bag of a table; rows count once where there is no WEIGHT."""
    weights = table.column(WEIGHT).to_pylist() if WEIGHT in table.column_names else [1] * table.num_rows
    plain = table.drop_columns([WEIGHT]) if WEIGHT in table.column_names else table
    counts: Counter[tuple[Any, ...]] = Counter()
    for row, weight in zip(plain.to_pylist(), weights, strict=True):
        counts[tuple(comparable(value) for value in row.values())] += weight
    return nonzero(counts)


def nonzero(counts: Counter[Any]) -> Counter[Any]:
    return Counter({row: count for row, count in counts.items() if count})


def minus(left: Counter[Any], right: Counter[Any]) -> Counter[Any]:
    result = Counter(left)
    result.subtract(right)
    return nonzero(result)


def table_of(tuples: list[tuple[Any, ...]], schema: pa.Schema = SCHEMA) -> pa.Table:
    return pa.Table.from_pylist([dict(zip(schema.names, row, strict=True)) for row in tuples], schema)


def signed(tuples: list[tuple[Any, ...]], weights: list[int], schema: pa.Schema = SCHEMA) -> pa.Table:
    return table_of(tuples, schema).append_column(WEIGHT, pa.array(weights, pa.int64()))


class _LocalOnly:
    """What a finding asks of its lake, without Spark."""

    _wanted_lane, _local_reason = "auto", None

    def __init__(self) -> None:
        self._local = LocalLane()


def delete(folder: DeltaFolder, where: str | None = None) -> int:
    """DELETE by a text, evaluated in the local lane."""
    return folder.delete(None if where is None else Finding(_LocalOnly(), "t", folder.schema, where))


def update(folder: DeltaFolder, updates: dict[str, str], where: str | None = None) -> int:
    """UPDATE by texts, evaluated in the local lane."""
    return folder.update(Finding(_LocalOnly(), "t", folder.schema, where, updates))
