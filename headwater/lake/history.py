"""One row a refresh: what was done, why, and what it cost.

Idea: a Delta table that any reader can query; small files are folded into larger ones as they come (see `folding`).
Invariant: an appended row is never lost; folding gives way to other writers.
Complexity: an append is one small file and one commit.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from headwater.errors import Conflict
from headwater.lake.catalog import open_or_create
from headwater.lake.folding import files_to_fold

SCHEMA = pa.schema(
    [
        ("view", pa.string()),
        ("sequence", pa.int64()),
        ("started_at", pa.timestamp("us", "UTC")),
        ("seconds", pa.float64()),
        ("strategy", pa.string()),
        ("lane", pa.string()),
        ("reason", pa.string()),
        ("cursor_before", pa.string()),
        ("cursor_after", pa.string()),
        ("rows_changed", pa.int64()),
        ("rows_read", pa.int64()),
        ("jobs", pa.int32()),
        ("state_bytes", pa.int64()),
        ("upkeep_seconds", pa.float64()),
        ("phases", pa.string()),
        ("operators", pa.string()),
        ("error", pa.string()),
    ]
)


class History:
    def __init__(self, path: str) -> None:
        self._folder = open_or_create(path, SCHEMA)

    def append(self, row: Mapping[str, Any]) -> None:
        """Add one row; columns that are left out are NULL, dicts and lists become JSON."""
        unknown = set(row) - set(SCHEMA.names)
        if unknown:
            raise KeyError(f"the history has no column {sorted(unknown)}")
        plain = {
            name: json.dumps(value) if isinstance(value, dict | list | tuple) else value for name, value in row.items()
        }
        data = pa.Table.from_pylist([plain], SCHEMA)
        self._folder.latest()
        folded = files_to_fold(self._folder.files(), 1)
        try:
            rows = pa.concat_tables([self._folder.read(files=folded), data])
            self._folder.commit(self._folder.write(rows), folded)
        except Conflict:
            self._folder.commit(self._folder.write(data))

    def read(self, view: str | None = None, limit: int | None = None) -> pa.Table:
        """The rows of a view (or of all), the newest first."""
        self._folder.latest()
        rows = self._folder.read()
        if view is not None:
            rows = rows.filter(pc.equal(rows.column("view"), view))
        rows = rows.sort_by([("started_at", "descending"), ("sequence", "descending")])
        return rows if limit is None else rows.slice(0, limit)
