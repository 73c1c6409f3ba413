"""Making one commit on a Delta table, safely among other writers.

Idea: optimistic. Look at the newest version, check that what the commit relies on still holds, try to write the
next version; when somebody else got there first, look again. Every attempt is made with delta-rs's own retries off,
so no check is skipped.
A commit may give the table another schema: readers see the old rows under the old one, or the new under the new.
Invariant: a commit that removes a file commits only while that file is live; one with `expected` commits only on
that very version; one with a transaction commits at most once per (application, number).
Complexity: 3-15 ms an attempt; at most ATTEMPTS of them.
Limits: under more contention than that the caller gets `Conflict` and nothing was written.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from deltalake import CommitProperties, Schema, TableFeatures
from deltalake.exceptions import CommitFailedError
from deltalake.transaction import AddAction, RemoveAction, Transaction

from headwater.errors import Conflict
from headwater.lake.data_files import DataFile, NewFile
from headwater.lake.own_commits import Operation, checkpoint_if_due, write_commit

if TYPE_CHECKING:
    from headwater.lake.delta_table import DeltaFolder

ATTEMPTS = 60  # ten writers committing in a tight loop need about ten each
PAUSE = 0.002  # seconds; the first pause, about one commit long
LONGEST_PAUSE = 0.1
NO_ZONE_TYPE, NO_ZONE_FEATURE = "timestamp_ntz", "timestampNtz"  # the one type of ours that a protocol must name


@dataclass(frozen=True)
class CommitRequest:
    add: tuple[NewFile, ...] = ()
    remove: tuple[DataFile, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    transaction: tuple[str, int] | None = None
    expected: int | None = None
    schema: pa.Schema | None = None  # the table's from this commit on, which then removes every file before it
    operation: Operation | None = None  # of a commit that is written here and not by delta-rs

    def properties(self) -> CommitProperties:
        return CommitProperties(
            custom_metadata=dict(self.metadata) or None,
            max_commit_retries=0,
            app_transactions=[Transaction(*self.transaction)] if self.transaction else None,
        )


def commit(folder: DeltaFolder, request: CommitRequest) -> int:
    """One commit; the new version, or the present one when the transaction was applied before."""

    def attempt() -> int:
        with folder.lock:
            latest = folder.latest()
            if applied(folder, request.transaction):
                return latest
            if request.expected is not None and latest != request.expected:
                raise Conflict(folder.name)
            _require_live(folder, request.remove)
            _write_commit(folder, request, latest + 1)
            return latest + 1

    return attempt_until_committed(folder, attempt)


def commit_on(folder: DeltaFolder, request: CommitRequest, base: int) -> int:
    """One attempt on the version `base`; `CommitFailedError` when that is no longer the newest."""
    with folder.lock:
        if folder.latest() != base:
            raise CommitFailedError(f"version {base} is no longer the newest")
        _write_commit(folder, request, base + 1)
        return base + 1


def _write_commit(folder: DeltaFolder, request: CommitRequest, version: int) -> None:
    if request.operation is not None:
        write_commit(folder, request, request.operation, version)
        checkpoint_if_due(folder, version)
        return
    table, by = folder.delta, list(folder.partition_by)
    actions: list[AddAction | RemoveAction] = [*map(_add_action, request.add)]
    if request.schema is None or request.schema == folder.schema:
        actions += _remove_actions(request.remove)
        table.create_write_transaction(actions, "append", table.schema(), by, commit_properties=request.properties())
    else:  # delta-rs removes the files itself
        schema = Schema.from_arrow(request.schema)
        table.create_write_transaction(actions, "overwrite", schema, by, commit_properties=request.properties())


def admit(folder: DeltaFolder, schema: pa.Schema) -> None:
    """Let the table hold the types of a schema that its protocol does not name yet; a commit that changes no row."""
    features = [TableFeatures.ChangeDataFeed, TableFeatures.TimestampWithoutTimezone]

    def attempt() -> int:
        with folder.lock:
            latest = folder.latest()
            named = folder.delta.protocol().reader_features or ()
            if NO_ZONE_FEATURE not in named and NO_ZONE_TYPE in Schema.from_arrow(schema).to_json():
                once = CommitProperties(max_commit_retries=0)
                folder.delta.alter.add_feature(features, allow_protocol_versions_increase=True, commit_properties=once)
            return latest

    attempt_until_committed(folder, attempt)


def applied(folder: DeltaFolder, transaction: tuple[str, int] | None) -> bool:
    if transaction is None:
        return False
    done = folder.transaction_version(transaction[0])
    return done is not None and done >= transaction[1]


def attempt_until_committed(folder: DeltaFolder, attempt: Callable[[], int]) -> int:
    """Call `attempt` until it commits; each call must start from the newest version."""
    pause = PAUSE
    for _ in range(ATTEMPTS):
        before = folder.latest()
        try:
            version = attempt()
            folder.latest()
            return version
        except CommitFailedError:
            if folder.latest() == before:  # nobody was faster: the commit itself is refused
                raise
        time.sleep(random.uniform(0, pause))
        pause = min(2 * pause, LONGEST_PAUSE)
    raise Conflict(folder.name)


def _require_live(folder: DeltaFolder, files: Sequence[DataFile]) -> None:
    """delta-rs accepts the removal of a file that is already gone and then removes nothing."""
    if files and not {file.path for file in files} <= {file.path for file in folder.files()}:
        raise Conflict(folder.name)


def _add_action(file: NewFile) -> AddAction:
    return AddAction(file.path, file.size, dict(file.partition), file.modified_ms, True, file.stats)


def _remove_actions(files: Iterable[DataFile]) -> list[RemoveAction]:
    now = int(time.time() * 1000)
    return [RemoveAction(file.path, True, now, size=file.size, partition_values=dict(file.partition)) for file in files]
