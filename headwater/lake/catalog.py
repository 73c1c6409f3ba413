"""What is in a warehouse: tables, attached Parquet folders and views, with their definitions.

Idea: an append-only Delta table, one row per definition or dropping; the newest row of a name wins. Each change is
committed on the very version it was decided on, so two processes cannot both take a name.
Invariant: at most one live entry per name, upper and lower case alike.
Complexity: a read is free while the version stands; a change rewrites the table only every FILES_KEPT-th time.
"""

from __future__ import annotations

import datetime
import json
import os
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import pyarrow as pa
from deltalake.exceptions import DeltaError

from headwater.errors import Conflict, HeadwaterError
from headwater.lake.delta_table import DeltaFolder
from headwater.lake.warehouse import check_name

Kind = Literal["table", "parquet", "view"]

FILES_KEPT = 16
ATTEMPTS = 20
SCHEMA = pa.schema(
    [
        ("sequence", pa.int64()),
        ("name", pa.string()),
        ("kind", pa.string()),
        ("id", pa.string()),
        ("definition", pa.string()),
        ("created_at", pa.timestamp("us", "UTC")),
        ("dropped", pa.bool_()),
    ]
)


@dataclass(frozen=True)
class Entry:
    kind: Kind
    name: str
    id: str
    definition: Mapping[str, Any] = field(default_factory=dict, hash=False)
    created_at: datetime.datetime = field(default_factory=lambda: datetime.datetime.now(datetime.UTC))


class Catalog:
    def __init__(self, path: str) -> None:
        self._folder = open_or_create(path, SCHEMA)
        self._lock = threading.RLock()
        self._live: dict[str, Entry] = {}
        self._read_at = -1

    def put(self, entry: Entry, *, replace: bool = False) -> None:
        """Add an entry; `table.exists` when the name is taken, unless the old entry is to be replaced."""
        check_name(entry.name)

        def row(live: dict[str, Entry]) -> dict[str, Any]:
            if not replace and entry.name.lower() in live:
                raise HeadwaterError("table.exists", name=entry.name, warehouse=self._warehouse)
            return _row(entry)

        self._change(row)

    def succeed(self, entry: Entry, id_: str) -> None:
        """Put an entry in the place of the one with this id; nothing where that one is no longer there."""

        def row(live: dict[str, Entry]) -> dict[str, Any] | None:
            held = live.get(entry.name.lower())
            return _row(entry) if held is not None and held.id == id_ else None

        self._change(row)

    def drop(self, name: str) -> Entry:
        """Remove the entry of a name, and return it."""
        dropped: list[Entry] = []

        def row(live: dict[str, Entry]) -> dict[str, Any]:
            dropped[:] = [self._known(live, name)]
            return _row(dropped[0]) | {"dropped": True}

        self._change(row)
        return dropped[0]

    def describe(self, name: str, item: str, value: Any) -> None:
        """Set one item of a definition; None removes it."""

        def row(live: dict[str, Entry]) -> dict[str, Any]:
            entry = self._known(live, name)
            others = {key: kept for key, kept in entry.definition.items() if key != item}
            return _row(replace(entry, definition=others if value is None else others | {item: value}))

        self._change(row)

    def get(self, name: str) -> Entry:
        return self._known(self._entries(), name)

    def find(self, name: str) -> Entry | None:
        return self._entries().get(name.lower())

    def entries(self, kind: Kind | None = None) -> tuple[Entry, ...]:
        """The live entries by name."""
        live = sorted(self._entries().items())
        return tuple(entry for _, entry in live if kind is None or entry.kind == kind)

    @property
    def _warehouse(self) -> str:
        return os.path.dirname(os.path.dirname(self._folder.path))

    def _known(self, live: dict[str, Entry], name: str) -> Entry:
        if name.lower() not in live:
            known = ", ".join(sorted(entry.name for entry in live.values())) or "none"
            raise HeadwaterError("table.unknown", name=name, known=known)
        return live[name.lower()]

    def _entries(self) -> dict[str, Entry]:
        with self._lock:
            version = self._folder.latest()
            if version != self._read_at:
                rows = sorted(self._folder.read(version).to_pylist(), key=lambda row: row["sequence"])
                newest = {row["name"].lower(): row for row in rows}
                self._live = {key: _entry(row) for key, row in newest.items() if not row["dropped"]}
                self._read_at = version
            return self._live

    def _change(self, row: Callable[[dict[str, Entry]], dict[str, Any] | None]) -> None:
        for _ in range(ATTEMPTS):
            try:
                with self._lock:
                    made = row(self._entries())
                    if made is not None:
                        self._commit(made, self._read_at)
                return
            except Conflict:
                continue
        raise Conflict("catalog")

    def _commit(self, row: dict[str, Any], version: int) -> None:
        old = self._folder.files(version)
        rows = [row | {"sequence": version + 1}]
        if len(old) >= FILES_KEPT:
            key = row["name"].lower()
            rows += [_row(entry) | {"sequence": version} for name, entry in self._live.items() if name != key]
        data = self._folder.write(pa.Table.from_pylist(rows, SCHEMA))
        self._folder.commit(data, old if len(old) >= FILES_KEPT else (), expected=version)


def open_or_create(path: str, schema: pa.Schema) -> DeltaFolder:
    """The Delta table at `path`; made when it is missing, also when two processes make it at once."""
    try:
        return DeltaFolder.open(path)
    except HeadwaterError as missing:
        if missing.key != "table.not_delta":
            raise
    try:
        return DeltaFolder.create(path, schema, feed=False)
    except (DeltaError, HeadwaterError):  # somebody else made it in between
        return DeltaFolder.open(path)


def _row(entry: Entry) -> dict[str, Any]:
    return {
        "name": entry.name,
        "kind": entry.kind,
        "id": entry.id,
        "definition": json.dumps(dict(entry.definition)),
        "created_at": entry.created_at,
        "dropped": False,
    }


def _entry(row: dict[str, Any]) -> Entry:
    return Entry(row["kind"], row["name"], row["id"], json.loads(row["definition"]), row["created_at"])
