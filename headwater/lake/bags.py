"""Signed bags of rows in Arrow: merge equal rows, subtract one bag from another, unfold weights.

Idea: a bag is a table; a signed bag has one more column, WEIGHT, how often the row counts. Equality of rows is that
of `row_groups`: NULL equals NULL, NaN equals NaN, -0.0 equals 0.0.
Invariant: `consolidate` keeps the sum of weights per row, and leaves no two equal rows and no zero weight.
Complexity: hash group-bys over the rows; `subtract` groups only the candidates that could equal a removal.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as kinds

from headwater.lake.arrow_types import is_list, plain_table
from headwater.lake.row_groups import Indices, canonical, group_rows

WEIGHT = "_hw_weight"
CANDIDATES_PER_REMOVAL = 4  # narrowing by a further column stops paying below this
FEW_CANDIDATES = 2_000  # grouping this many rows takes about a millisecond


def consolidate(table: pa.Table) -> pa.Table:
    """Equal rows merged, weights summed, zeros dropped; each row keeps the spelling (-0.0, 0.0) of its first copy."""
    table = plain_table(table)
    groups = group_rows(table.drop_columns([WEIGHT]))
    if len(groups.starts) == 0:
        return table
    weights = _weights(table)
    if len(groups.starts) < table.num_rows:
        table = table.take(pa.array(groups.first))
        weights = np.add.reduceat(weights[groups.order], groups.starts)
    return _with_weights(table, weights).filter(pa.array(weights != 0))


def subtract(rows: pa.Table, removals: pa.Table) -> tuple[pa.Table, pa.Table]:
    """`rows`, a plain bag, without `removals` (columns and WEIGHT: how many copies); and the removals not found.

    Which of several equal copies goes is not defined; the order of the remaining rows is kept.
    """
    removals = consolidate(removals.select([*rows.column_names, WEIGHT]))
    if removals.num_rows == 0 or rows.num_rows == 0:
        return rows, removals
    wanted = removals.drop_columns([WEIGHT])
    at = candidates(rows, wanted)
    removed, found = _match(wanted, _weights(removals), plain_table(rows.take(pa.array(at))))
    keep = np.ones(rows.num_rows, dtype=bool)
    keep[at[removed]] = False
    remaining = rows if len(removed) == 0 else rows.filter(pa.array(keep))
    missing = _weights(removals) - found
    return remaining, _with_weights(removals, missing).filter(pa.array(missing > 0))


def expand(table: pa.Table) -> pa.Table:
    """Each row as often as its weight says; the weights must not be negative."""
    weights = _weights(table)
    rows = table.drop_columns([WEIGHT])
    if (weights < 0).any():
        raise ValueError("a bag with negative weights cannot be written out as plain rows")
    if (weights == 1).all():
        return rows
    return rows.take(pa.array(np.repeat(np.arange(len(weights)), weights)))


def _weights(table: pa.Table) -> Indices:
    return np.asarray(table.column(WEIGHT).to_numpy(), dtype=np.int64)


def _with_weights(table: pa.Table, weights: Indices) -> pa.Table:
    return table.set_column(table.schema.get_field_index(WEIGHT), WEIGHT, pa.array(weights, pa.int64()))


def _match(wanted: pa.Table, counts: Indices, candidates: pa.Table) -> tuple[Indices, Indices]:
    """Which candidates go (their positions), and how many copies were found of each wanted row."""
    groups = group_rows(pa.concat_tables([wanted, candidates.cast(wanted.schema)]))
    group_of = groups.group_of
    rank = np.arange(len(groups.order)) - groups.starts[group_of]  # a wanted row is first in its group, so rank 0
    limit = np.where(groups.first < len(counts), counts[np.minimum(groups.first, len(counts) - 1)], 0)
    goes = (rank > 0) & (rank <= limit[group_of])
    found = np.zeros(len(counts), dtype=np.int64)
    np.add.at(found, groups.first[group_of[goes]], 1)
    return groups.order[goes] - len(counts), found


def candidates(rows: pa.Table, wanted: pa.Table) -> Indices:
    """Positions of the rows that could equal a wanted one: narrowed column by column, the most telling column first."""
    at: Indices | None = None
    for name in most_telling(wanted):
        column = rows.column(name) if at is None else rows.column(name).take(pa.array(at))
        hits = np.flatnonzero(possible(column, wanted.column(name)).to_numpy())
        at = hits if at is None else at[hits]
        if len(at) <= max(CANDIDATES_PER_REMOVAL * wanted.num_rows, FEW_CANDIDATES):
            break
    return np.arange(rows.num_rows) if at is None else at


def most_telling(wanted: pa.Table) -> list[str]:
    """The columns that `possible` can look up, those with the most distinct values first."""
    names = [name for name in wanted.column_names if not _nested(wanted.schema.field(name).type)]
    distinct = {name: len(wanted.column(name).unique()) for name in names}
    return sorted(names, key=lambda name: -distinct[name])


def possible(column: pa.ChunkedArray, wanted: pa.ChunkedArray) -> pa.ChunkedArray:
    """Per value whether it is among the wanted ones, NULL and NaN included."""
    return pc.is_in(canonical(column), value_set=canonical(wanted.cast(column.type)).unique())


def _nested(kind: pa.DataType) -> bool:
    return is_list(kind) or kinds.is_nested(kind) or kinds.is_null(kind)


def signs(change: pa.Table) -> Iterator[pa.Table]:
    """The insertions of a signed bag, then its removals; both with positive weights."""
    weights = _weights(change)
    for sign in (1, -1):
        chosen = sign * weights > 0
        yield _with_weights(change, sign * weights).filter(pa.array(chosen))
