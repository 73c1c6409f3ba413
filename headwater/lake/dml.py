"""Append, delete, update, upsert: each is one commit and records what it changed.

Idea: appends are new files. The others find the rows that they touch and rewrite the files that hold them (see
`rewriting`). Which rows those are is told by a finder: an engine that evaluates a condition, or here, for an upsert,
the keys of the data.
Invariant: one call is at most one new version; a call that touches no row makes none. Each is found anew on the newest
version when another writer was faster, so none is lost and none is applied to stale rows.
Complexity: an append costs its rows; the others the files that the condition (or the keys) can reach.
Limits: keys of an upsert must be unique and not NULL in the data; a table whose rows are computed by its own engine
(generated columns, identity) takes appends only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from deltalake import DeltaTable, write_deltalake
from deltalake.exceptions import CommitFailedError

from headwater.errors import HeadwaterError
from headwater.lake import commits, partitions
from headwater.lake.bags import candidates
from headwater.lake.commits import CommitRequest
from headwater.lake.data_files import DataFile
from headwater.lake.pruning import files_that_may_hold
from headwater.lake.rewriting import Check, Finder, Rewriting, Touched
from headwater.lake.row_groups import Indices, group_rows
from headwater.lake.snapshots import computed_column, has_write_rules, rules_of

if TYPE_CHECKING:
    from headwater.lake.delta_table import DeltaFolder

LONGEST_REASON = 300  # characters of delta-rs's message that are passed on


def append(folder: DeltaFolder, data: pa.Table, request: CommitRequest) -> int:
    if not has_write_rules(folder.delta):
        return folder.commit(folder.write(data), metadata=request.metadata, transaction=request.transaction)

    data = partitions.empty_as_null(data, folder.partition_by)

    def attempt() -> int:
        table = DeltaTable(folder.path)
        if not commits.applied(folder, request.transaction):
            with_reason(
                folder, lambda: write_deltalake(table, data, mode="append", commit_properties=request.properties())
            )
        return table.version()

    return commits.attempt_until_committed(folder, attempt)


def delete(folder: DeltaFolder, finder: Finder | None, request: CommitRequest, shown: Mapping[str, str]) -> int:
    return Rewriting(folder, "DELETE", finder, request, shown).run()


def update(
    folder: DeltaFolder, finder: Finder, request: CommitRequest, shown: Mapping[str, str], check: Check | None
) -> int:
    refuse_unchecked(folder, check)
    return Rewriting(folder, "UPDATE", finder, request, shown, check).run()


def upsert(folder: DeltaFolder, data: pa.Table, on: Sequence[str], request: CommitRequest, check: Check | None) -> int:
    refuse_unchecked(folder, check)
    data = partitions.empty_as_null(data.select(folder.schema.names), folder.partition_by)
    check_keys(folder, data, on)
    finder = ByKey(data, tuple(on))
    shown = {"matchedOn": ", ".join(on)}
    return Rewriting(folder, "MERGE", finder, request, shown, check, finder.unmatched).run()


def refuse_unchecked(folder: DeltaFolder, check: Check | None) -> None:
    """Rows of a table with rules are written only where somebody checks them."""
    rule = computed_column(folder.delta) or next(iter(rules_of(folder.delta)), None)
    if rule is not None and (check is None or computed_column(folder.delta)):
        raise HeadwaterError("table.write_rule", name=folder.name, rule=rule)


@dataclass(frozen=True)
class ByKey:
    """Finds the rows that have a key of the data; they become the data's row. NULL is no key."""

    data: pa.Table
    columns: tuple[str, ...]

    def candidates(self, files: Sequence[DataFile], schema: pa.Schema) -> Sequence[DataFile]:
        return files_that_may_hold(files, self.data.select(list(self.columns)))

    def __call__(self, rows: pa.Table) -> Touched:
        keys = self.data.select(list(self.columns))
        at = candidates(rows, keys)
        of = _position(keys, rows.take(pa.array(at)).cast(keys.schema))
        at, of = at[of >= 0], of[of >= 0]
        new = self.data.take(pa.array(of))
        return Touched(at, {name: new.column(name) for name in new.column_names}, of)

    def unmatched(self, touched: Iterable[Touched]) -> pa.Table:
        """The rows of the data whose key no row had."""
        absent = np.ones(self.data.num_rows, dtype=bool)
        for each in touched:
            absent[each.by] = False
        return self.data.filter(pa.array(absent))


def _position(keys: pa.Table, rows: pa.Table) -> Indices:
    """For each row the position of its key among the keys; -1 where there is none."""
    groups = group_rows(pa.concat_tables([keys, rows]))
    first = np.empty(len(groups.order), dtype=np.int64)
    first[groups.order] = groups.first[groups.group_of]
    of = first[keys.num_rows :]
    return np.where(of < keys.num_rows, of, -1)


def check_keys(folder: DeltaFolder, data: pa.Table, on: Sequence[str]) -> None:
    def refuse(why: str) -> HeadwaterError:
        return HeadwaterError("data.upsert_key", table=folder.name, on=list(on), why=why)

    unknown = [name for name in on if name not in folder.schema.names]
    if unknown or not on:
        raise refuse(f"there is no column {unknown[0]!r}" if unknown else "no key column is named")
    for name in on:
        if data.column(name).null_count:
            raise refuse(f"column {name!r} is NULL in {data.column(name).null_count} rows, and NULL matches nothing")
    groups = group_rows(data.select(list(on)))
    if len(groups.starts) < data.num_rows:
        twice = int(groups.first[groups.sizes > 1][0])
        key = {name: data.column(name)[twice].as_py() for name in on}
        raise refuse(f"the data has the key {key} more than once")


def with_reason(folder: DeltaFolder, operation: Callable[[], Any]) -> None:
    """What delta-rs finds wrong with rows, as an error of ours."""
    try:
        operation()
    except (CommitFailedError, OSError):
        raise
    except Exception as error:  # delta-rs reports what it refuses as several types, plain Exception among them
        why = " ".join(str(error).split())[:LONGEST_REASON]
        raise HeadwaterError("data.rule", table=folder.name, why=why) from error
