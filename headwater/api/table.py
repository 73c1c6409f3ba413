"""A base table: every call that writes makes one version; nothing here starts Spark but `df` and Spark data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from headwater.api.finding import Finding, as_text, check_of
from headwater.errors import HeadwaterError
from headwater.lake.data import conform, is_spark_frame, to_arrow
from headwater.lake.delta_table import DeltaFolder, is_version
from headwater.lake.parquet_folder import ParquetFolder
from headwater.lake.rewriting import Check
from headwater.sql.conditions import refused

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from headwater.api.lake import Lake

Folder = DeltaFolder | ParquetFolder


@dataclass(frozen=True)
class MissingFolder:
    """In the place of a folder that cannot be read, and why."""

    path: str
    error: HeadwaterError


def as_names(given: Any, key: str, **params: Any) -> list[str]:
    """One name or several, as a list; the error of that key for anything else."""
    names = [given] if isinstance(given, str) else given or ()
    if not isinstance(names, (list, tuple)) or not all(isinstance(name, str) for name in names):
        raise HeadwaterError(key, **params)
    return list(names)


class Table:
    """A table of the lake. Get one from `lake.create_table`, `lake.attach` or `lake.table`."""

    def __init__(self, lake: Lake, name: str, folder: Folder | MissingFolder, is_view: bool = False) -> None:
        self._lake = lake
        self._found = folder
        self._is_view = is_view
        self.name = name

    def __repr__(self) -> str:
        if self.missing is not None:
            return f"Table({self.name!r}, missing)"
        return f"Table({self.name!r}, version={self.version})"

    @property
    def _folder(self) -> Folder:
        if isinstance(self._found, MissingFolder):
            raise self._found.error
        return self._found

    @property
    def missing(self) -> str | None:
        """Why the table cannot be read: the folder it was attached from is gone; None when it can."""
        return self._found.error.sentence if isinstance(self._found, MissingFolder) else None

    @property
    def path(self) -> str:
        """The folder, readable by any Delta reader."""
        return self._found.path

    @property
    def version(self) -> int:
        """The newest version."""
        return self._folder.latest()

    @property
    def schema(self) -> pa.Schema:
        return self._folder.schema

    @property
    def partition_by(self) -> tuple[str, ...]:
        return tuple(self._folder.partition_by)

    @property
    def rows(self) -> int | None:
        """How many rows the newest version has, from the log alone."""
        self._folder.latest()
        return self._folder.rows()

    # -- reading

    def df(self, version: int | None = None) -> DataFrame:
        """The rows as a Spark DataFrame, at the newest version or at an earlier one."""
        return self._lake._lane.user_frame(self._folder, self._at(version))

    def arrow(self, version: int | None = None) -> pa.Table:
        """The rows as an Arrow table; starts no Spark."""
        return self._folder.read(self._at(version))

    def changes(self, since: int, until: int | None = None) -> pa.Table:
        """The rows that came (`_hw_weight` +1) and went (-1) between two versions."""
        until = self._at(until)
        if since is None:
            raise HeadwaterError("version.unknown", name=self.name, version=since, latest=until)
        return self._folder.changes(self._at(since), until).read()

    def _at(self, version: int | None) -> int:
        self._lake._check_open()
        latest = self._folder.latest()
        if version is None:
            return latest
        if not is_version(version) or not 0 <= version <= latest:
            raise HeadwaterError("version.unknown", name=self.name, version=version, latest=latest)
        return version

    # -- writing

    def append(self, data: Any) -> int:
        """Add rows (a Spark, pandas or polars frame, an Arrow table or a list of dicts); the new version."""
        folder = self._writable("append")
        if is_spark_frame(data):
            return self._lake._lane.append_frame(folder, data, self.name)
        return folder.append(conform(to_arrow(data, folder.schema, self.name), folder.schema, self.name))

    def delete(self, where: str | None = None) -> int:
        """Remove the rows for which the condition holds (all rows without one); the new version.

        `where` is a Spark SQL expression over the table's columns.
        """
        folder = self._writable("delete")
        if where is None:
            return folder.delete()
        text = as_text("delete", self.name, where, "'id = 5'")
        finding = Finding(self._lake, self.name, folder.schema, text)
        return folder.delete(finding, shown=finding.shown)

    def update(self, updates: Mapping[str, str], where: str | None = None) -> int:
        """Set columns to Spark SQL expressions in the rows for which the condition holds; the new version."""
        folder = self._writable("update")
        values = self._assignments(updates, folder.schema.names)
        text = None if where is None else as_text("update", self.name, where, "where='id = 5'")
        finding = Finding(self._lake, self.name, folder.schema, text, values)
        return folder.update(finding, shown=finding.shown, check=self._check(folder))

    def _assignments(self, updates: Any, columns: Sequence[str]) -> dict[str, str]:
        """The text of each column's new value, by the column's own name."""
        example = "{'price': 'price * 2'}"
        if not isinstance(updates, Mapping) or not updates:
            raise HeadwaterError(
                "data.sql_text", operation="update", table=self.name, value=updates, example=f"columns as in {example}"
            )
        known = {name.lower(): name for name in columns}
        found: dict[str, str] = {}
        for name, value in updates.items():
            column = known.get(str(name).lower(), str(name))
            text = as_text("update", self.name, value, f"it as in {example}, a text in quotes within quotes")
            if column in found:
                raise refused(text, self.name, f"column {column!r} is set twice")
            found[column] = text
        return found

    def upsert(self, data: Any, on: str | Sequence[str]) -> int:
        """Replace the rows whose key is in the data, add the others; the new version."""
        folder = self._writable("upsert")
        rows = data.toArrow() if is_spark_frame(data) else data
        keys = as_names(on, "data.upsert_key", table=self.name, on=on, why="give the names of key columns")
        fitted = conform(to_arrow(rows, folder.schema, self.name), folder.schema, self.name)
        return folder.upsert(fitted, keys, check=self._check(folder))

    def _check(self, folder: DeltaFolder) -> Check | None:
        return check_of(self._lake, self.name, folder.schema, folder.rules)

    def _writable(self, operation: str) -> DeltaFolder:
        self._lake._check_open()
        if self._is_view:
            raise HeadwaterError("table.view_readonly", name=self.name)
        if isinstance(self._folder, DeltaFolder):
            self._folder.latest()  # another writer may have changed the schema
            return self._folder
        raise HeadwaterError("table.attached_readonly", name=self.name, operation=operation)
