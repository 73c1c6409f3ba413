"""Where a view stands, and by which definition: read from its own log, written with its rows in one commit.

Invariant: the newest commit that carries `headwater` names the cursor at which the folder's rows are the view's, and
the definition whose rows they are. The commit from which a definition holds carries its text as well, so that a
catalog that has not heard of it can be told (see `api.replacing`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from headwater.errors import HeadwaterError
from headwater.lake.arrivals import committed_at
from headwater.lake.delta_table import DeltaFolder
from headwater.refresh.definition import Definition
from headwater.refresh.keeping import Kept
from headwater.refresh.report import Cursor

KEY = "headwater"
DEFINED = "headwater.definition"
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
    definition: str = ""  # its id; empty in the logs of views that were made before it was written there
    kept: Kept | None = None

    def next(self, cursor: Cursor) -> dict[str, Any]:
        """The metadata of the commit that moves the view to another cursor."""
        return replace(self, cursor=cursor, sequence=self.sequence + 1).metadata

    @property
    def metadata(self) -> dict[str, Any]:
        """What the commit carries that makes the view stand here."""
        cursor = dict(sorted(self.cursor.items()))
        known = {"sequence": self.sequence, "fingerprint": self.fingerprint, "definition": self.definition}
        return {KEY: {"cursor": cursor, **known, **({"kept": self.kept.as_dict()} if self.kept is not None else {})}}


def defining(definition: Definition) -> dict[str, Any]:
    """What the commit from which a definition holds carries besides."""
    return {DEFINED: json.dumps({"id": definition.id, "definition": definition.as_dict()})}


def defined_in(folder: DeltaFolder) -> tuple[str, dict[str, Any]] | None:
    """The id of the newest definition in a view's log, and what the catalog keeps of it."""
    found = folder.metadata_of_latest(DEFINED)
    if found is None:
        return None
    kept = json.loads(found[1])
    return kept["id"], kept["definition"]


def standing_of(folder: DeltaFolder) -> Standing | None:
    """None for a folder that no build has finished."""
    found = folder.metadata_of_latest(KEY)
    if found is None:
        return None
    kept: Mapping[str, Any] = found[1]
    states = Kept.from_dict(kept["kept"]) if "kept" in kept else None
    id_ = kept.get("definition", "")
    return Standing(dict(kept["cursor"]), int(kept["sequence"]), kept["fingerprint"], folder.version, id_, states)


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
