"""A Delta table in a folder: versions, files, rows, changes, commits. Every table, view and stored past is one.

Idea: delta-rs reads and writes the log; rows are read and written by pyarrow (or by Spark, whose files are
adopted).
Invariant: a version, once seen, never changes; a commit is all or nothing; files that no commit names are
invisible.
Complexity: `latest` 1 ms when nothing moved; snapshots cost their number of files, once per version; `changes`
costs the commits in between; `read` the columns asked for.
Limits: deletion vectors, column mapping and unknown reader features are refused by name. An instance may be used by
several threads; processes meet only in the log.
"""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

import pyarrow as pa
from deltalake import DeltaTable
from deltalake.exceptions import DeltaError, TableNotFoundError

from headwater.errors import HeadwaterError
from headwater.lake import commits, dml, parquet_files, partitions, storage
from headwater.lake.arrivals import Arrival, Arrivals, count, recent_arrivals
from headwater.lake.arrow_types import plain_schema, selected
from headwater.lake.changes import Change, change_between
from headwater.lake.commits import CommitRequest
from headwater.lake.data_files import DataFile, NewFile
from headwater.lake.log import Commit, read_commit
from headwater.lake.rewriting import Check, Finder
from headwater.lake.snapshots import Snapshot, computed_column, refuse_unreadable, rules_of, take_snapshot, unreadable
from headwater.lake.spark_types import type_name
from headwater.lake.vacuum import vacuum

SNAPSHOTS_KEPT = 8
COMMITS_KEPT = 512
KEEP_THE_LOG = {"delta.enableExpiredLogCleanup": "false"}  # a cursor may be older than Delta's 30 days

__all__ = ["DataFile", "DeltaFolder", "NewFile"]


class DeltaFolder:
    def __init__(self, path: str, table: DeltaTable) -> None:
        self.path = path
        self.lock = threading.RLock()
        self._table = table
        self._snapshots: OrderedDict[int, Snapshot] = OrderedDict()
        self._commits: OrderedDict[int, Commit] = OrderedDict()
        self._counted: OrderedDict[int, Arrival] = OrderedDict()
        self._searched: dict[str, tuple[int, tuple[int, Any] | None]] = {}
        self._birth: tuple[storage.FileState, str] | None = None
        refuse_unreadable(path, table)

    @classmethod
    def create(
        cls,
        path: str | os.PathLike[str],
        schema: pa.Schema,
        partition_by: Sequence[str] = (),
        *,
        feed: bool = True,
        metadata: Mapping[str, Any] | None = None,
    ) -> DeltaFolder:
        root = storage.local_path(path)
        schema = plain_schema(schema)
        _check_partitioning(root, schema, partition_by)
        properties = KEEP_THE_LOG | ({"delta.enableChangeDataFeed": "true"} if feed else {})
        if DeltaTable.is_deltatable(root):
            raise HeadwaterError("table.exists", name=os.path.basename(root), warehouse=os.path.dirname(root))
        table = DeltaTable.create(
            root,
            schema,
            partition_by=list(partition_by),
            configuration=properties,
            commit_properties=CommitRequest(metadata=metadata or {}).properties(),
        )
        return cls(root, table)

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> DeltaFolder:
        root = storage.local_path(path)
        try:
            return cls(root, DeltaTable(root))
        except TableNotFoundError:
            raise HeadwaterError("table.not_delta", path=root) from None
        except DeltaError as error:
            raise unreadable(root, error) from error

    @property
    def name(self) -> str:
        return os.path.basename(self.path)

    def birth(self) -> str | None:
        """What tells this table from one made later in its place: its first commit; None where that was cleaned up."""
        path = storage.commit_path(self.path, 0)
        state = storage.state(path)
        if state is None:
            return None
        if self._birth is None or self._birth[0] != state:
            self._birth = (state, sha256(storage.read_text(path).encode()).hexdigest()[:16])
        return self._birth[1]

    @property
    def delta(self) -> DeltaTable:
        """delta-rs's own handle, at the version last seen; hold `lock` while using it."""
        return self._table

    @property
    def version(self) -> int:
        return self._table.version()

    @property
    def schema(self) -> pa.Schema:
        return self.snapshot().schema

    @property
    def partition_by(self) -> tuple[str, ...]:
        return self.snapshot().partition_by

    def latest(self) -> int:
        """The newest version; looks at the log."""
        with self.lock:
            before = self._table.version()
            if not storage.is_folder(os.path.join(self.path, storage.LOG_FOLDER)):
                raise HeadwaterError("table.not_delta", path=self.path)
            try:
                self._table.update_incremental()
            except DeltaError as error:
                raise unreadable(self.path, error) from error
            if self._table.version() != before:
                refuse_unreadable(self.path, self._table)
            return self._table.version()

    def snapshot(self, version: int | None = None) -> Snapshot:
        """The state at a version; None is the version last seen."""
        with self.lock:
            number = self._table.version() if version is None else version
            if number not in self._snapshots:
                self._snapshots[number] = take_snapshot(self._table_at(number))
                while len(self._snapshots) > SNAPSHOTS_KEPT:
                    self._snapshots.popitem(last=False)
            self._snapshots.move_to_end(number)
            return self._snapshots[number]

    def _table_at(self, version: int) -> DeltaTable:
        if version == self._table.version():
            return self._table
        self.require_version(version)
        try:
            table = DeltaTable(self.path, version=version)
        except DeltaError:
            raise HeadwaterError("version.vacuumed", name=self.name, version=version) from None
        refuse_unreadable(self.path, table)
        return table

    def require_version(self, version: int) -> None:
        if not is_version(version) or version < 0 or (version > self.version and version > self.latest()):
            raise HeadwaterError("version.unknown", name=self.name, version=version, latest=self.version)

    def schema_at(self, version: int) -> pa.Schema:
        return self.snapshot(version).schema

    def files(self, version: int | None = None) -> tuple[DataFile, ...]:
        return self.snapshot(version).files

    def absolute(self, file: DataFile | NewFile) -> str:
        return storage.join(self.path, file.path)

    def rows(self, version: int | None = None) -> int | None:
        """The number of rows, from the log alone; None when some file has no statistics."""
        counts = [file.rows for file in self.files(version)]
        return None if None in counts else sum(count for count in counts if count is not None)

    def read(
        self,
        version: int | None = None,
        columns: Sequence[str] | None = None,
        files: Sequence[DataFile] | None = None,
    ) -> pa.Table:
        snapshot = self.snapshot(version)
        schema = selected(snapshot.schema, columns)
        tables = [self._read_file(file, schema, snapshot) for file in (snapshot.files if files is None else files)]
        return pa.concat_tables(tables) if tables else schema.empty_table()

    def _read_file(self, file: DataFile, schema: pa.Schema, snapshot: Snapshot) -> pa.Table:
        try:
            return parquet_files.read_file(self.absolute(file), schema, file.partition)
        except FileNotFoundError:
            raise HeadwaterError("version.vacuumed", name=self.name, version=snapshot.version + 1) from None

    def commit_at(self, version: int) -> Commit:
        """What one version changed."""
        with self.lock:
            if version not in self._commits:
                try:
                    self._commits[version] = read_commit(self.path, version)
                except FileNotFoundError:
                    raise HeadwaterError("version.vacuumed", name=self.name, version=version) from None
                while len(self._commits) > COMMITS_KEPT:
                    self._commits.popitem(last=False)
            return self._commits[version]

    def arrival_at(self, version: int) -> Arrival:
        """How many rows came and went with one version."""
        with self.lock:
            if version not in self._counted:
                self._counted[version] = count(self.path, self.commit_at(version))
                while len(self._counted) > COMMITS_KEPT:
                    self._counted.popitem(last=False)
            return self._counted[version]

    def arrivals(self) -> Arrivals:
        """The last versions that changed rows."""
        return recent_arrivals(self)

    def changes(self, since: int, until: int | None = None) -> Change:
        return change_between(self, since, self.latest() if until is None else until)

    def commit(
        self,
        add: Sequence[NewFile],
        remove: Sequence[DataFile] = (),
        *,
        metadata: Mapping[str, Any] | None = None,
        transaction: tuple[str, int] | None = None,
        expected: int | None = None,
        schema: pa.Schema | None = None,
    ) -> int:
        """One commit; `Conflict` when `expected` is no longer the newest version or a removed file is gone.

        With another schema, it is the table's from then on, and all files before it must be removed.
        """
        request = CommitRequest(tuple(add), tuple(remove), metadata or {}, transaction, expected, schema)
        return commits.commit(self, request)

    def write(self, data: pa.Table, *, max_rows_per_file: int = parquet_files.MAX_ROWS_PER_FILE) -> list[NewFile]:
        """Write rows, in the table's types, into files of this folder, not yet committed."""
        data = data.select(self.schema.names).cast(self.schema)
        return parquet_files.write_files(self.path, data, self.partition_by, max_rows_per_file)

    def adopt(self, staging: str) -> list[NewFile]:
        """Take over the Parquet files that Spark wrote below `<path>/<staging>`, not yet committed."""
        return parquet_files.adopt_files(self.path, staging)

    def transaction_version(self, app: str) -> int | None:
        with self.lock:
            return self._table.transaction_version(app)

    def metadata_of_latest(self, key: str) -> tuple[int, Any] | None:
        """The newest version whose commit carries `key`, and its value; commits of other writers are passed over."""
        newest = self.latest()
        searched, found = self._searched.get(key, (-1, None))
        for version in range(newest, searched, -1):
            if not storage.exists(storage.commit_path(self.path, version)):
                break
            info = self.commit_at(version).info
            if key in info:
                found = (version, info[key])
                break
        self._searched[key] = (newest, found)
        return found

    def append(
        self, data: pa.Table, metadata: Mapping[str, Any] | None = None, transaction: tuple[str, int] | None = None
    ) -> int:
        return dml.append(self, data, CommitRequest(metadata=metadata or {}, transaction=transaction))

    def delete(self, finder: Finder | None = None, metadata: Mapping[str, Any] | None = None, shown: str = "") -> int:
        """Remove the rows that `finder` finds, or all; `shown` is the condition as the log tells it."""
        told = {"predicate": shown} if shown else {}
        return dml.delete(self, finder, CommitRequest(metadata=metadata or {}), told)

    def update(
        self, finder: Finder, metadata: Mapping[str, Any] | None = None, shown: str = "", check: Check | None = None
    ) -> int:
        """Set the rows that `finder` finds to the values that it gives them."""
        told = {"predicate": shown} if shown else {}
        return dml.update(self, finder, CommitRequest(metadata=metadata or {}), told, check)

    def upsert(
        self,
        data: pa.Table,
        on: Sequence[str],
        metadata: Mapping[str, Any] | None = None,
        check: Check | None = None,
    ) -> int:
        return dml.upsert(self, data, on, CommitRequest(metadata=metadata or {}), check)

    def refuse_nulls(self, files: Sequence[NewFile], name: str) -> None:
        """Raise for written rows with NULL in a column that does not allow it."""
        for field in self.schema:
            if field.nullable:
                continue
            count = sum(parquet_files.nulls(self.absolute(file), field.name, file) for file in files)
            if count:
                raise HeadwaterError("data.null", column=field.name, table=name, count=count)

    def discard(self, files: Sequence[NewFile]) -> None:
        """Remove files that were written and will not be committed."""
        for file in files:
            storage.remove(self.absolute(file))

    @property
    def computed(self) -> str | None:
        """A column whose values only the table's own engine can give, if there is one."""
        with self.lock:
            return computed_column(self._table)

    @property
    def rules(self) -> dict[str, str]:
        """What must be true of every row: rule by name, in SQL."""
        with self.lock:
            return rules_of(self._table)

    def vacuum(self, keep_version: int) -> int:
        """Remove the files that no version from `keep_version` on needs; how many were removed."""
        return vacuum(self, keep_version)


def is_version(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _check_partitioning(path: str, schema: pa.Schema, partition_by: Sequence[str]) -> None:
    for column in partition_by:
        if column not in schema.names:
            why = f"there is no such column, the table has {', '.join(schema.names)}"
        elif list(partition_by).count(column) > 1:
            why = "it is named twice"
        elif not partitions.can_partition(schema.field(column).type):
            why = f"its type is {type_name(schema.field(column).type)}"
        elif len(set(partition_by)) == len(schema.names):
            why = "no column would remain in the files"
        else:
            continue
        raise HeadwaterError("table.partition", name=os.path.basename(path), column=column, why=why)
