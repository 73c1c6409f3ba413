"""A folder of Parquet files that somebody else appends to, with versions.

Idea: a version is a set of files. The sets are kept in a small Delta table (the manifest): one row per file, with the
version that it came in with. A new version is made when `latest` finds files that the manifest does not know.
Invariant: files are only ever added. One that vanished, shrank, grew or was touched is an error that names it,
because what was derived from it can no longer be put right.
Complexity: `latest` looks at the state of every file (no content); a new file's footer is read once.
Limits: no partition columns; names that begin with `_` or `.` are not looked at, so a writer can finish its files
under such a name first.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence

import pyarrow as pa
import pyarrow.parquet as pq

from headwater.errors import Conflict, HeadwaterError
from headwater.lake import parquet_files, storage
from headwater.lake.arrivals import MOST_ARRIVALS, Arrival, Arrivals, in_order
from headwater.lake.arrow_types import plain_schema, selected
from headwater.lake.catalog import open_or_create
from headwater.lake.changes import Change, ChangePiece
from headwater.lake.data_files import DataFile
from headwater.lake.delta_table import DeltaFolder, is_version
from headwater.lake.folding import files_to_fold
from headwater.lake.spark_types import type_name

ATTEMPTS = 20
SUFFIX = ".parquet"
SCHEMA = pa.schema(
    [
        ("path", pa.string()),
        ("size", pa.int64()),
        ("modified_ns", pa.int64()),
        ("rows", pa.int64()),
        ("version", pa.int64()),
    ]
)
SCHEMA_KEY = "headwater.arrow_schema"  # hex of the schema all files must have, in the manifest's commits


class ParquetFolder:
    partition_by: tuple[str, ...] = ()

    def __init__(self, path: str | os.PathLike[str], manifest: str, name: str | None = None) -> None:
        """The folder at `path`, whose versions are kept at `manifest`; the first use attaches it."""
        self.path = storage.local_path(path)
        self.name = name or os.path.basename(self.path)
        if not storage.is_folder(self.path):
            raise HeadwaterError("table.not_delta", path=self.path)
        self._lock = threading.RLock()
        self._manifest: DeltaFolder = open_or_create(manifest, SCHEMA)
        self._rows: list[dict[str, int | str]] = []
        self._read_at = -1
        self.schema = self._find_schema()
        self.latest()

    @property
    def version(self) -> int:
        return max((int(row["version"]) for row in self._rows), default=0)

    def latest(self) -> int:
        """The newest version; looks at the folder and takes up the files that are new."""
        with self._lock:
            for _ in range(ATTEMPTS):
                known_at = self._read_manifest()
                new = self._new_files()
                if not new:
                    return self.version
                try:
                    self._take_up(new, known_at)
                except Conflict:
                    continue
            raise Conflict(self.name)

    def _read_manifest(self) -> int:
        newest = self._manifest.latest()
        if newest != self._read_at:
            self._rows = self._manifest.read(newest).sort_by("path").to_pylist()
            self._read_at = newest
        return newest

    def _new_files(self) -> list[storage.FileState]:
        present = {state.path: state for state in storage.walk(self.path) if state.path.endswith(SUFFIX)}
        for row in self._rows:
            state = present.pop(str(row["path"]), None)
            if state is None:
                raise self._refuse(str(row["path"]), "it was there before and is gone")
            if (state.size, state.modified_ns) != (row["size"], row["modified_ns"]):
                raise self._refuse(state.path, "it has changed since it was first read")
        return list(present.values())

    def _take_up(self, states: list[storage.FileState], known_at: int) -> None:
        version = self.version + 1
        rows = [
            {
                "path": state.path,
                "size": state.size,
                "modified_ns": state.modified_ns,
                "rows": self._check(state.path),
                "version": version,
            }
            for state in states
        ]
        folded = files_to_fold(self._manifest.files(known_at), len(rows))
        data = pa.concat_tables([self._manifest.read(known_at, files=folded), pa.Table.from_pylist(rows, SCHEMA)])
        metadata = {SCHEMA_KEY: self.schema.serialize().to_pybytes().hex()}
        self._manifest.commit(self._manifest.write(data), folded, metadata=metadata, expected=known_at)

    def _find_schema(self) -> pa.Schema:
        """The schema kept in the manifest, else that of the first file."""
        kept = self._manifest.metadata_of_latest(SCHEMA_KEY)
        if kept is not None:
            return pa.ipc.read_schema(pa.py_buffer(bytes.fromhex(kept[1])))
        for state in storage.walk(self.path):
            if state.path.endswith(SUFFIX):
                return self._footer_schema(state.path)[0]
        raise HeadwaterError("table.not_delta", path=self.path)

    def _footer_schema(self, path: str) -> tuple[pa.Schema, int]:
        if "=" in os.path.dirname(path):
            raise self._refuse(path, "partition folders (name=value) are not supported; attach a Delta table instead")
        try:
            with pq.ParquetFile(os.path.join(self.path, path), coerce_int96_timestamp_unit="us") as file:
                return _storable(plain_schema(file.schema_arrow)), file.metadata.num_rows
        except (pa.ArrowInvalid, OSError) as error:
            raise self._refuse(path, f"it is not a complete Parquet file ({error})") from error

    def _check(self, path: str) -> int:
        found, rows = self._footer_schema(path)
        if found.names != self.schema.names or found.types != self.schema.types:
            raise self._refuse(path, f"its columns are {_spelled(found)}, those of the folder {_spelled(self.schema)}")
        return rows

    def _refuse(self, path: str, why: str) -> HeadwaterError:
        return HeadwaterError("table.folder_file", file=path, path=self.path, why=why)

    def require_version(self, version: int) -> None:
        if not is_version(version) or not 0 <= version <= self.version:
            raise HeadwaterError("version.unknown", name=self.name, version=version, latest=self.version)

    def files(self, version: int | None = None) -> tuple[DataFile, ...]:
        number = self.version if version is None else version
        self.require_version(number)
        return tuple(_data_file(row) for row in self._rows if int(row["version"]) <= number)

    def absolute(self, file: DataFile) -> str:
        return storage.join(self.path, file.path)

    def rows(self, version: int | None = None) -> int:
        return sum(file.rows or 0 for file in self.files(version))

    def read(
        self,
        version: int | None = None,
        columns: Sequence[str] | None = None,
        files: Sequence[DataFile] | None = None,
    ) -> pa.Table:
        schema = selected(self.schema, columns)
        tables = [self._read_file(file, schema) for file in (self.files(version) if files is None else files)]
        return pa.concat_tables(tables) if tables else schema.empty_table()

    def _read_file(self, file: DataFile, schema: pa.Schema) -> pa.Table:
        try:
            return parquet_files.read_file(self.absolute(file), schema, {})
        except FileNotFoundError:
            raise self._refuse(file.path, "it was there before and is gone") from None

    def arrivals(self) -> Arrivals:
        """The last versions; each came when the youngest of its files was written."""
        first = max(1, self.latest() - MOST_ARRIVALS + 1)
        return Arrivals(in_order(self._arrival(version) for version in range(first, self.version + 1)), first == 1)

    def _arrival(self, version: int) -> Arrival:
        files = [row for row in self._rows if row["version"] == version]
        youngest = max(int(row["modified_ns"]) for row in files)
        return Arrival(version, youngest / 1e9, sum(int(row["rows"]) for row in files), 0)

    def changes(self, since: int, until: int | None = None) -> Change:
        until = self.latest() if until is None else until
        self.require_version(until)
        self.require_version(since)
        if since > until:
            raise HeadwaterError("version.order", name=self.name, since=since, until=until)
        added = [_data_file(row) for row in self._rows if since < int(row["version"]) <= until]
        pieces = tuple(ChangePiece(self.absolute(file), 1, "data", file.rows) for file in added)
        return Change(self.name, since, until, self.schema, pieces, until - since)


def _data_file(row: dict[str, int | str]) -> DataFile:
    return DataFile(str(row["path"]), int(row["size"]), int(row["rows"]))


def _storable(schema: pa.Schema) -> pa.Schema:
    """Timestamps in microseconds, as every table has them."""
    fields = [
        field.with_type(pa.timestamp("us", field.type.tz and "UTC")) if pa.types.is_timestamp(field.type) else field
        for field in schema
    ]
    return pa.schema([field.with_nullable(True) for field in fields])


def _spelled(schema: pa.Schema) -> str:
    return ", ".join(f"{field.name} {type_name(field.type)}" for field in schema)
