"""Removing files that nobody needs any more.

Idea: what a version `keep` or a later one can read is: the files live at `keep`, and every file that a later commit
names (added, removed or recorded as a change). Of the rest, files that a commit has removed go at once; files that
no commit names may belong to a writer that is about to commit, so they go only when they are old.
Invariant: every version from `keep` on, and every change between two of them, reads as before; a file that is not
Parquet and that no commit names is never touched.
Complexity: one walk over the folder and one pass over the log.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from headwater.lake import storage

if TYPE_CHECKING:
    from headwater.lake.delta_table import DeltaFolder

ORPHAN_AGE = 24 * 3600  # seconds; no writer of ours takes a day between writing its files and committing them


def vacuum(folder: DeltaFolder, keep_version: int) -> int:
    latest = folder.latest()
    folder.require_version(keep_version)
    needed = {file.path for file in folder.files(keep_version)} | _named(folder, range(keep_version + 1, latest + 1))
    retired = _named(folder, range(keep_version + 1))
    removed = 0
    for state in storage.walk(folder.path, hidden=True):
        if state.path.startswith(storage.LOG_FOLDER + "/") or state.path in needed:
            continue
        orphan = state.path.endswith(".parquet") and time.time() - state.modified_ns / 1e9 > ORPHAN_AGE
        if state.path in retired or orphan:
            removed += storage.remove(os.path.join(folder.path, state.path))
    return removed


def _named(folder: DeltaFolder, versions: range) -> set[str]:
    """Every file that the commits of these versions name; commits that log cleaning removed name none."""
    present = [v for v in versions if storage.exists(storage.commit_path(folder.path, v))]
    commits = [folder.commit_at(version) for version in present]
    return {action.path for commit in commits for action in (*commit.adds, *commit.removes, *commit.recorded)}
