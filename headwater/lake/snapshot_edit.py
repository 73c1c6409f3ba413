"""Moving a folder of plain rows by a signed change, in one commit: how a view's new rows are published.

Idea: insertions are one more file. Removals rewrite only the files that really lose rows: the log's statistics rule
files out, then one column is read to rule out more, and the search ends when every removal is found. The commit
names a change file (see `log`), so that readers of the view's own changes read what changed and not what was
rewritten.
Invariant: rows after = rows before + change, or nothing is written at all.
Complexity: the files that lose rows, plus the folding of small files (amortised logarithmic).
Limits: unpartitioned or partitioned Delta folders whose rewritten files fit the driver, one file after the other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from headwater.errors import Conflict, HeadwaterError
from headwater.lake import parquet_files
from headwater.lake.bags import WEIGHT, consolidate, expand, most_telling, possible, signs, subtract
from headwater.lake.changes import CHANGE_TYPE
from headwater.lake.commits import applied
from headwater.lake.data_files import DataFile, NewFile
from headwater.lake.delta_table import DeltaFolder
from headwater.lake.folding import files_to_fold
from headwater.lake.log import CHANGE_KEY
from headwater.lake.pruning import files_that_may_hold

CHANGE_FOLDER = "_change_data"  # where Delta keeps its own change files, too


@dataclass(frozen=True)
class Edit:
    """Files that go, and the rows of theirs that stay."""

    files: tuple[DataFile, ...] = ()
    remaining: tuple[pa.Table, ...] = ()


def apply_change(
    folder: DeltaFolder,
    change: pa.Table,
    *,
    metadata: Mapping[str, Any] | None = None,
    transaction: tuple[str, int] | None = None,
    expected: int | None = None,
) -> int:
    """Commit `change` (the table's columns and WEIGHT) on the version `expected`, or on the newest; the new version."""
    base = folder.latest()
    if applied(folder, transaction):
        return base
    if expected not in (None, base):
        raise Conflict(folder.name)
    schema = folder.snapshot(base).schema
    inserted, removed = signs(consolidate(change.select([*schema.names, WEIGHT]).cast(_signed(schema))))
    edit = _remove(folder, base, removed) if removed.num_rows else Edit()
    rows = pa.concat_tables([*edit.remaining, expand(inserted)])
    folded = files_to_fold([file for file in folder.files(base) if file not in edit.files], rows.num_rows)
    if rows.num_rows and folded:
        rows = pa.concat_tables([folder.read(base, files=folded), rows])
        edit = Edit((*edit.files, *folded), edit.remaining)
    recorded = _record(folder, inserted, removed) if edit.files else {}
    return folder.commit(
        folder.write(rows),
        edit.files,
        metadata={**(metadata or {}), **recorded},
        transaction=transaction,
        expected=base,
    )


def replace(
    folder: DeltaFolder,
    new_files: Sequence[NewFile],
    *,
    metadata: Mapping[str, Any] | None = None,
    transaction: tuple[str, int] | None = None,
    expected: int | None = None,
    schema: pa.Schema | None = None,
) -> int:
    """Put `new_files` in the place of everything, in one commit; with `schema`, which they then have, as well."""
    base = folder.latest() if expected is None else expected
    old = folder.files(base)
    return folder.commit(new_files, old, metadata=metadata, transaction=transaction, expected=base, schema=schema)


@dataclass(frozen=True)
class Reshaped:
    """A folder as it will be under another schema: files are written for it, and committed together with the schema."""

    path: str
    schema: pa.Schema
    partition_by: tuple[str, ...] = ()

    def write(self, data: pa.Table) -> list[NewFile]:
        return parquet_files.write_files(self.path, data.select(self.schema.names).cast(self.schema), ())

    def adopt(self, staging: str) -> list[NewFile]:
        return parquet_files.adopt_files(self.path, staging)


def _signed(schema: pa.Schema) -> pa.Schema:
    return schema.append(pa.field(WEIGHT, pa.int64()))


def _remove(folder: DeltaFolder, base: int, removals: pa.Table) -> Edit:
    files: list[DataFile] = []
    remaining: list[pa.Table] = []
    for file in files_that_may_hold(folder.files(base), removals.drop_columns([WEIGHT])):
        if removals.num_rows == 0:
            break
        if not _has_candidates(folder, base, file, removals):
            continue
        rows = folder.read(base, files=[file])
        rest, removals = subtract(rows, removals)
        if rest.num_rows < rows.num_rows:
            files.append(file)
            remaining.append(rest)
    if removals.num_rows:
        example = removals.slice(0, 1).drop_columns([WEIGHT]).to_pylist()[0]
        raise HeadwaterError("view.inconsistent", name=folder.name, count=removals.num_rows, example=example)
    return Edit(tuple(files), tuple(remaining))


def _has_candidates(folder: DeltaFolder, base: int, file: DataFile, removals: pa.Table) -> bool:
    """Whether the most telling column alone leaves any row of the file; a small file is read in full anyway."""
    telling = most_telling(removals.drop_columns([WEIGHT]))
    if not telling or (file.rows or 0) < parquet_files.MAX_ROWS_PER_FILE // 8:
        return True
    column = folder.read(base, columns=telling[:1], files=[file]).column(0)
    return bool(possible(column, removals.column(telling[0])).to_numpy().any())


def _record(folder: DeltaFolder, inserted: pa.Table, removed: pa.Table) -> dict[str, Any]:
    """Write the change file that this commit names; the commit's metadata for it."""
    typed = [
        rows.append_column(CHANGE_TYPE, pa.repeat(kind, rows.num_rows))
        for rows, kind in ((expand(inserted), "insert"), (expand(removed), "delete"))
    ]
    file = parquet_files.write_file(folder.path, pa.concat_tables(typed), {}, CHANGE_FOLDER)
    return {CHANGE_KEY: [{"path": file.path, "rows": file.rows}]}
