"""Where a view stands: read from its own log, written with its rows in one commit.

Invariant: the newest commit that carries `headwater` names the cursor at which the folder's rows are the view's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from headwater.errors import HeadwaterError
from headwater.lake.arrivals import committed_at
from headwater.lake.delta_table import DeltaFolder
from headwater.refresh.report import Cursor

KEY = "headwater"
MOST_STOPS = 17  # sixteen changes: the pace of late, not of all time
MOST_COMMITS = 64  # looked at to find them


@dataclass(frozen=True)
class Standing:
    """The cursor, the number of the refresh that reached it, the definition that it holds for, and the log version."""

    cursor: Cursor
    sequence: int
    fingerprint: str
    version: int

    def next(self, cursor: Cursor) -> dict[str, Any]:
        """The metadata of the commit that moves the view to another cursor."""
        return metadata(cursor, self.sequence + 1, self.fingerprint)


def metadata(cursor: Cursor, sequence: int, fingerprint: str) -> dict[str, Any]:
    return {KEY: {"cursor": dict(sorted(cursor.items())), "sequence": sequence, "fingerprint": fingerprint}}


def standing_of(folder: DeltaFolder) -> Standing | None:
    """None for a folder that no build has finished."""
    found = folder.metadata_of_latest(KEY)
    if found is None:
        return None
    kept: Mapping[str, Any] = found[1]
    return Standing(dict(kept["cursor"]), int(kept["sequence"]), kept["fingerprint"], folder.version)


@dataclass(frozen=True)
class Stop:
    """Where a refresh left the view, and when (unix time)."""

    cursor: Cursor
    at: float


def recent_stops(folder: DeltaFolder) -> tuple[Stop, ...]:
    """The last stops, oldest first, as far back as the bounds and the log go."""
    newest = folder.latest()
    found: list[Stop] = []
    for version in range(newest, max(-1, newest - MOST_COMMITS), -1):
        try:
            commit = folder.commit_at(version)
        except HeadwaterError:  # log cleaning removed it
            break
        if KEY in commit.info:
            found.append(Stop(dict(commit.info[KEY]["cursor"]), committed_at(folder.path, commit)))
        if len(found) == MOST_STOPS:
            break
    return tuple(reversed(found))
