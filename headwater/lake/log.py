"""One commit of a Delta log, parsed: what it added, removed, recorded as changed, and said about itself.

Idea: what happened between two versions is in their commits; reading those costs the commits, not the table.
Invariant: a commit never changes once written, so a parsed one may be kept for ever.
Complexity: one small JSON file per commit.
Limits: a commit that log cleaning removed cannot be recovered from a checkpoint: its changes are gone
(`FileNotFoundError`).

Headwater's own commits may name signed change files under CHANGE_KEY of their commit info: where the table has no
change feed, and where delta-rs makes the commit, which cannot be given `cdc` actions. For other readers such a commit
is the plain removal and addition of its files.

delta-rs records the change of an UPDATE as a difference of sets, so that a row that takes the values of another updated
row is lost from it. Its DELETE takes a file to match as a whole by statistics that leave NaN out, and then records
other rows than it removes. Its MERGE records what it writes. So the recorded files of an UPDATE, and of a DELETE from a
table with fractions, are not looked at: the files added and removed tell the truth.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from headwater.lake import storage

CHANGE_KEY = "headwater.change"
DELTA_RS = re.compile(r"delta-?rs", re.IGNORECASE)


@dataclass(frozen=True)
class FileAction:
    path: str  # decoded
    partition: Mapping[str, str | None] = field(hash=False)
    rows: int | None
    data_change: bool


@dataclass(frozen=True)
class Commit:
    version: int
    adds: tuple[FileAction, ...]
    removes: tuple[FileAction, ...]
    recorded: tuple[FileAction, ...]  # change files: the protocol's `cdc`, or Headwater's own
    info: Mapping[str, Any] = field(hash=False)

    @property
    def inexact_record(self) -> bool:
        """The recorded change is delta-rs's of an UPDATE, which may lack rows."""
        return self._by_delta_rs and self.info.get("operation") == "UPDATE"

    @property
    def inexact_with_fractions(self) -> bool:
        """The recorded change is delta-rs's of a DELETE, wrong where a column may hold NaN."""
        return self._by_delta_rs and self.info.get("operation") == "DELETE"

    @property
    def _by_delta_rs(self) -> bool:
        """Written by delta-rs; a writer that does not say who it is counts as such."""
        told = [str(self.info[key]) for key in ("engineInfo", "clientVersion") if self.info.get(key)]
        return not told or any(DELTA_RS.search(each) for each in told)

    @property
    def changes_data(self) -> bool:
        return bool(self.recorded) or any(action.data_change for action in (*self.adds, *self.removes))


def read_commit(root: str, version: int) -> Commit:
    actions: dict[str, list[Any]] = {"add": [], "remove": [], "cdc": [], "commitInfo": []}
    for line in storage.read_text(storage.commit_path(root, version)).splitlines():
        for kind, body in (json.loads(line) if line.strip() else {}).items():
            if kind in actions:
                actions[kind].append(body)
    info = actions["commitInfo"][0] if actions["commitInfo"] else {}
    return Commit(
        version,
        adds=tuple(_file_action(body) for body in actions["add"]),
        removes=tuple(_file_action(body) for body in actions["remove"]),
        recorded=(*(_file_action(body) for body in actions["cdc"]), *_own_change_files(info)),
        info=info,
    )


def _file_action(body: Mapping[str, Any]) -> FileAction:
    stats = body.get("stats")
    rows = json.loads(stats).get("numRecords") if stats else None
    return FileAction(unquote(body["path"]), body.get("partitionValues") or {}, rows, body.get("dataChange", True))


def _own_change_files(info: Mapping[str, Any]) -> tuple[FileAction, ...]:
    named = info.get(CHANGE_KEY) or []
    return tuple(FileAction(one["path"], {}, one["rows"], False) for one in named)
