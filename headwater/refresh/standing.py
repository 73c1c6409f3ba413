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
from headwater.refresh.keeping import Kept
from headwater.refresh.report import Cursor

KEY = "headwater"
MOST_STOPS = 17  # sixteen changes: the pace of late, not of all time
MOST_COMMITS = 64  # looked at to find them


@dataclass(frozen=True)
class Standing:
    """The cursor, the number of the refresh that reached it, the definition that it holds for, the log version, and
    what is to be stored for the next change."""

    cursor: Cursor
    sequence: int
    fingerprint: str
    version: int
    kept: Kept | None = None

    def next(self, cursor: Cursor) -> dict[str, Any]:
        """The metadata of the commit that moves the view to another cursor."""
        return metadata(cursor, self.sequence + 1, self.fingerprint, self.kept)

    def keeping(self, kept: Kept) -> dict[str, Any]:
        """The metadata of a commit that changes nothing but what is stored."""
        return metadata(self.cursor, self.sequence, self.fingerprint, kept)


def metadata(cursor: Cursor, sequence: int, fingerprint: str, kept: Kept | None) -> dict[str, Any]:
    told = {"cursor": dict(sorted(cursor.items())), "sequence": sequence, "fingerprint": fingerprint}
    return {KEY: told | ({"kept": kept.as_dict()} if kept is not None else {})}


def standing_of(folder: DeltaFolder) -> Standing | None:
    """None for a folder that no build has finished."""
    found = folder.metadata_of_latest(KEY)
    if found is None:
        return None
    kept: Mapping[str, Any] = found[1]
    states = Kept.from_dict(kept["kept"]) if "kept" in kept else None
    return Standing(dict(kept["cursor"]), int(kept["sequence"]), kept["fingerprint"], folder.version, states)


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
        if KEY in commit.info and (not found or commit.info[KEY]["cursor"] != found[-1].cursor):
            found.append(Stop(dict(commit.info[KEY]["cursor"]), committed_at(folder.path, commit)))
        if len(found) == MOST_STOPS:
            break
    return tuple(reversed(found))
