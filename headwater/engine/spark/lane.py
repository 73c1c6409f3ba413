"""The Spark lane: runs the statements of a refresh, a build or a check, and measures what they cost.

Idea: leaves of a plan are temporary views in a private session; a statement is compiled once per plan and reused,
since the names of its leaves do not change from one refresh to the next.
Invariant: results of `rows` are small by construction (a change); everything large stays a DataFrame.
Complexity: one Spark job a stage and one a broadcast; a stage whose changes are all empty runs nothing.
"""

from __future__ import annotations

import threading
import uuid
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
from pyspark.errors import AnalysisException, ParseException
from pyspark.sql import DataFrame, SparkSession
from pyspark.util import PythonEvalType

from headwater.algebra.nodes import Node, Relation, Scan, Schema
from headwater.engine.compiler import compile_inline, compile_plan
from headwater.engine.lanes import ByKey, Counters, Readable
from headwater.engine.spark import frames, touching
from headwater.engine.spark.failures import refused, told
from headwater.engine.spark.names import bound
from headwater.engine.spark.reading import reads_the_clock, written_by
from headwater.engine.spark.session import Sessions, is_stopped
from headwater.errors import HeadwaterError
from headwater.lake.arrow_types import plain_table
from headwater.lake.changes import Change
from headwater.lake.delta_table import DeltaFolder, NewFile
from headwater.lake.rewriting import Touched
from headwater.sql.functions import AGGREGATE, NON_DETERMINISTIC_FUNCTION, PER_ROW
from headwater.sql.statements import not_run

SNAPSHOTS_KEPT = 64
STATEMENTS_KEPT = 512
AGGREGATING = (
    PythonEvalType.SQL_GROUPED_AGG_PANDAS_UDF,
    PythonEvalType.SQL_GROUPED_AGG_PANDAS_ITER_UDF,
    PythonEvalType.SQL_GROUPED_AGG_ARROW_UDF,
    PythonEvalType.SQL_GROUPED_AGG_ARROW_ITER_UDF,
)


class SparkLane:
    """Work on one Spark; opened lazily, since most calls need none."""

    name = "spark"

    def __init__(
        self, make_session: Callable[[], SparkSession], give_back: Callable[[SparkSession], None] | None = None
    ) -> None:
        self._make_session = make_session
        self._give_back = give_back
        self._sessions: Sessions | None = None
        self._lock = threading.RLock()
        self._snapshots: OrderedDict[tuple[str, int, int, bool], DataFrame] = OrderedDict()
        self._registered: dict[tuple[str, bool], DataFrame] = {}
        self._statements: OrderedDict[tuple[str, str, bool, bool], str] = OrderedDict()
        self.functions: dict[str, str] = {}  # those that users brought: name -> kind
        self._code: dict[str, tuple[Any, str | None]] = {}  # ... and what they are

    def register_function(self, name: str, function: Any, return_type: str | None) -> None:
        """Let the SQL of views and queries call a Python function, in all sessions."""
        self.functions[name.lower()] = kind_of(_registered(self.sessions, name, function, return_type))
        self._code[name] = (function, return_type)

    @property
    def started(self) -> bool:
        return self._sessions is not None

    @property
    def sessions(self) -> Sessions:
        """The sessions, made if need be; anew where somebody has stopped their Spark and we may start another."""
        with self._lock:
            if self._sessions is not None and self._sessions.user.sparkContext._jsc is None:
                self._forget()
            if self._sessions is None:
                made = self._make_session()
                if is_stopped(made):
                    raise HeadwaterError("spark.stopped")
                self._sessions = Sessions.of(made)
                for name, (function, return_type) in self._code.items():
                    _registered(self._sessions, name, function, return_type)
            return self._sessions

    def _forget(self) -> None:
        self._snapshots.clear()
        self._registered.clear()
        self._sessions = None

    def _check_running(self) -> None:
        """Ask the JVM, once a call: another program may have stopped its Spark."""
        with self._lock:
            if self._sessions is not None and is_stopped(self._sessions.user):
                self._forget()

    def snapshot(self, folder: Readable, version: int, large: bool = False) -> DataFrame:
        """A table at a version; the same DataFrame as long as it is asked for."""
        files = hash(tuple(folder.absolute(file) for file in folder.files(version)))  # a folder can be made anew
        key = (folder.path, version, files, large)
        with self._lock:
            if key not in self._snapshots:
                session = self.sessions.large if large else self.sessions.quick
                self._snapshots[key] = frames.snapshot(session, folder, version)
                while len(self._snapshots) > SNAPSHOTS_KEPT:
                    self._snapshots.popitem(last=False)
            self._snapshots.move_to_end(key)
            return self._snapshots[key]

    def defined(
        self, folders: Mapping[str, Any], cursor: Mapping[str, int], sources: Mapping[str, Schema]
    ) -> dict[str, DataFrame]:
        """The tables of a definition at a cursor, with the columns that they had when it was made."""
        found = {name: self.snapshot(folders[name], version, large=True) for name, version in cursor.items()}
        return {name: frames.as_defined(frame, sources[name]) for name, frame in found.items()}

    def register(self, name: str, frame: DataFrame, large: bool) -> None:
        """Let statements read a DataFrame by name; nothing to do when they do already."""
        with self._lock:
            if self._registered.get((name, large)) is not frame:
                frame.createOrReplaceTempView(name)
                self._registered[name, large] = frame

    def statement(self, plan: Node, prefix: str, hints: bool, inline: bool = False) -> str:
        """The SQL of a plan whose leaves are registered under a prefix."""
        key = (plan.fingerprint, prefix, hints, inline)
        with self._lock:
            if key not in self._statements:
                compiled = (compile_inline if inline else compile_plan)(
                    plan, lambda leaf: view_name(prefix, leaf), hints
                )
                self._statements[key] = compiled.sql(dialect="spark")
                while len(self._statements) > STATEMENTS_KEPT:
                    self._statements.popitem(last=False)
            return self._statements[key]

    def analyse(self, sql: str, tables: Mapping[str, DataFrame] | None = None) -> Schema:
        """The schema Spark gives a query; nothing is executed."""
        return frames.schema_of(self.query(sql, tables or {}))

    def query(self, sql: str, tables: Mapping[str, DataFrame]) -> DataFrame:
        """A user's query over named DataFrames, in the session for large work."""
        session = self.sessions.large
        with self._lock, bound(session, tables):
            try:
                return session.sql(sql)
            except (AnalysisException, ParseException) as error:
                raise refused(error) from None

    def reads_the_clock(self, sql: str, tables: Mapping[str, DataFrame]) -> bool:
        """True when a string in the text stands for the present."""
        return reads_the_clock(self.query(sql, tables))

    def difference(
        self,
        name: str,
        sql: str,
        tables: Mapping[str, DataFrame],
        folder: Readable,
        version: int,
        copies: str,
        limit: int,
    ) -> pa.Table:
        """The rows in which a view's query and its folder differ as bags, at most `limit` of them."""
        expected = self.query(sql, tables)
        actual = self.snapshot(folder, version, large=True)
        expected = expected.toDF(*actual.columns)  # a pinned text has names of its own
        with told(name):
            return plain_table(frames.bag_difference(expected, actual, copies).limit(limit).toArrow())

    # -- the user's DataFrames

    @staticmethod
    def is_frame(data: object) -> bool:
        return isinstance(data, DataFrame)

    @staticmethod
    def schema_of(frame: DataFrame) -> Schema:
        return frames.schema_of(frame)

    def user_frame(self, folder: Readable, version: int) -> DataFrame:
        """A snapshot in the user's own session."""
        return frames.snapshot(self.sessions.user, folder, version)

    def user_query(self, sql: str, tables: Mapping[str, DataFrame]) -> DataFrame:
        """A query in the user's own session, over these tables and whatever the session knows; nothing that writes."""
        self._check_running()
        session = self.sessions.user
        with self._lock, bound(session, tables):
            try:
                writes = written_by(session, sql)
                if writes is None:
                    return session.sql(sql)
            except (AnalysisException, ParseException) as error:
                raise refused(error) from None
        raise not_run(writes)

    def user_rows(self, rows: list[dict[str, Any]], schema: Schema) -> DataFrame:
        """An answer of our own in the user's own session."""
        return self.sessions.user.createDataFrame(rows, frames.struct(schema))

    def touched(
        self,
        rows: pa.Table,
        table: str,
        condition: str | None,
        values: Mapping[str, str],
        types: Mapping[str, str],
    ) -> Touched:
        """The rows that a DELETE or UPDATE touches, by the texts of its user."""
        return touching.touched(self.sessions.quick, rows, table, condition, values, types)

    def append_frame(self, folder: DeltaFolder, frame: DataFrame, name: str) -> int:
        """Add a DataFrame's rows to a table: Spark writes the files, one commit adds them."""
        if folder.computed is not None:
            raise HeadwaterError("table.write_rule", name=name, rule=folder.computed)
        fitted = frames.conform(frame, folder.schema, name)
        with told(name):
            written = frames.write_files(fitted, folder)
        try:
            folder.refuse_nulls(written, name)
            self._check_rules(folder, written, name)
        except HeadwaterError:
            folder.discard(written)
            raise
        return folder.commit(written)

    def _check_rules(self, folder: DeltaFolder, written: Sequence[NewFile], name: str) -> None:
        """A table's constraints, over rows that are written and not yet committed; NULL breaks one."""
        for rule, text in folder.rules.items() if written else ():
            rows = frames.written_rows(self.sessions.quick, folder, written)
            broken = rows.where(f"NOT COALESCE(({text}), FALSE)").count()
            if broken:
                raise HeadwaterError("data.rule", table=name, why=f"{broken} are not {text} ({rule})")

    def work(self, prefix: str, large: bool = False) -> SparkWork:
        self._check_running()
        return SparkWork(self, prefix, large)

    def stop(self) -> None:
        """Forget the sessions; a Spark that was borrowed is given back."""
        with self._lock:
            held = self._sessions
            self._forget()
        if held is not None and self._give_back is not None:
            self._give_back(held.user)


def _registered(sessions: Sessions, name: str, function: Any, return_type: str | None) -> Any:
    given = [return_type] if return_type is not None else []
    return [each.udf.register(name, function, *given) for each in (sessions.user, sessions.quick, sessions.large)][-1]


def kind_of(function: Any) -> str:
    """What a registered function makes of rows."""
    if not function.deterministic:
        return NON_DETERMINISTIC_FUNCTION
    return AGGREGATE if function.evalType in AGGREGATING else PER_ROW


def view_name(prefix: str, leaf: Scan | Relation) -> str:
    return f"hw_{prefix}_{leaf.table if isinstance(leaf, Scan) else leaf.name}"


@dataclass
class SparkWork(ByKey):
    """One refresh, build or check: its registered leaves and what it has cost so far."""

    lane: SparkLane
    prefix: str
    large: bool = False
    counters: Counters = field(default_factory=Counters)
    group: str = field(default_factory=lambda: f"headwater-{uuid.uuid4().hex[:12]}")
    _kept: list[DataFrame] = field(default_factory=list)

    @property
    def session(self) -> SparkSession:
        return self.lane.sessions.large if self.large else self.lane.sessions.quick

    # -- leaves

    def add_table(self, table: str, folder: Readable, version: int) -> None:
        self._register(table, self.lane.snapshot(folder, version, self.large))

    def add_past(self, name: str, folder: Readable, version: int) -> None:
        self._register(name, self.lane.snapshot(folder, version, self.large))

    def add_rows(self, name: str, rows: pa.Table) -> None:
        self._register(name, frames.local_rows(self.session, rows))

    def add_change(self, name: str, change: Change, columns: tuple[str, ...]) -> None:
        """A change that is too large for the driver."""
        self._register(name, frames.change_rows(self.session, change, columns))

    def prepare(self) -> None:
        """What was added is registered already."""

    def _register(self, name: str, frame: DataFrame) -> None:
        self.lane.register(f"hw_{self.prefix}_{name}", frame, self.large)

    # -- statements

    def frame(self, plan: Node, inline: bool = False) -> DataFrame:
        return self.session.sql(self.lane.statement(plan, self.prefix, not self.large, inline))

    def rows(self, plan: Node) -> pa.Table:
        """The result of a small plan, on the driver."""
        frame = self.frame(plan)
        with self.counted():
            rows = frames.collect(frame, plan.schema)
        self.counters.rows_read += rows_read(frame)
        return rows

    def hold(self, name: str, plan: Node) -> DataFrame:
        """A result that stays in the executors, computed once, readable as a leaf."""
        kept = self.frame(plan, inline=True).persist()
        self._kept.append(kept)
        self._register(name, kept)
        return kept

    def count(self, held: DataFrame) -> int:
        with self.counted():
            return held.count()

    def collect_if_small(self, held: DataFrame, limit: int) -> pa.Table | None:
        """A held result on the driver, unless it has more rows than the limit."""
        if self.count(held) > limit:
            return None
        with self.counted():
            return frames.collect(held, frames.schema_of(held))

    def write(self, plan: Node, folder: DeltaFolder, sort: tuple[str, ...] = ()) -> list[NewFile]:
        return self.write_frame(self.frame(plan), folder, sort)

    def write_frame(self, frame: DataFrame, folder: DeltaFolder, sort: tuple[str, ...] = ()) -> list[NewFile]:
        """A DataFrame as files of a folder, not yet committed."""
        with self.counted():
            return frames.write_files(frame, folder, sort)

    @contextmanager
    def counted(self) -> Iterator[None]:
        """Counts the Spark jobs that the body starts; what fails in them is told by the view's name."""
        context = self.session.sparkContext
        context.setJobGroup(self.group, f"headwater {self.prefix}")
        before = len(context.statusTracker().getJobIdsForGroup(self.group))
        try:
            with told(self.prefix):
                yield
        finally:
            self.counters.jobs += len(context.statusTracker().getJobIdsForGroup(self.group)) - before

    def close(self) -> None:
        for frame in self._kept:
            frame.unpersist()
        self._kept.clear()


def rows_read(frame: DataFrame) -> int:
    """The rows that the file scans of an executed DataFrame produced."""
    plan = frame._jdf.queryExecution().executedPlan()
    leaves = plan.collectLeaves()
    total = 0
    for index in range(leaves.size()):
        leaf = leaves.apply(index)
        if (
            "Scan" in leaf.nodeName()
            and leaf.metrics().contains("numOutputRows")
            and leaf.metrics().contains("filesSize")
        ):
            total += leaf.metrics().apply("numOutputRows").value()
    return int(total)
