"""Writing a commit of the log ourselves: the one kind that delta-rs cannot make, with change files of the caller's.

Idea: a commit is a file of JSON lines, and the protocol's one rule of concurrency is that a version's file is made only
if it is not there yet. So it is written under another name and linked into place.
Invariant: a commit is there whole or not at all; a version that another writer took is never replaced.
Complexity: one small file.
Limits: only for tables whose writers need nothing that is not written here (`refuse_unwritable`).
"""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from deltalake import DeltaTable
from deltalake.exceptions import CommitFailedError, DeltaError

from headwater.errors import HeadwaterError
from headwater.lake import storage
from headwater.lake.data_files import DataFile, NewFile

if TYPE_CHECKING:
    from headwater.lake.commits import CommitRequest
    from headwater.lake.delta_table import DeltaFolder

ENGINE = "headwater"
CHECKPOINT_EVERY = 100  # commits, as delta-rs does
FEED = "delta.enableChangeDataFeed"
APPEND_ONLY = "delta.appendOnly"
# What a writer must do for these is done here, or needs nothing in a commit that moves rows.
WRITTEN = frozenset(
    (
        *("appendOnly", "changeDataFeed", "checkConstraints", "clustering", "columnMapping", "deletionVectors"),
        *("domainMetadata", "generatedColumns", "identityColumns", "invariants", "timestampNtz", "v2Checkpoint"),
        "vacuumProtocolCheck",
    )
)
UNQUOTED = "/=+-_.~!$&'(),;:@"


@dataclass(frozen=True)
class Operation:
    """What a commit tells about itself, and the change files that it records."""

    name: str  # DELETE, UPDATE or MERGE, as every Delta writer calls them
    parameters: Mapping[str, str] = field(default_factory=dict, hash=False)
    metrics: Mapping[str, int] = field(default_factory=dict, hash=False)
    recorded: tuple[NewFile, ...] = ()


def has_feed(table: DeltaTable) -> bool:
    return table.metadata().configuration.get(FEED, "false").lower() == "true"


def refuse_unwritable(name: str, table: DeltaTable) -> None:
    """Raise where rows may not be taken out, or a commit would need more than is written here."""
    if table.metadata().configuration.get(APPEND_ONLY, "false").lower() == "true":
        raise HeadwaterError("table.write_rule", name=name, rule=f"{APPEND_ONLY}=true")
    for feature in sorted(set(table.protocol().writer_features or ()) - WRITTEN):
        raise HeadwaterError("table.write_rule", name=name, rule=f"the Delta feature {feature!r}")


def write_commit(folder: DeltaFolder, request: CommitRequest, operation: Operation, version: int) -> None:
    """Make the commit of that version; `CommitFailedError` when another writer was faster."""
    lines = "\n".join(json.dumps(line, ensure_ascii=False) for line in _lines(request, operation, version - 1))
    if not storage.write_new(storage.commit_path(folder.path, version), lines + "\n"):
        raise CommitFailedError(f"version {version} was taken by another writer")


def checkpoint_if_due(folder: DeltaFolder, version: int) -> None:
    """A checkpoint only saves readers time: one that cannot be made is made by the next writer."""
    if version % CHECKPOINT_EVERY == 0:
        with contextlib.suppress(DeltaError, OSError):
            DeltaTable(folder.path, version=version).create_checkpoint()


def _lines(request: CommitRequest, operation: Operation, read: int) -> Iterable[dict[str, Any]]:
    now = int(time.time() * 1000)
    yield {
        "commitInfo": {
            "timestamp": now,
            "operation": operation.name,
            "operationParameters": dict(operation.parameters),
            "readVersion": read,
            "isBlindAppend": False,
            "engineInfo": ENGINE,
            "operationMetrics": {name: str(value) for name, value in operation.metrics.items()},
            **request.metadata,
        }
    }
    if request.transaction is not None:
        app, number = request.transaction
        yield {"txn": {"appId": app, "version": number, "lastUpdated": now}}
    for file in request.remove:
        yield {"remove": _removed(file, now)}
    for new in request.add:
        described = {"modificationTime": new.modified_ms, "dataChange": True, "stats": new.stats}
        yield {"add": {**_place(new), **described}}
    for new in operation.recorded:
        yield {"cdc": {**_place(new), "dataChange": False}}


def _place(file: NewFile) -> dict[str, Any]:
    return {"path": quote(file.path, safe=UNQUOTED), "partitionValues": dict(file.partition), "size": file.size}


def _removed(file: DataFile, now: int) -> dict[str, Any]:
    return {
        "path": file.spelled or quote(file.path, safe=UNQUOTED),
        "deletionTimestamp": now,
        "dataChange": True,
        "extendedFileMetadata": True,
        "partitionValues": dict(file.partition),
        "size": file.size,
    }
