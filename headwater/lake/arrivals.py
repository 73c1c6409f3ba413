"""How much came and went, commit by commit: counted in the log, without reading a row.

Idea: a commit's operation metrics count rows where the writer left them (deletes, updates and merges, by delta-rs and
by Spark alike); else the statistics of its added and removed files do. A commit with recorded change files changed as
many rows as those hold, and the difference of inserts and deletes is that of its whole files.
Invariant: a count never depends on the table's size; moving rows between files (OPTIMIZE) is no arrival.
Complexity: the commits looked at, at most MOST_COMMITS; each is counted once per process. A file without statistics
costs a look at its footer.
Limits: without metrics and change files a rewritten file counts as a whole, removed and added. A file whose footer has
been vacuumed away counts as nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from headwater.errors import HeadwaterError
from headwater.lake import parquet_files, storage
from headwater.lake.log import Commit, FileAction

MOST_ARRIVALS = 32  # what came longer ago says little about what comes next
MOST_COMMITS = 64  # looked at to find them, OPTIMIZE and the like among them
# Operation metrics: delta-rs's name, Spark's, our own.
INSERTED = ("num_target_rows_inserted", "numTargetRowsInserted", "numInsertedRows")
UPDATED = ("num_updated_rows", "numUpdatedRows", "num_target_rows_updated", "numTargetRowsUpdated")
DELETED = ("num_deleted_rows", "numDeletedRows", "num_target_rows_deleted", "numTargetRowsDeleted")
COUNTED_BY_ROW = ("DELETE", "UPDATE", "MERGE")


@dataclass(frozen=True)
class Arrival:
    """A commit that changed rows: when (unix time), and how many came and went."""

    version: int
    at: float
    inserts: int
    deletes: int


@dataclass(frozen=True)
class Arrivals:
    """A table's last arrivals, oldest first; `from_start` when the first of them is the first that there was."""

    seen: tuple[Arrival, ...] = ()
    from_start: bool = True


class Logged(Protocol):
    """What arrivals are counted in: a Delta table."""

    path: str

    def latest(self) -> int: ...
    def commit_at(self, version: int) -> Commit: ...
    def arrival_at(self, version: int) -> Arrival: ...


def recent_arrivals(folder: Logged) -> Arrivals:
    """The last arrivals of a Delta table, as far back as the bounds and its log go."""
    newest = folder.latest()
    found: list[Arrival] = []
    for version in range(newest, max(-1, newest - MOST_COMMITS), -1):
        try:
            if folder.commit_at(version).changes_data:
                found.append(folder.arrival_at(version))
        except HeadwaterError:  # log cleaning removed the commit
            break
        if len(found) == MOST_ARRIVALS:
            break
    else:
        return Arrivals(in_order(found[::-1]), newest < MOST_COMMITS)
    return Arrivals(in_order(found[::-1]), False)


def in_order(arrivals: Iterable[Arrival]) -> tuple[Arrival, ...]:
    """The same with times that never go back: writers have clocks of their own."""
    ordered: list[Arrival] = []
    for one in arrivals:
        at = max(one.at, ordered[-1].at) if ordered else one.at
        ordered.append(Arrival(one.version, at, one.inserts, one.deletes))
    return tuple(ordered)


def count(root: str, commit: Commit) -> Arrival:
    """What one commit changed."""
    inserts, deletes = _by_metrics(commit) or _by_files(root, commit)
    return Arrival(commit.version, committed_at(root, commit), inserts, deletes)


def committed_at(root: str, commit: Commit) -> float:
    """When it was committed, in unix time: as the writer says, else by the file's date."""
    stated = commit.info.get("inCommitTimestamp") or commit.info.get("timestamp")
    return (stated or storage.modified_ms(storage.commit_path(root, commit.version))) / 1000


def _by_metrics(commit: Commit) -> tuple[int, int] | None:
    metrics = commit.info.get("operationMetrics")
    if commit.info.get("operation") not in COUNTED_BY_ROW or not isinstance(metrics, Mapping):
        return None
    inserted, updated, deleted = (_metric(metrics, names) for names in (INSERTED, UPDATED, DELETED))
    if inserted is updated is deleted is None:
        return None
    return (inserted or 0) + (updated or 0), (deleted or 0) + (updated or 0)


def _metric(metrics: Mapping[str, Any], names: Iterable[str]) -> int | None:
    """The first of the names that has a count; Spark writes counts as text, and -1 for what it does not know."""
    for name in names:
        if name in metrics and int(metrics[name]) >= 0:
            return int(metrics[name])
    return None


def _by_files(root: str, commit: Commit) -> tuple[int, int]:
    added = _rows(root, (action for action in commit.adds if action.data_change))
    removed = _rows(root, (action for action in commit.removes if action.data_change))
    if not commit.recorded:
        return added, removed
    changed = _rows(root, commit.recorded)
    return max(0, changed + added - removed) // 2, max(0, changed - added + removed) // 2


def _rows(root: str, actions: Iterable[FileAction]) -> int:
    return sum(_in_footer(root, action) if action.rows is None else action.rows for action in actions)


def _in_footer(root: str, action: FileAction) -> int:
    try:
        return parquet_files.count_rows(storage.join(root, action.path))
    except FileNotFoundError:
        return 0
