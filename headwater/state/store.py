"""Stored pasts on disk: one Delta folder each, with the cursor that it stands at in its own log.

Idea: a past is a hidden view. Its base is written by Spark, sorted by key; each refresh appends a small signed
segment; small segments are folded together as they come. A past is soft: one that is missing, or whose cursor
is not the view's, is built again.
Invariant: a past is used only when its last commit names exactly the cursor that is asked for.
Complexity: an append costs the segment (amortised logarithmic for folding); a past is compacted when cancelled and
split rows outweigh its base.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from headwater.delta.pasts import ROWS, Past
from headwater.engine.types import arrow_schema
from headwater.errors import HeadwaterError
from headwater.lake.bags import consolidate
from headwater.lake.delta_table import DeltaFolder, NewFile
from headwater.lake.folding import files_to_fold
from headwater.lake.snapshot_edit import replace

KEY = "headwater_past"
# A past is rewritten when its segments hold more rows than this share of its base, and more than a scan notices.
COMPACT_SHARE = 0.5
COMPACT_ROWS = 50_000

Cursor = dict[str, int]


class PastStore:
    """The pasts of one view below one folder."""

    def __init__(self, root: str) -> None:
        self.root = root
        self._folders: dict[str, DeltaFolder] = {}

    def path(self, past: Past) -> str:
        return os.path.join(self.root, f"{past.name}-{past.node.fingerprint[:8]}-{past.form}")

    def folder(self, past: Past) -> DeltaFolder | None:
        if past.name not in self._folders:
            try:
                self._folders[past.name] = DeltaFolder.open(self.path(past))
            except HeadwaterError:
                return None
        return self._folders[past.name]

    def stands_at(self, past: Past, cursor: Cursor) -> bool:
        """True when the past can be used for a refresh from this cursor."""
        folder = self.folder(past)
        if folder is None:
            return False
        found = folder.metadata_of_latest(KEY)
        return found is not None and found[1].get("cursor") == own(past, cursor)

    def fresh(self, past: Past) -> DeltaFolder:
        """An empty folder for a past that is about to be built; whatever was there is gone."""
        self._folders.pop(past.name, None)
        shutil.rmtree(self.path(past), ignore_errors=True)
        folder = DeltaFolder.create(self.path(past), arrow_schema(past.schema), feed=False)
        self._folders[past.name] = folder
        return folder

    def publish(self, past: Past, files: Sequence[NewFile], cursor: Cursor) -> None:
        """A built base becomes the past."""
        folder = self._folders[past.name]
        rows = sum(file.rows or 0 for file in files)
        folder.commit(files, metadata={KEY: {"cursor": own(past, cursor), "base": rows}}, expected=folder.version)

    def append(self, past: Past, segment: pa.Table, cursor: Cursor) -> None:
        """The past moves to a new cursor by its change."""
        folder = self._folders[past.name]
        base = self.base_rows(folder)
        folded = files_to_fold(folder.files(), segment.num_rows) if segment.num_rows else []
        rows = pa.concat_tables([folder.read(files=folded), segment.select(folder.schema.names).cast(folder.schema)])
        if past.form == ROWS and folded:
            rows = consolidate(rows)
        files = folder.write(rows) if rows.num_rows else []
        folder.commit(
            files, folded, metadata={KEY: {"cursor": own(past, cursor), "base": base}}, expected=folder.version
        )

    def adopt(self, past: Past, files: Sequence[NewFile], cursor: Cursor) -> None:
        """As `append`, for a segment that Spark has written."""
        folder = self._folders[past.name]
        metadata = {KEY: {"cursor": own(past, cursor), "base": self.base_rows(folder)}}
        folder.commit(files, metadata=metadata, expected=folder.version)

    def follow(self, past: Past, cursor: Cursor) -> None:
        """The past stays as it is, although the versions of its tables moved on (files were compacted, say)."""
        if not self.stands_at(past, cursor):
            self.adopt(past, (), cursor)

    def needs_compaction(self, past: Past) -> bool:
        folder = self._folders[past.name]
        added = (folder.rows() or 0) - self.base_rows(folder)
        return added > COMPACT_ROWS and added > COMPACT_SHARE * self.base_rows(folder)

    def compact(self, past: Past, files: Sequence[NewFile], cursor: Cursor) -> None:
        """The same past in fewer rows."""
        folder = self._folders[past.name]
        rows = sum(file.rows or 0 for file in files)
        replace(folder, files, metadata={KEY: {"cursor": own(past, cursor), "base": rows}}, expected=folder.version)
        folder.vacuum(folder.version)

    @staticmethod
    def base_rows(folder: DeltaFolder) -> int:
        found = folder.metadata_of_latest(KEY)
        return int(found[1]["base"]) if found else 0

    def size(self, past: Past) -> tuple[int, int, int]:
        """Rows, bytes and files held."""
        folder = self.folder(past)
        files: Sequence[Any] = folder.files() if folder else ()
        return sum(f.rows or 0 for f in files), sum(f.size for f in files), len(files)

    def release(self, past: Past) -> None:
        """Let go of a past, and of everything that is held of it on disk."""
        self._folders.pop(past.name, None)
        shutil.rmtree(self.path(past), ignore_errors=True)

    def drop(self) -> None:
        self._folders.clear()
        shutil.rmtree(self.root, ignore_errors=True)


def own(past: Past, cursor: Cursor) -> Cursor:
    """The part of a cursor that a past depends on."""
    return {table: version for table, version in sorted(cursor.items()) if table in past.node.tables}
