"""What happened to a folder between two versions: a signed bag of rows, found in the log, read only when asked.

Idea: per commit take its recorded change files where it has them (the change data feed) and they can be trusted (see
`log`), else its added files at +1 and its removed files at -1. A file that is added and later removed inside the range
is left out. Commits that only move rows between files (`dataChange` false: OPTIMIZE) are no change.
Invariant: rows(until) = rows(since) + change, as bags, for any Delta table, whoever wrote it.
Complexity: the commits in between to find it, the files they touched to read it. Whole-file removals also read the
rows that were merely copied; `needs_netting` says so.
Limits: files or commits that were vacuumed away make the change unknown (`version.vacuumed`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Literal, Protocol, TypeVar

import pyarrow as pa
import pyarrow.compute as pc

from headwater.errors import HeadwaterError
from headwater.lake import parquet_files, storage
from headwater.lake.arrow_types import has_fractions, selected
from headwater.lake.bags import WEIGHT, consolidate
from headwater.lake.log import Commit, FileAction

CHANGE_TYPE = "_change_type"
POSITIVE = pa.array(["insert", "update_postimage"])

Result = TypeVar("Result")

__all__ = ["CHANGE_TYPE", "WEIGHT", "Change", "ChangePiece", "Versioned", "change_between", "with_weight"]


class Versioned(Protocol):
    """What a change is found in: a Delta table."""

    path: str

    @property
    def name(self) -> str: ...
    def require_version(self, version: int) -> None: ...
    def commit_at(self, version: int) -> Commit: ...
    def schema_at(self, version: int) -> pa.Schema: ...


@dataclass(frozen=True)
class ChangePiece:
    """One file that belongs to a change. A `data` file counts `sign` for each row, a `cdc` file says it per row."""

    path: str  # absolute
    sign: int
    kind: Literal["data", "cdc"]
    rows: int | None
    partition: Mapping[str, str | None] = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class Change:
    name: str
    since: int
    until: int
    schema: pa.Schema = field(repr=False, hash=False)  # of the table at `until`
    pieces: tuple[ChangePiece, ...]
    commits: int  # that changed data

    @property
    def empty(self) -> bool:
        return not self.pieces

    @cached_property
    def rows(self) -> int:
        """At most this many rows; from the log, else from the footers of the files."""
        return sum(self._read(parquet_files.count_rows, p) if p.rows is None else p.rows for p in self.pieces)

    @property
    def needs_netting(self) -> bool:
        """Whole files were removed and rows added: the same row may count on both sides."""
        removed = any(piece.kind == "data" and piece.sign < 0 for piece in self.pieces)
        return removed and any(piece.kind == "cdc" or piece.sign > 0 for piece in self.pieces)

    def read(self, columns: Sequence[str] | None = None) -> pa.Table:
        """The table's columns (or those asked for, in that order) and WEIGHT."""
        schema = selected(self.schema, columns)
        tables = [self._read(partial(_read_piece, piece, schema), piece) for piece in self.pieces]
        if not tables:
            return with_weight(schema.empty_table(), 1)
        signed = pa.concat_tables(tables)
        return consolidate(signed) if self.needs_netting or self._may_cancel(signed) else signed

    def _may_cancel(self, signed: pa.Table) -> bool:
        """An update may give one row what it takes from another."""
        if all(piece.kind == "data" for piece in self.pieces):
            return False
        signs = pc.min_max(signed.column(WEIGHT))
        return bool(signs["min"].as_py() != signs["max"].as_py())

    def _read(self, reader: Callable[[str], Result], piece: ChangePiece) -> Result:
        try:
            return reader(piece.path)
        except FileNotFoundError:
            raise HeadwaterError("version.vacuumed", name=self.name, version=self.until) from None


def with_weight(rows: pa.Table, weight: int) -> pa.Table:
    return rows.append_column(WEIGHT, pa.repeat(pa.scalar(weight, pa.int64()), rows.num_rows))


def _read_piece(piece: ChangePiece, schema: pa.Schema, path: str) -> pa.Table:
    if piece.kind == "data":
        return with_weight(parquet_files.read_file(path, schema, piece.partition), piece.sign)
    typed = schema.append(pa.field(CHANGE_TYPE, pa.string()))
    rows = parquet_files.read_file(path, typed, piece.partition)
    weight = pc.if_else(
        pc.is_in(rows.column(CHANGE_TYPE), POSITIVE), pa.scalar(1, pa.int64()), pa.scalar(-1, pa.int64())
    )
    return rows.drop_columns([CHANGE_TYPE]).append_column(WEIGHT, weight)


def change_between(folder: Versioned, since: int, until: int) -> Change:
    folder.require_version(until)
    folder.require_version(since)
    if since > until:
        raise HeadwaterError("version.order", name=folder.name, since=since, until=until)
    commits = [commit for version in range(since + 1, until + 1) if (commit := folder.commit_at(version)).changes_data]
    fractions = has_fractions(folder.schema_at(until))
    pieces = tuple(_pieces(folder.path, commits, fractions))
    for piece in pieces:
        if not storage.exists(piece.path):
            raise HeadwaterError("version.vacuumed", name=folder.name, version=until)
    return Change(folder.name, since, until, folder.schema_at(until), pieces, len(commits))


def _pieces(root: str, commits: Iterable[Commit], fractions: bool) -> Iterable[ChangePiece]:
    recorded: list[ChangePiece] = []
    whole: dict[str, ChangePiece] = {}
    for commit in commits:
        trusted = not commit.inexact_record and not (fractions and commit.inexact_with_fractions)
        if commit.recorded and trusted:
            recorded += [_piece(root, action, 1, "cdc") for action in commit.recorded]
            continue
        for action in commit.removes:
            if action.data_change and whole.pop(action.path, None) is None:
                whole[action.path] = _piece(root, action, -1, "data")
        for action in commit.adds:
            if action.data_change and whole.pop(action.path, None) is None:
                whole[action.path] = _piece(root, action, 1, "data")
    return [*whole.values(), *recorded]


def _piece(root: str, action: FileAction, sign: int, kind: Literal["data", "cdc"]) -> ChangePiece:
    return ChangePiece(storage.join(root, action.path), sign, kind, action.rows, action.partition)
