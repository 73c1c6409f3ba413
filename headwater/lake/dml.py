"""Append, delete, update, upsert: each is one commit and records what it changed.

Idea: appends are written here and committed; the others are delta-rs's own operations, which write the change feed.
Each is re-evaluated on the newest version when another writer was faster, so none is lost and none is applied to
stale rows.
Invariant: one call is at most one new version; a delete or update that matches nothing makes none.
Complexity: an append costs its rows; the others the files that the condition (or the keys) can reach.
Limits: conditions are DataFusion SQL; keys of an upsert must be unique and not NULL.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from deltalake import DeltaTable, write_deltalake
from deltalake.exceptions import CommitFailedError

from headwater.errors import HeadwaterError
from headwater.lake import commits, partitions
from headwater.lake.commits import CommitRequest
from headwater.lake.deep_stack import with_room_for
from headwater.lake.row_groups import group_rows
from headwater.lake.snapshots import has_write_rules

if TYPE_CHECKING:
    from headwater.lake.delta_table import DeltaFolder

LONGEST_REASON = 300  # characters of delta-rs's message that are passed on


def append(folder: DeltaFolder, data: pa.Table, request: CommitRequest) -> int:
    if not has_write_rules(folder.delta):
        return folder.commit(folder.write(data), metadata=request.metadata, transaction=request.transaction)

    data = partitions.empty_as_null(data, folder.partition_by)

    def run(table: DeltaTable) -> Any:
        if not commits.applied(folder, request.transaction):
            write_deltalake(table, data, mode="append", commit_properties=request.properties())

    return _run(folder, run)


def delete(folder: DeltaFolder, predicate: str | None, request: CommitRequest) -> int:
    def run(table: DeltaTable) -> Any:
        with_reason(folder, predicate, lambda: table.delete(predicate, commit_properties=request.properties()))

    return _run(folder, run)


def update(folder: DeltaFolder, updates: Mapping[str, str], predicate: str | None, request: CommitRequest) -> int:
    for name in updates:
        if name not in folder.schema.names:
            raise HeadwaterError("data.predicate", predicate=name, table=folder.name, why=f"no column named {name}")
    quoted = {_quote(name): expression for name, expression in updates.items()}
    shown = ", ".join(f"{name} = {value}" for name, value in updates.items()) + (
        f" where {predicate}" if predicate else ""
    )

    def run(table: DeltaTable) -> Any:
        properties = request.properties()
        with_reason(folder, shown, lambda: table.update(quoted, predicate=predicate, commit_properties=properties))

    return _run(folder, run)


def upsert(folder: DeltaFolder, data: pa.Table, on: Sequence[str], request: CommitRequest) -> int:
    data = partitions.empty_as_null(data.select(folder.schema.names), folder.partition_by)
    _check_keys(folder, data, on)
    matching = " AND ".join(f"old.{_quote(name)} = new.{_quote(name)}" for name in on)

    def run(table: DeltaTable) -> Any:
        merge = table.merge(
            data, matching, source_alias="new", target_alias="old", commit_properties=request.properties()
        )
        merge.when_matched_update_all().when_not_matched_insert_all().execute()

    return _run(folder, run)


def _run(folder: DeltaFolder, run: Callable[[DeltaTable], Any]) -> int:
    """Run one of delta-rs's operations until it commits. It works on a handle of its own, which it moves forward."""

    def attempt() -> int:
        table = DeltaTable(folder.path)
        run(table)
        return table.version()

    return commits.attempt_until_committed(folder, attempt)


def with_reason(folder: DeltaFolder, predicate: str | None, operation: Callable[[], Any]) -> None:
    try:
        with_room_for(predicate, operation)
    except (CommitFailedError, OSError):
        raise
    except Exception as error:  # delta-rs reports bad SQL as several types, plain Exception among them
        why = " ".join(str(error).split())[:LONGEST_REASON]
        raise HeadwaterError("data.predicate", predicate=predicate, table=folder.name, why=why) from error


def _check_keys(folder: DeltaFolder, data: pa.Table, on: Sequence[str]) -> None:
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


def _quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
