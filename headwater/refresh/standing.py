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

from headwater.lake.delta_table import DeltaFolder
from headwater.refresh.definition import Definition
from headwater.refresh.report import Cursor

KEY = "headwater"
DEFINED = "headwater.definition"


@dataclass(frozen=True)
class Standing:
    """The cursor, the number of the refresh that reached it, the definition that it holds for, and the log version."""

    cursor: Cursor
    sequence: int
    fingerprint: str
    version: int
    definition: str = ""  # its id; empty in the logs of views that were made before it was written there

    def next(self, cursor: Cursor) -> dict[str, Any]:
        """The metadata of the commit that moves the view to another cursor."""
        return replace(self, cursor=cursor, sequence=self.sequence + 1).metadata

    @property
    def metadata(self) -> dict[str, Any]:
        """What the commit carries that makes the view stand here."""
        cursor = dict(sorted(self.cursor.items()))
        known = {"sequence": self.sequence, "fingerprint": self.fingerprint, "definition": self.definition}
        return {KEY: {"cursor": cursor, **known}}


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
    return Standing(
        dict(kept["cursor"]), int(kept["sequence"]), kept["fingerprint"], folder.version, kept.get("definition", "")
    )
