"""A maintained view: refreshed by the change, verified against its own SQL, explained, read like any table."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from headwater.delta.program import Program
from headwater.engine.compiler import pretty
from headwater.errors import HeadwaterError
from headwater.lake.changes import Change
from headwater.lake.delta_table import DeltaFolder
from headwater.refresh import explain, verify
from headwater.refresh.choice import Choice, CostModel
from headwater.refresh.definition import Definition
from headwater.refresh.lanes import LaneChoice, LaneCosts
from headwater.refresh.report import Cursor, Explanation, OperatorReport, Refresh, StoredPast, Verification
from headwater.refresh.runner import Advance, Measured, Runner
from headwater.refresh.standing import Standing, standing_of
from headwater.state.store import PastStore

if TYPE_CHECKING:
    import pandas
    import polars
    from pyspark.sql import DataFrame

    from headwater.api.lake import Lake


class View:
    """A view of the lake. Get one from `lake.create_view` or `lake.view`."""

    def __init__(self, lake: Lake, definition: Definition, folder: DeltaFolder) -> None:
        self._lake = lake
        self._folder = folder
        self._definition = definition
        self._lock = threading.RLock()
        self._store = PastStore(lake._warehouse.past_path(definition.name, definition.id))
        self._costs: CostModel | None = None
        self._lane_costs = LaneCosts()
        self._runner_: Runner | None = None

    def __repr__(self) -> str:
        return f"View({self.name!r}, cursor={self.cursor})"

    # -- what it is

    @property
    def name(self) -> str:
        return self._definition.name

    @property
    def definition(self) -> str:
        """The SQL text as it was given."""
        return self._definition.sql

    @property
    def policy(self) -> str:
        return self._definition.policy

    @property
    def reads(self) -> tuple[str, ...]:
        """The tables and views that it reads."""
        return self._definition.reads

    @property
    def path(self) -> str:
        """The folder, readable by any Delta reader: exactly the view's rows and columns."""
        return self._folder.path

    @property
    def schema(self) -> pa.Schema:
        return self._folder.schema

    @property
    def version(self) -> int:
        return self._folder.latest()

    @property
    def rows(self) -> int | None:
        self._folder.latest()
        return self._folder.rows()

    @property
    def cursor(self) -> Cursor:
        """The version of each table at which the view's rows are its query's."""
        self._check_usable()
        return dict(self._standing().cursor)

    def _check_usable(self) -> None:
        """The lake is open, and its view of this name is still this one."""
        self._lake._check_open()
        entry = self._lake._catalog.find(self.name)
        if entry is None or entry.id != self._definition.id:
            raise HeadwaterError("view.dropped", name=self.name)

    # -- reading

    def df(self) -> DataFrame:
        """The rows as a Spark DataFrame."""
        self._check_usable()
        return self._lake._lane.user_frame(self._folder, self._folder.latest())

    def arrow(self) -> pa.Table:
        """The rows as an Arrow table; starts no Spark."""
        self._check_usable()
        return self._folder.read(self._folder.latest())

    def pandas(self) -> pandas.DataFrame:
        return self.arrow().to_pandas()

    def polars(self) -> polars.DataFrame:
        import polars

        frame = polars.from_arrow(self.arrow())
        assert isinstance(frame, polars.DataFrame)
        return frame

    def changes(self, since: int, until: int | None = None) -> pa.Table:
        """The rows that came (`_hw_weight` +1) and went (-1) between two versions of the view."""
        self._check_usable()
        return self._folder.changes(since, self._folder.latest() if until is None else until).read()

    def history(self, limit: int | None = None) -> pa.Table:
        """One row a refresh, the newest first."""
        self._lake._check_open()
        return self._lake._history.read(self.name, limit)

    def states(self) -> tuple[StoredPast, ...]:
        """The stored pasts of the view and what they weigh."""
        found = []
        for past in self._definition.pasts:
            rows, size, files = self._store.size(past)
            folder = self._store.folder(past)
            resident = folder is not None and self._lake._local.residents.of(folder.path) is not None
            place = "disk, process" if resident else "disk"
            found.append(StoredPast(past.node.label, past.key, place, rows, size, files))
        return tuple(found)

    # -- moving

    def refresh(
        self, tables: str | Sequence[str] | None = None, full: bool = False, lane: str | None = None
    ) -> Refresh:
        """Bring the view up to date with all its tables, or with the named ones (or the one) only.

        `full=True` recomputes it. `lane` forces "spark" or "local"; "auto" chooses.
        """
        started = time.perf_counter()
        self._check_usable()
        self._lake._check_lane(lane)
        wanted = lane or self._lake._wanted_lane
        tables = [tables] if isinstance(tables, str) else tables
        with self._lock:
            standing = self._standing()
            target = self._target(standing.cursor, tables)
            changes = self._changes(standing.cursor, target, full)
            if not full and not isinstance(changes, HeadwaterError) and not changes:
                return Refresh(
                    self.name, "none", "none", "Nothing has changed.", _since(started), 0, dict(standing.cursor), 0
                )
            choice, taken = self._chosen(standing, changes, full, wanted)
            return self._run(Attempt(choice, taken, standing, changes, target, started))

    def _chosen(
        self, standing: Standing, changes: dict[str, Change] | HeadwaterError, full: bool, wanted: str
    ) -> tuple[Choice, LaneChoice]:
        """Incremental or full, and in which lane; a lane that is forced and impossible is refused by name."""
        if full or isinstance(changes, HeadwaterError) or self._definition.reason is not None:
            choice = self._choose(changes, full)
            if wanted == "local":
                reason = "A full refresh runs on Spark." if full else choice.reason
                raise HeadwaterError("lane.impossible", name=self.name, reason=reason)
            return choice, LaneChoice("spark", "Spark recomputes.")
        refusal = self._local_refusal(standing, changes) if wanted != "spark" else None
        if wanted == "local" and refusal is not None:
            raise HeadwaterError("lane.impossible", name=self.name, reason=refusal)
        rows = sum(change.rows for change in changes.values())
        taken = self._lane_costs.choose(rows, wanted, refusal, self._lake._spark_runs)
        choice = self._choose(changes, full, taken.seconds if taken.lane == "local" else None)
        if wanted == "local" and choice.strategy == "full":
            choice = Choice("incremental", "The lane was asked for.", choice.alternatives)
        return choice, taken

    def _local_refusal(self, standing: Standing, changes: Mapping[str, Change]) -> str | None:
        """Why the local lane cannot take a refresh; None when it can."""
        reason = self._lake._local_reason
        if reason is not None:
            return reason
        functions = self._definition.functions
        if functions:
            return HeadwaterError("lane.functions", functions=", ".join(sorted(functions))).sentence
        error = self._runner.local_refusal(standing, changes, self._lake._local)
        return error.sentence if error is not None else None

    def _first_build(self, cursor: Cursor) -> Refresh:
        reason = "The view is new."
        new = Attempt(Choice("full", reason, {}), LaneChoice("spark", reason), None, {}, cursor, time.perf_counter())
        return self._run(new)

    def _run(self, attempt: Attempt) -> Refresh:
        """Refresh as was chosen, or as is left when that fails; each thing is tried once more at most."""
        choice, taken = attempt.choice, attempt.taken
        if choice.strategy == "full":
            return self._full(choice.reason, attempt)
        measured = Measured()
        lane = self._lake._local if taken.lane == "local" else self._lake._lane
        try:
            advance = self._runner.advance(attempt.standing, attempt.changes, attempt.target, measured, lane)
        except Exception as error:
            return self._again(attempt, error)
        return self._advanced(attempt, advance, measured)

    def _again(self, attempt: Attempt, error: Exception) -> Refresh:
        """After a failure; nothing has been published. What cannot be helped is raised, with a name."""
        if not attempt.doubted and self._is_damage(error):
            self._runner.doubt()
            why = f"What was stored could not be read ({_first_line(error)}); the pasts were built again."
            return self._run(replace(attempt, doubted=why))
        named = error if isinstance(error, HeadwaterError) else None
        failed = named or HeadwaterError("view.failed", name=self.name, why=_first_line(error).rstrip("."))
        of_lane = named is None or named.key.startswith("lane.")
        if of_lane and attempt.taken.lane == "local" and not attempt.taken.forced:
            return self._run(replace(attempt, taken=LaneChoice("spark", failed.sentence)))
        if self.policy == "strict" or failed.key not in RECOVERABLE:
            raise failed from (None if failed is error else error)
        return self._full(failed.sentence, attempt)

    def _is_damage(self, error: Exception) -> bool:
        """True for what a stored past, or a copy of one, can be the reason for. Pasts are soft: all that is not
        foreseen may be."""
        if not isinstance(error, HeadwaterError):
            return True
        about = str(error.params.get("path") or error.params.get("name") or "")
        return error.key == "data.unreadable" or self._runner.is_past(about)

    def _full(self, reason: str, attempt: Attempt) -> Refresh:
        measured, standing = Measured(), attempt.standing
        after = self._runner.build(attempt.target, standing, measured)
        seconds = _since(attempt.started)
        self._costs = (self._costs or self._known_costs()).rebuilt(seconds)
        before = dict(standing.cursor) if standing else {}
        return self._record(_report(self.name, "full", reason, seconds, after.cursor, measured), before, measured, 0.0)

    def _advanced(self, attempt: Attempt, advance: Advance, measured: Measured) -> Refresh:
        """The view is published: its pasts follow, and the refresh is told."""
        seconds, taken = _since(attempt.started), attempt.taken
        loading = measured.phases.get("repair", 0.0) + advance.work.counters.loading
        self._learn(taken.lane, attempt.changes, seconds - loading)
        upkeep = time.perf_counter()
        advance.finish()
        reason = " ".join(part for part in (_mended(attempt, measured), _told(attempt.choice, taken)) if part)
        if measured.upkeep_failure:
            reason += f" Its pasts are built again by the next refresh: {measured.upkeep_failure}"
        operators = self._operators(measured.stages)
        report = _report(self.name, "incremental", reason, seconds, attempt.target, measured, operators, taken.lane)
        return self._record(report, dict(attempt.standing.cursor), measured, _since(upkeep))

    def _learn(self, lane: str, changes: Mapping[str, Change], seconds: float) -> None:
        rows = sum(change.rows for change in changes.values())
        self._lane_costs = self._lane_costs.measured(lane, rows, seconds)
        if lane == "spark":
            self._costs = (self._costs or self._known_costs()).measured(rows, seconds)

    def _record(self, report: Refresh, before: Cursor, measured: Measured, upkeep: float) -> Refresh:
        report = replace(report, upkeep_seconds=upkeep, jobs=measured.jobs, rows_read=measured.rows_read)
        kept = {key: value for key, value in asdict(report).items() if key not in ("cursor", "operators")}
        sequence = self._standing().sequence
        state = sum(past.bytes for past in self.states())
        self._lake._history.append(
            {
                **kept,
                "sequence": sequence,
                "started_at": datetime.now(UTC),
                "cursor_before": before,
                "cursor_after": report.cursor,
                "operators": [asdict(item) for item in report.operators],
                "state_bytes": state,
            }
        )
        return report

    def verify(self) -> Verification:
        """Recompute the view's own SQL at its cursor on Spark and compare, row for row, as bags."""
        started = time.perf_counter()
        self._check_usable()
        standing = self._standing()
        lane, folders = self._lake._lane, self._lake._folders(self.reads)
        self._lake._report("verifying", self.name)
        frames = lane.defined(folders, standing.cursor, self._definition.sources)
        differing = lane.difference(
            self.name,
            self._definition.evaluated,
            frames,
            self._folder,
            standing.version,
            verify.COPIES,
            verify.COMPARED,
        )
        missing, extra = verify.leftovers(differing)
        names = [name for name in differing.column_names if name != verify.COPIES]
        examples = tuple(
            {"side": side, **dict(zip(names, row, strict=True))}
            for side, rows in (("missing", missing), ("extra", extra))
            for row in rows[: verify.EXAMPLES]
        )
        rows = self._folder.rows(standing.version) or 0
        return Verification(
            self.name, not missing and not extra, len(missing), len(extra), rows, _since(started), examples
        )

    def explain(self, sql: bool = False) -> Explanation:
        """How the next refresh works, per operator, with what the last one measured; `sql=True` adds its statements."""
        self._check_usable()
        standing = self._standing()
        target = self._target(standing.cursor, None, strict=False)
        pending = {
            name: version - standing.cursor[name] for name, version in target.items() if version > standing.cursor[name]
        }
        choice, taken = self._next(standing, target)
        return Explanation(
            self.name,
            self.policy,
            choice.strategy,
            _told(choice, taken),
            dict(standing.cursor),
            pending,
            self._measured_operators(),
            choice.alternatives,
            self._statements(frozenset(pending) or frozenset(self.reads)) if sql else "",
            self._definition.pinned,
            taken.lane,
            taken.reason,
        )

    def _next(self, standing: Standing, target: Cursor) -> tuple[Choice, LaneChoice]:
        """What the next refresh would do; `refused` where it would raise."""
        try:
            self._lake._check_sources(self._definition, self._lake._folders(self.reads))
            return self._chosen(standing, self._changes(standing.cursor, target, False), False, "auto")
        except HeadwaterError as error:
            return Choice("refused", error.sentence, {}), LaneChoice("none", error.sentence)

    def drop(self) -> None:
        """Remove the view, its rows and its pasts."""
        self._lake._drop_view(self)

    # -- how it is run

    @property
    def _runner(self) -> Runner:
        if self._runner_ is None:
            lake = self._lake
            tables = lake._folders(self.reads)
            self._runner_ = Runner(self._definition, self._folder, self._store, tables, lake._spark_lane, lake._report)
        return self._runner_

    def _standing(self) -> Standing:
        found = standing_of(self._folder)
        if found is None:
            raise HeadwaterError("view.unknown", name=self.name, known="this one was never finished; create it again")
        return found

    def _target(self, cursor: Cursor, tables: Sequence[str] | None, strict: bool = True) -> Cursor:
        """Where the refresh goes: the newest version of the tables asked for, the cursor's for the others."""
        for table in tables or ():
            if table.lower() not in cursor:
                raise HeadwaterError("view.not_read", name=self.name, table=table, reads=", ".join(cursor))
        wanted = {table.lower() for table in tables} if tables is not None else set(cursor)
        folders = self._lake._folders(self.reads)
        target = {
            name: max(version, folders[name].latest()) if name in wanted else version
            for name, version in cursor.items()
        }
        if strict:  # the schemas are now those of the newest versions
            self._lake._check_sources(self._definition, folders)
        return target

    def _changes(self, cursor: Cursor, target: Cursor, full: bool) -> dict[str, Change] | HeadwaterError:
        """The tables that moved; the error itself where a change can no longer be told."""
        folders = self._lake._folders(self.reads)
        try:
            return (
                {
                    name: folders[name].changes(cursor[name], target[name])
                    for name in cursor
                    if target[name] > cursor[name]
                }
                if not full
                else {}
            )
        except HeadwaterError as error:
            if error.key == "version.vacuumed":
                return error
            raise

    def _choose(
        self, changes: dict[str, Change] | HeadwaterError, full: bool, incremental: float | None = None
    ) -> Choice:
        reason = "It was asked for." if full else self._definition.reason
        if reason is None and isinstance(changes, HeadwaterError):
            reason = changes.sentence
        if reason is not None:
            if self.policy == "strict" and not full:
                raise HeadwaterError("view.strict", name=self.name, reason=reason)
            return Choice("full", reason, {})
        assert not isinstance(changes, HeadwaterError)
        if self._costs is None:
            self._costs = self._known_costs()
        choice = self._costs.choose(sum(change.rows for change in changes.values()), incremental)
        if choice.strategy == "full" and self.policy in ("strict", "incremental"):
            return Choice("incremental", f"Its policy is {self.policy}.", choice.alternatives)
        return choice

    def _known_costs(self) -> CostModel:
        """The costs that the history remembers."""
        model = CostModel()
        for row in reversed(self.history(limit=RECENT).to_pylist()):
            if row["strategy"] == "full":
                model = model.rebuilt(row["seconds"])
        return model

    def _operators(self, stages: Mapping[str, tuple[int | None, float]]) -> tuple[OperatorReport, ...]:
        plan = self._definition.plan
        if plan is None:
            return ()
        sizes = {past.name: self._store.size(past) for past in self._definition.pasts}
        return explain.operators(plan, self._definition.pasts, sizes, stages)

    def _measured_operators(self) -> tuple[OperatorReport, ...]:
        """The operators with what the last incremental refresh measured, in whichever process it ran."""
        recent = self.history(limit=RECENT).to_pylist()
        last = next((row["operators"] for row in recent if row["strategy"] == "incremental"), None)
        kept = {item["id"]: (item["rows"], item["seconds"]) for item in json.loads(last or "[]")}
        found = []
        for item in self._operators({}):
            rows, seconds = kept.get(item.id, (None, None))
            found.append(replace(item, rows=rows, seconds=seconds))
        return tuple(found)

    def _statements(self, changed: frozenset[str]) -> str:
        if self._definition.plan is None:
            return self.definition
        program: Program = self._runner.program(changed)
        parts = []
        for stage in (*program.stages, *program.upkeep):
            parts.append(f"-- {stage.name}: {stage.purpose} of {stage.node.label}\n{pretty(stage.plan)}")
        return "\n\n".join(parts)


@dataclass(frozen=True)
class Attempt:
    """One way to do a refresh."""

    choice: Choice
    taken: LaneChoice
    standing: Any  # a Standing; None for a view that is new
    changes: Any  # the tables that moved; of no use to a full refresh
    target: Cursor
    started: float
    doubted: str = ""  # why the pasts were given up


RECENT = 32  # rows of the history that tell what refreshes cost lately
# Errors after which a refresh under `auto` recomputes, with the error as its reason.
RECOVERABLE = ("version.vacuumed", "view.inconsistent", "view.failed")


def _mended(attempt: Attempt, measured: Measured) -> str:
    """What the refresh had to build again."""
    if attempt.doubted or not measured.rebuilt:
        return attempt.doubted
    were = "stored past was" if measured.rebuilt == 1 else "stored pasts were"
    return f"{measured.rebuilt} {were} missing or out of date, and built again."


def _told(choice: Choice, taken: LaneChoice) -> str:
    """Why the refresh is as it is: the strategy, and the lane where that was a choice."""
    return f"{choice.reason} {taken.reason}".rstrip() if choice.strategy == "incremental" else choice.reason


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0] or type(error).__name__


def _since(started: float) -> float:
    return time.perf_counter() - started


def _report(
    view: str,
    strategy: str,
    reason: str,
    seconds: float,
    cursor: Cursor,
    measured: Measured,
    operators: tuple[OperatorReport, ...] = (),
    lane: str = "spark",
) -> Refresh:
    phases = {name: round(value, 6) for name, value in measured.phases.items()}
    return Refresh(
        view, strategy, lane, reason, seconds, measured.rows_changed, dict(cursor), measured.jobs, operators, phases
    )
