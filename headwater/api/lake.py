"""A lake: tables, views and SQL over one warehouse folder.

Idea: everything that lasts is in Delta tables below the folder; this object only holds open handles. Spark starts
when something first needs it.
"""

from __future__ import annotations

import dataclasses
import os
import shutil
import time
import uuid
from collections.abc import Callable, Iterable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from headwater.algebra.statistics import TableStatistics
from headwater.api.replacing import entry_of, in_force, replaced
from headwater.api.table import Folder, MissingFolder, Table, as_names
from headwater.api.view import View
from headwater.engine.lanes import LANES
from headwater.engine.local.lane import LocalLane
from headwater.engine.types import arrow_schema, arrow_type, plan_schema
from headwater.errors import HeadwaterError
from headwater.lake.catalog import Catalog, Entry
from headwater.lake.data import conform, is_spark_frame, is_spark_session, schema_from, to_arrow
from headwater.lake.delta_table import DeltaFolder
from headwater.lake.history import History
from headwater.lake.parquet_folder import ParquetFolder
from headwater.lake.storable import storable, storable_schema
from headwater.lake.storage import local_path
from headwater.lake.warehouse import Warehouse, check_name
from headwater.refresh.definition import Definition, define
from headwater.refresh.expected import Watched, expected_change
from headwater.refresh.explain import operators
from headwater.refresh.report import Explanation
from headwater.sql.ddl import CreateView
from headwater.sql.parse import parse_query, tables_read
from headwater.state.budget import budget_of
from headwater.state.declarations import Declaration, declared
from headwater.state.needed import keep_what_is_needed

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from headwater.engine.spark.lane import SparkLane


def connect(
    warehouse: str | os.PathLike[str],
    spark: SparkSession | None = None,
    lane: str = "auto",
    driver_budget: int | None = None,
    warm: bool = False,
) -> Lake:
    """Open (or make) a warehouse folder. Without a Spark session a local one starts when first needed.

    `lane`: which engine carries incremental refreshes: "auto" chooses per refresh. `driver_budget`: the bytes that the
    local lane may hold in this process. `warm`: keep what it holds in a file, for the processes after this one.
    """
    return Lake(warehouse, spark, lane, driver_budget, warm)


class Lake:
    """A warehouse of tables and maintained views; a context manager."""

    def __init__(
        self,
        warehouse: str | os.PathLike[str],
        spark: SparkSession | None = None,
        lane: str = "auto",
        driver_budget: int | None = None,
        warm: bool = False,
    ) -> None:
        self._open = True
        self._check_lane(lane)
        if driver_budget is not None and driver_budget < 0:
            raise HeadwaterError("view.option", option="driver_budget", value=driver_budget, expected="give bytes")
        if spark is not None and not is_spark_session(spark):
            raise HeadwaterError("warehouse.session", value=spark)
        self._wanted_lane = lane
        self._warehouse = Warehouse(warehouse)
        self._catalog = Catalog(self._warehouse.catalog)
        self._history = History(self._warehouse.history)
        self._given_spark = spark
        self._spark_lane_: SparkLane | None = None
        self._local = LocalLane(driver_budget, self._warehouse.warm_copy if warm else None)
        self._tables: dict[str, tuple[str, Folder]] = {}
        self._views: dict[str, View] = {}
        self.progress: Callable[[str, str], None] | None = None

    def __repr__(self) -> str:
        return f"Lake({self._warehouse.path!r})"

    def __enter__(self) -> Lake:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of everything. A Spark that was given, or that other lakes of this process use, is left running."""
        if self._open:
            self._open = False
            if self._spark_lane_ is not None:
                self._spark_lane_.stop()
            self._local.close()

    @property
    def path(self) -> str:
        return self._warehouse.path

    @property
    def _lane(self) -> SparkLane:
        """The Spark lane; even importing it takes longer than a small refresh does without."""
        self._check_open()
        if self._spark_lane_ is None:
            from headwater.engine.spark.lane import SparkLane

            given = self._given_spark
            if given is None:
                self._spark_lane_ = SparkLane(_borrowed_spark, _give_spark_back)
            else:
                self._spark_lane_ = SparkLane(lambda: given)
        return self._spark_lane_

    def _spark_lane(self) -> SparkLane:
        return self._lane

    @property
    def _spark_runs(self) -> bool:
        return self._given_spark is not None or (self._spark_lane_ is not None and self._spark_lane_.started)

    @property
    def _local_reason(self) -> str | None:
        """Why no refresh of this lake can be local: settings of the session under which Spark computes otherwise."""
        if self._given_spark is None:
            return None
        for setting, allowed in LOCAL_SETTINGS.items():
            value = self._given_spark.conf.get(f"spark.sql.{setting}")
            if value not in allowed:
                return HeadwaterError("lane.session", setting=setting, value=value).sentence
        return None

    @property
    def spark(self) -> SparkSession:
        """The Spark session, started if need be."""
        self._check_open()
        return self._lane.sessions.user

    # -- tables

    def create_table(self, name: str, data: Any, partition_by: str | list[str] | None = None) -> Table:
        """A table from data (a Spark, pandas or polars frame, Arrow, a list of dicts) or from a schema.

        A schema is a pyarrow schema, or a dict such as `{"id": "bigint", "price": "decimal(12,2)"}`.
        """
        self._check_open()
        check_name(name)
        self._refuse_taken(name)
        parts = as_names(partition_by, "table.partition", name=name, column=partition_by, why="that names no column")
        schema, fill = self._content(name, data)
        path = self._warehouse.table_path(name)
        found_there = os.path.exists(path)
        try:
            folder = DeltaFolder.create(path, schema, parts)
            fill(folder)
            return self._register("table", name, folder, {})
        except BaseException:
            if not found_there:  # else it is not ours to remove
                shutil.rmtree(path, ignore_errors=True)
            raise

    def _content(self, name: str, data: Any) -> tuple[pa.Schema, Callable[[DeltaFolder], Any]]:
        """The schema of a new table, and what fills it; nothing has been made yet."""
        if is_spark_frame(data):
            schema = storable_schema(self._frame_schema(name, data), name)
            return schema, lambda folder: self._lane.append_frame(folder, data, name)
        if isinstance(data, pa.Schema) or (
            isinstance(data, Mapping) and all(isinstance(v, str | pa.DataType) for v in data.values())
        ):
            return storable_schema(schema_from(data), name), lambda folder: None
        rows = storable(to_arrow(data, table_name=name), name)
        return rows.schema, lambda folder: folder.append(conform(rows, folder.schema, name))

    def _frame_schema(self, name: str, frame: DataFrame) -> pa.Schema:
        fields = []
        for item in self._lane.schema_of(frame):
            try:
                fields.append(pa.field(item.name, arrow_type(item.type)))
            except ValueError:
                why = "a table holds no such values; convert them"
                raise HeadwaterError("data.unstorable", column=item.name, table=name, type=item.type, why=why) from None
        return pa.schema(fields)

    def attach(self, name: str, path: str | os.PathLike[str]) -> Table:
        """An existing Delta table, or an append-only folder of Parquet files, under a name of this lake."""
        self._check_open()
        check_name(name)
        self._refuse_taken(name)
        if not isinstance(path, (str, os.PathLike)):
            raise HeadwaterError("table.not_delta", path=path)
        where = local_path(path)
        if os.path.isdir(os.path.join(where, "_delta_log")):
            return self._register("table", name, DeltaFolder.open(where), {"path": where})
        folder = ParquetFolder(where, self._warehouse.attached_path(name), name)
        return self._register("parquet", name, folder, {"path": where})

    def _register(self, kind: Any, name: str, folder: Folder, definition: dict[str, Any]) -> Table:
        if isinstance(folder, DeltaFolder):
            definition = {**definition, BIRTH: folder.birth()}
        entry = Entry(kind, name, uuid.uuid4().hex, definition)
        self._catalog.put(entry)
        self._tables[name.lower()] = (entry.id, folder)
        return Table(self, name, folder)

    def table(self, name: str) -> Table:
        """A table by its name."""
        self._check_open()
        entry = self._catalog.get(name)
        return Table(self, entry.name, self._folder(entry), is_view=entry.kind == "view")

    def tables(self) -> list[Table]:
        """All tables, by name; one that cannot be read now is among them and says why (`missing`)."""
        self._check_open()
        return [self._listed(entry) for entry in self._catalog.entries() if entry.kind != "view"]

    def _listed(self, entry: Entry) -> Table:
        try:
            folder = self._folder(entry)
            folder.latest()
        except HeadwaterError as error:
            return Table(self, entry.name, MissingFolder(entry.definition.get("path", ""), error))
        return Table(self, entry.name, folder)

    def drop_table(self, name: str) -> None:
        """Remove a table and its rows (an attached table is only forgotten). Views that read it prevent it."""
        self._check_open()
        entry = self._catalog.get(name)
        if entry.kind == "view":
            self.view(name).drop()
            return
        self._refuse_read(entry.name)
        self._catalog.drop(name)
        self._tables.pop(name.lower(), None)
        if "path" not in entry.definition:
            shutil.rmtree(self._warehouse.table_path(entry.name), ignore_errors=True)

    # -- views

    def create_view(
        self,
        name: str,
        sql: str,
        policy: str = "auto",
        state_budget: str | int | None = None,
        state: str | None = None,
        replace: bool = False,
    ) -> View:
        """Declare a maintained view and build it.

        `policy`: "auto" chooses per refresh, "incremental" refuses a query that cannot be maintained, "strict" also
        refuses any full refresh, "full" always recomputes. `replace`: a view of that name gives way; where the new text
        means the same, its rows and its stored pasts stay. Otherwise the new view is built while the old one is still
        read and refreshed, and takes its place in one commit. `state_budget`: how much may be stored to refresh
        quickly, in bytes or as "2GB"; no limit if left out. `state`: who chooses what is stored: "needed" whatever any
        change reads (if left out, without a budget), "diss" for the change that is expected next (with one), "recycler"
        by past benefit, "all" every higher-order view, "none" nothing: it recomputes.
        """
        self._check_open()
        check_name(name)
        existing = self._catalog.find(name)
        if existing is not None and not (replace and existing.kind == "view"):
            raise HeadwaterError("table.exists", name=name, warehouse=self.path)
        reads = self._reads(name, sql)
        folders = self._folders(reads)
        self._report("analysing", name)
        cursor = {table: folder.latest() for table, folder in folders.items()}
        budget = budget_of(state_budget)
        chosen = state or ("needed" if budget is None else "diss")
        definition = self._define(name, sql, policy, folders, chosen, budget)
        if existing is not None:
            held = self.view(existing.name)
            kept = self._equivalent(held._definition, definition)
            return self._redefined(held, kept) if kept is not None else self._replaced(held, definition, cursor)
        return self._build(definition, cursor)

    def _define(
        self,
        name: str,
        sql: str,
        policy: str,
        folders: Mapping[str, Folder],
        state: str = "needed",
        budget: int | None = None,
    ) -> Definition:
        sources = {table: plan_schema(folder.schema) for table, folder in folders.items()}
        frames = {table: self._lane.snapshot(folder, folder.latest(), large=True) for table, folder in folders.items()}
        statistics = {table: _statistics(folder) for table, folder in folders.items()}
        lane = self._lane
        return define(
            name,
            uuid.uuid4().hex,
            sql,
            policy,
            sources,
            statistics,
            lambda text: lane.analyse(text, frames),
            lane.functions,
            lambda text: lane.reads_the_clock(text, frames),
            state,
            budget,
        )

    def _equivalent(self, old: Definition, new: Definition) -> Definition | None:
        """The new definition on the old one's data and pasts; None when it means something else."""
        known = {**new.typings, **old.typings}
        merged = dataclasses.replace(new, name=old.name, id=old.id, statistics=old.statistics, typings=known)
        try:
            return merged if merged.fingerprint == old.fingerprint else None
        except HeadwaterError:  # the old one has no plan any more
            return None

    def _redefined(self, view: View, definition: Definition) -> View:
        """The view under another text or policy, with everything that it holds."""
        self._catalog.put(entry_of(definition), replace=True)
        held = View(self, definition, view._folder)
        self._views[definition.name.lower()] = held
        return held

    def _replaced(self, old: View, definition: Definition, cursor: dict[str, int]) -> View:
        """Another view in the place of one that nobody reads; until it stands, the old one does."""
        self._refuse_read(old.name)
        view = View(self, dataclasses.replace(definition, name=old.name), old._folder)
        replaced(old, view, cursor, self._catalog, self._warehouse)
        self._views[old.name.lower()] = view
        return view

    def _build(self, definition: Definition, cursor: dict[str, int]) -> View:
        path = self._warehouse.table_path(definition.name)
        if os.path.exists(path):  # left behind by a creation that never finished
            shutil.rmtree(path)
        folder = DeltaFolder.create(path, arrow_schema(definition.schema))
        view = View(self, definition, folder)
        try:
            view._first_build(cursor)
            self._catalog.put(entry_of(definition))
        except BaseException:
            view._store.drop()
            shutil.rmtree(path, ignore_errors=True)
            raise
        self._views[definition.name.lower()] = view
        return view

    def view(self, name: str) -> View:
        """A view by its name."""
        self._check_open()
        entry = self._catalog.find(name)
        if entry is None or entry.kind != "view":
            known = ", ".join(each.name for each in self._catalog.entries("view")) or "none"
            raise HeadwaterError("view.unknown", name=name, known=known)
        held = self._views.get(name.lower())
        if held is not None and held._definition.id != entry.id:
            held = None
        folder = held._folder if held else DeltaFolder.open(self._warehouse.table_path(entry.name))
        entry = self._in_force(entry, folder)
        if held is None or not held._definition.is_of(entry.id, entry.definition):
            held = View(self, self._defined(entry), folder)
            self._views[name.lower()] = held
        return held

    def _in_force(self, entry: Entry, folder: DeltaFolder) -> Entry:
        return in_force(entry, folder, self._catalog, self._warehouse)

    def _defined(self, entry: Entry) -> Definition:
        return Definition.from_dict(entry.name, entry.id, entry.definition, lambda text: self._lane.analyse(text))

    def views(self) -> list[View]:
        """All views, by name."""
        self._check_open()
        return [self.view(entry.name) for entry in self._catalog.entries("view")]

    def _drop_view(self, view: View) -> None:
        self._check_open()
        self._refuse_read(view.name)
        self._catalog.drop(view.name)
        self._views.pop(view.name.lower(), None)
        shutil.rmtree(self._warehouse.pasts_path(view.name), ignore_errors=True)
        shutil.rmtree(view.path, ignore_errors=True)

    # -- what is expected

    def expect(
        self, table: str, inserts: int | None = 0, deletes: int = 0, complete: bool = False, like: str | None = None
    ) -> None:
        """Declare how many rows each change of a table brings, so that refreshes are prepared for just that.

        `complete`: no change will come any more. `like`: rows come as late as those of another table did, whose rows
        have all come. A declaration stays until the next one replaces it; `expect(table, None)` withdraws it. A wrong
        one costs time or memory, never a row.
        """
        self._check_open()
        entry = self._catalog.get(table)
        if entry.kind == "view":
            raise HeadwaterError("expect.view", name=entry.name, reads=", ".join(entry.definition["reads"]))
        taught_by = None if like is None else self._catalog.get(like).name
        said = declared(entry.name, inserts, deletes, complete, taught_by, self._folder(entry).latest())
        self._catalog.describe(entry.name, EXPECTED, None if said is None else said.as_dict())

    def _watched(self, names: Iterable[str]) -> dict[str, Watched]:
        """The tables with what was declared about them."""
        known = {entry.name.lower(): entry for entry in self._catalog.entries()}
        return {name: self._watch(known.get(name) or self._catalog.get(name)) for name in names}

    def _declared(self, names: Iterable[str]) -> dict[str, Watched]:
        """Those of the tables about which something was declared."""
        said = {entry.name.lower(): entry for entry in self._catalog.entries() if EXPECTED in entry.definition}
        return {name: self._watch(said[name]) for name in names if name in said}

    def _watch(self, entry: Entry) -> Watched:
        kept = entry.definition.get(EXPECTED)
        said = None if kept is None else Declaration.from_dict(kept)
        like = self._catalog.find(said.like) if said is not None and said.like is not None else None
        return Watched(self._folder(entry), said, None if like is None else self._folder(like))

    # -- SQL

    def register_function(self, name: str, function: Callable[..., Any], return_type: str | None = None) -> None:
        """Let views and queries call a Python function, a pandas or Arrow UDF, or an aggregate (UDAF) among these.

        Code is not kept in the warehouse: register the function again, under its name, in each process that refreshes
        a view which calls it. It must give the same for the same rows, whatever their order.
        """
        self._check_open()
        check_name(name)
        self._lane.register_function(name, function, return_type)

    def sql(self, text: str) -> DataFrame:
        """Run a statement of the DDL, or a query of Spark's SQL over the tables and views; a Spark DataFrame.

        EXPLAIN, DESCRIBE and SHOW are run, too. What would write is refused with the method to call instead.
        """
        self._check_open()
        from headwater.api.statements import run

        return run(self, text)

    def _explain_new(self, statement: CreateView) -> Explanation:
        """What a view would be, without making it."""
        reads = self._reads(statement.name, statement.query)
        definition = self._define(check_name(statement.name), statement.query, statement.policy, self._folders(reads))
        reason = definition.reason or "Every operator has an incremental rule."
        strategy = "incremental" if definition.reason is None else "full"
        plan = definition.plan
        lines = operators(plan, keep_what_is_needed(plan, definition.statistics), {}, {}) if plan is not None else ()
        cursor = {table: folder.latest() for table, folder in self._folders(reads).items()}
        expected = expected_change(self._watched(reads), (), cursor, time.time())
        return Explanation(statement.name, statement.policy, strategy, reason, cursor, {}, lines, {}, expected=expected)

    # -- for tables and views of this lake

    def _check_open(self) -> None:
        if not self._open:
            raise HeadwaterError("warehouse.closed")

    @staticmethod
    def _check_lane(lane: str | None) -> None:
        if lane is not None and lane not in LANES:
            raise HeadwaterError("lane.unknown", lane=lane)

    def _report(self, phase: str, detail: str) -> None:
        if self.progress is not None:
            self.progress(phase, detail)

    def _refuse_taken(self, name: str) -> None:
        if self._catalog.find(name) is not None:
            raise HeadwaterError("table.exists", name=name, warehouse=self.path)

    def _refuse_read(self, name: str) -> None:
        readers = [e.name for e in self._catalog.entries("view") if name.lower() in e.definition["reads"]]
        if readers:
            raise HeadwaterError("table.in_use", name=name, readers=", ".join(readers))

    def _reads(self, name: str, sql: str) -> list[str]:
        """The tables that a view's text reads; each must exist, and none may be the view itself."""
        found = tables_read(parse_query(sql))
        for table, position in found.items():
            if table == name.lower() or name.lower() in self._upstream(table):
                raise HeadwaterError("view.cycle", name=name, path=table, position=position)
            if self._catalog.find(table) is None:
                known = ", ".join(entry.name for entry in self._catalog.entries()) or "none"
                raise HeadwaterError("table.unknown", name=table, known=known, position=position)
        return list(found)

    def _upstream(self, name: str) -> set[str]:
        """The tables and views below a view."""
        entry = self._catalog.find(name)
        if entry is None or entry.kind != "view":
            return set()
        direct = set(entry.definition["reads"])
        return direct.union(*(self._upstream(each) for each in direct))

    def _folders(self, names: Iterable[str]) -> dict[str, Folder]:
        return {name: self._folder(self._catalog.get(name)) for name in names}

    def _folder(self, entry: Entry) -> Folder:
        held = self._tables.get(entry.name.lower())
        if held is None or held[0] != entry.id:
            held = (entry.id, self._opened(entry))
            self._tables[entry.name.lower()] = held
        self._refuse_another(entry, held[1])
        return held[1]

    @staticmethod
    def _refuse_another(entry: Entry, folder: Folder) -> None:
        """Raise where the table's folder is gone, or holds another table by now."""
        if not os.path.isdir(folder.path):
            raise HeadwaterError("table.gone", name=entry.name, path=folder.path)
        known = entry.definition.get(BIRTH)
        if known is not None and isinstance(folder, DeltaFolder) and folder.birth() not in (None, known):
            raise HeadwaterError("table.recreated", name=entry.name, path=folder.path)

    def _opened(self, entry: Entry) -> Folder:
        path = entry.definition.get("path")
        if path is not None and not os.path.isdir(path):
            raise HeadwaterError("table.gone", name=entry.name, path=path)
        if entry.kind == "view":
            return self.view(entry.name)._folder
        if entry.kind == "parquet":
            return ParquetFolder(entry.definition["path"], self._warehouse.attached_path(entry.name), entry.name)
        return DeltaFolder.open(entry.definition.get("path") or self._warehouse.table_path(entry.name))

    @staticmethod
    def _check_sources(definition: Definition, folders: Mapping[str, Folder]) -> None:
        """A column that the view uses must still be there, with its type."""
        for table, columns in definition.columns_read.items():
            now = {item.name: item.type for item in plan_schema(folders[table].schema)}
            then = {item.name: item.type for item in definition.sources[table]}
            for column in columns:
                if now.get(column) != then[column]:
                    change = f"now {now[column]} instead of {then[column]}" if column in now else "no longer there"
                    raise HeadwaterError(
                        "view.source_changed", name=definition.name, column=column, table=table, change=change
                    )


EXPECTED = "expected"  # where a table's entry in the catalog keeps what was declared about it
BIRTH = "birth"  # in a definition: what tells a table from another one in its place

# Settings of a session under which the local lane means the same.
LOCAL_SETTINGS = {"ansi.enabled": ("true",), "session.timeZone": ("UTC", "Etc/UTC", "GMT", "Z", "+00:00")}


def _borrowed_spark() -> SparkSession:
    from headwater.engine.spark.session import LOCAL_SPARK

    return LOCAL_SPARK.borrow()


def _give_spark_back(session: SparkSession) -> None:
    from headwater.engine.spark.session import LOCAL_SPARK

    LOCAL_SPARK.give_back(session)


def _statistics(folder: Folder) -> TableStatistics:
    """Row counts and the spans of integer columns, from the log."""
    files = folder.files()
    spans: dict[str, float] = {}
    for field in folder.schema:
        if pa.types.is_integer(field.type):
            low = [v for file in files if (v := file.stats.get("minValues", {}).get(field.name)) is not None]
            high = [v for file in files if (v := file.stats.get("maxValues", {}).get(field.name)) is not None]
            if low and len(low) == len(high) == len(files):
                spans[field.name] = max(high) - min(low) + 1
    rows = folder.rows()
    return TableStatistics(float(rows), spans) if rows is not None else TableStatistics(spans=spans)
