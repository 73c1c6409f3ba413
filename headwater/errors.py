"""Every error Headwater raises on purpose, in one place.

Idea: an error is a stable key with parameters; the sentence belongs to the key and says what to do next.
Invariant: a key that is raised is in `SENTENCES`, and `docs/errors.md` is generated from it, so neither can drift.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

SENTENCES: dict[str, str] = {
    # -- data and tables
    "table.exists": "A table or view named {name!r} already exists in {warehouse}; choose another name or drop it first.",
    "table.unknown": "There is no table or view named {name!r}; known here: {known}.",
    "table.name": "{name!r} is not a usable name: {why}.",
    "table.in_use": "{name!r} is read by {readers}; drop those views first.",
    "table.attached_readonly": "{name!r} is an attached Parquet folder, which is append-only; {operation} needs a Delta table.",
    "table.feature": "{path} uses the Delta feature {feature!r}, which Headwater would misread; rewrite the table without it.",
    "table.write_rule": "Table {name!r} has {rule}, which only the engine that made it can keep; make this change there.",
    "table.not_delta": "{path} is neither a Delta table nor a folder of Parquet files; check the path.",
    "table.view_readonly": "{name!r} is a view; change the tables it reads, then refresh it.",
    "table.partition": "Table {name!r} cannot be partitioned by {column!r}: {why}; choose another column.",
    "table.columns": "Table {name!r} cannot be made: {why}.",
    "table.gone": "The attached table {name!r} is no longer at {path}; put it back, or drop it and the views that read it.",
    "table.recreated": "{path} is not the table that was known as {name!r}: it was deleted and made anew. Put the old one back, or drop {name!r} and the views that read it and attach it again.",
    "table.unreadable": "The Delta log in {path} cannot be read: {why}.",
    "table.folder_file": "{file} in the attached folder {path} cannot be used: {why}; attached folders are append-only Parquet of one schema.",
    "data.unknown_kind": "Data of type {kind} cannot be read; give a Spark or pandas or polars frame, an Arrow table or a list of dicts.",
    "data.missing_column": "Column {column!r} is missing from the data for {table!r}; add it (the table has: {expected}).",
    "data.extra_column": "Column {column!r} is not in table {table!r}; remove it from the data (the table has: {expected}).",
    "data.wrong_type": "Column {column!r} of table {table!r} is {expected}, but the data has {actual}; cast it first.",
    "data.null": "Column {column!r} of table {table!r} does not allow NULL, but the data has {count} of them.",
    "data.unstorable": "Column {column!r} for table {table!r} has type {type}: {why}.",
    "data.upsert_key": "Upsert into {table!r} on {on}: {why}.",
    "data.predicate": "The SQL {predicate!r} cannot be used on table {table!r}: {why}.",
    "data.sql_text": "{operation} on {table!r} takes SQL as text, not {value!r}; write {example}.",
    "data.assignment": "{what} is of type {type}, where {wanted} is needed; cast it.",
    "data.rule": "These rows break a rule of table {table!r}: {why}; nothing was written.",
    "version.unknown": "{name!r} has no version {version!r}; it stands at {latest}, versions are 0 to {latest}.",
    "version.order": "Changes of {name!r} go from an older version to a newer one, not from {since} to {until}.",
    "data.unreadable": "Files that {name!r} needs cannot be read: {why}. Nothing was changed; restore the files.",
    "version.vacuumed": "The history of {name!r} below version {version} has been vacuumed away; a full refresh is needed.",
    "commit.conflict": "Another writer changed {name!r} at the same time; nothing was written here. Try again.",
    "warehouse.not_folder": "{path} is a file, not a folder; give a folder for the warehouse.",
    "warehouse.path": "A warehouse is a folder, given as text or a path, not {value!r}.",
    "warehouse.unusable": "The folder {path} cannot be used as a warehouse: {why}.",
    "warehouse.session": "spark must be a SparkSession, not {value!r}; leave it out to have a local one started.",
    "warehouse.format": "{path} was written by a newer Headwater (format {found}, this one reads up to {supported}); upgrade.",
    "warehouse.closed": "This lake has been closed; call headwater.connect again.",
    # -- SQL
    "sql.syntax": "The SQL could not be parsed: {why}.",
    "sql.invalid": "Spark refuses this SQL: {why}.",
    "sql.not_text": "SQL is given as text; this is a {kind}.",
    "sql.not_run": "lake.sql does not run {statement}; {instead}.",
    "sql.runtime": "Spark could not compute {name!r}: {why} ({condition}). Nothing was changed; correct the rows it reads, or its SQL: try_cast, try_divide and their like give NULL instead.",
    "sql.not_a_query": "Only a single SELECT can define a view; this is {what}.",
    "sql.ddl": "This statement is not understood: {why}.",
    # -- views
    "view.unknown": "There is no view named {name!r}; known here: {known}.",
    "view.cycle": "View {name!r} would read itself through {path}; break the cycle.",
    "view.policy": "{policy!r} is not a refresh policy; use one of auto, incremental, strict, full.",
    "view.option": "{option} cannot be {value!r}; {expected}.",
    "view.column_type": "Column {column!r} of view {name!r} has type {type}, which a table cannot hold; give it another, as in CAST(... AS STRING).",
    "view.duplicate_column": "View {name!r} would have two columns named {column!r}; give one of them another name with AS.",
    "view.strict": "View {name!r} cannot be refreshed incrementally as its policy demands: {reason} Use policy='auto' to allow full refreshes.",
    "view.dropped": "View {name!r} has been dropped, or replaced by another one, since this handle was made; get it with lake.view({name!r}).",
    "view.failed": "View {name!r} could not be refreshed: {why}. Nothing was changed.",
    "view.not_read": "View {name!r} does not read table {table!r}; it reads: {reads}.",
    "view.source_changed": "View {name!r} uses column {column!r} of {table!r}, which is {change}; the view stands as it was. Restore the column or replace the view.",
    "view.schema_mismatch": "The compiled plan of view {name!r} has schema {compiled}, Spark's own is {expected}; please report this query.",
    "view.replaced": "View {name!r} has other columns since its version {version}, when it was replaced; ask for its changes since then.",
    "view.source_gone": "Table {table!r}, which view {name!r} reads, is no longer there; restore it or drop the view.",
    "view.inconsistent": "{count} rows to be removed are not in {name!r}, for example {example}; nothing was written. Run a full refresh.",
    # -- what is expected of tables
    "expect.number": "The {what} expected of table {table!r} cannot be {value!r}; give a whole number of rows, 0 or more. None for inserts, alone, withdraws what was declared.",
    "expect.complete": "Whether table {table!r} is complete cannot be {value!r}; give True or False.",
    "expect.both": "Table {table!r} cannot be declared {stated} and to expect {inserts} inserts and {deletes} deletes; leave one of them out.",
    "expect.like": "Table {table!r} cannot be expected to arrive like {like!r}: {why}. Name a table whose rows have all come.",
    "expect.view": "{name!r} is a view: what it changes by follows from the tables that it reads; declare what is expected of those ({reads}).",
    "expect.broken": "Table {table!r} was declared complete at version {declared}, but version {version} changed it; the declaration is ignored until lake.expect renews it.",
    # -- why something is not incremental (used as reasons as well as errors)
    "unsupported.node": "The operator {node} has no incremental rule yet.",
    "unsupported.function": "{function} gives a different answer each time it is evaluated.",
    "unsupported.syntax": "{what} is not maintained incrementally yet.",
    # -- machine
    "spark.stopped": "The Spark session of this lake has been stopped; connect again, with one that runs or with none.",
    "spark.failed": "Spark failed while it computed {name!r}: {why}. Nothing was changed; try again.",
    "java.too_old": "Spark needs Java 17 or newer; found {found} at {path}. Set JAVA_HOME to a newer one or run `make setup`.",
    "java.missing": "Spark needs Java 17 or newer and none was found; set JAVA_HOME or run `make setup`.",
    "lane.unknown": "{lane!r} is not a lane; use auto, spark or local.",
    "lane.impossible": "View {name!r} cannot be refreshed in the local lane: {reason} Use lane='auto' or lane='spark'.",
    "lane.failed": "The local lane could not compute this refresh: {why}. Use lane='auto' or lane='spark', whose word counts.",
    # -- why a refresh is not local (used as reasons as well as errors)
    "lane.expression": "The local lane does not evaluate {expression}: {why}; docs/sql-support.md lists what it does.",
    "lane.type": "The local lane holds no columns of type {type}.",
    "lane.node": "The local lane has no form of the operator {node}.",
    "lane.large": "A change of {rows} rows is Spark's: the local lane takes up to {most}.",
    "lane.functions": "Functions of your own ({functions}) are called by Spark only.",
    "lane.session": "The local lane needs a session in ANSI mode whose time zone is UTC; here spark.sql.{setting} is {value}.",
    "lane.budget": "The local lane would need {need} for the tables and pasts that it reads, and has {budget}; driver_budget sets it.",
}


@dataclass(frozen=True)
class Position:
    """A place in the user's SQL; both counts start at 1."""

    line: int
    column: int

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}"


class HeadwaterError(Exception):
    """The one base class: `.key` is stable, `.params` can be tested, `str()` tells the user what to do next."""

    def __init__(self, key: str, *, position: Position | None = None, **params: Any) -> None:
        self.key = key
        self.params = params
        self.position = position
        super().__init__(self.sentence)

    @property
    def sentence(self) -> str:
        where = f" (at {self.position})" if self.position else ""
        return SENTENCES[self.key].format(**self.params) + where


class Conflict(HeadwaterError):
    """Another writer won; nothing was written, the call can be repeated."""

    def __init__(self, name: str) -> None:
        super().__init__("commit.conflict", name=name)


class Unsupported(HeadwaterError):
    """Something that no incremental rule covers: the named reason of a full refresh, or a refusal under `strict`."""
