"""A maintained view: refreshed by the change, verified against its own SQL, explained, read like any table."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime
from math import inf
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from headwater.delta.pasts import Past
from headwater.delta.program import Program
from headwater.engine.compiler import pretty
from headwater.errors import HeadwaterError
from headwater.lake import sorted_copies
from headwater.lake.changes import Change
from headwater.lake.delta_table import DeltaFolder
from headwater.refresh import explain, verify
from headwater.refresh.attempt import Attempt, first_line, mended, report_of, told
from headwater.refresh.choice import Choice, CostModel
from headwater.refresh.definition import Definition
from headwater.refresh.expected import expected_change, newly_broken
from headwater.refresh.keeping import Keeper, Keeping, Means
from headwater.refresh.lanes import LaneChoice, LaneCosts
from headwater.refresh.report import Cursor, Explanation, OperatorReport, Refresh, StoredPast, Verification
from headwater.refresh.runner import Advance, Measured, Runner
from headwater.refresh.standing import DEFINED, Standing, recent_stops, standing_of
from headwater.state.expectation import ExpectedChange
from headwater.state.selection import RECOMPUTE
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
        self._birth = folder.birth()
        self._lock = threading.RLock()
        self._become(definition)

    def _become(self, definition: Definition) -> None:
        """From now on a view by this definition, of which nothing has been measured yet."""
        self._definition = definition
        self._store = PastStore(self._lake._warehouse.past_path(definition.name, definition.id))
        self._costs: CostModel | None = None
        self._lane_costs = LaneCosts()
        self._runner_: Runner | None = None
        self._keeper = Keeper(definition, self._store, self._held)

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
        """The lake is open, and its view of this name is still in this folder, perhaps by another definition."""
        self._lake._check_open()
        if self._lake._catalog.find(self.name) is None or self._folder.birth() not in (None, self._birth):
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
        last = self._folder.latest() if until is None else until
        change = self._folder.changes(since, last)
        for version in range(last, since, -1):
            if DEFINED in self._folder.commit_at(version).info and not self._keeps_columns(version):
                raise HeadwaterError("view.replaced", name=self.name, version=version)
        return change.read()

    def _keeps_columns(self, version: int) -> bool:
        return self._folder.schema_at(version) == self._folder.schema_at(version - 1)

    def history(self, limit: int | None = None) -> pa.Table:
        """One row a refresh, the newest first."""
        self._lake._check_open()
        return self._lake._history.read(self.name, limit)

    def states(self) -> tuple[StoredPast, ...]:
        """The stored pasts of the view and what they weigh."""
        found = []
        for past in self._pasts():
            rows, _, files = self._store.size(past)
            places = ["disk", *(["process"] if self._resident(past) else [])]
            found.append(StoredPast(past.node.label, past.key, ", ".join(places), rows, self._held(past), files))
        return tuple(found)

    def _pasts(self) -> tuple[Past, ...]:
        """The stored pasts that its log names."""
        return self._keeper.in_force(self._standing().kept)

    def _held(self, past: Past) -> int:
        """The bytes that a past takes: its files, their sorted copies, and the rows held in this process."""
        folder = self._store.folder(past)
        if folder is None:
            return 0
        return self._store.size(past)[1] + sorted_copies.size(folder) + self._resident(past)

    def _resident(self, past: Past) -> int:
        folder = self._store.folder(past)
        held = self._lake._local.residents.of(folder.path) if folder is not None else None
        return held.bytes if held is not None else 0

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
            self._runner.pasts = self._keeper.in_force(standing.kept)
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
        if full or isinstance(changes, HeadwaterError) or self._recomputes(standing) is not None:
            choice = self._choose(changes, full, self._recomputes(standing))
            if wanted == "local":
                reason = "A full refresh runs on Spark." if full else choice.reason
                raise HeadwaterError("lane.impossible", name=self.name, reason=reason)
            return choice, LaneChoice("spark", "Spark recomputes.")
        refusal = self._local_refusal(standing, changes) if wanted != "spark" else None
        if wanted == "local" and refusal is not None:
            raise HeadwaterError("lane.impossible", name=self.name, reason=refusal)
        rows = sum(change.rows for change in changes.values())
        taken = self._lane_costs.choose(rows, wanted, refusal, self._lake._spark_runs)
        choice = self._choose(changes, full, None, taken.seconds if taken.lane == "local" else None)
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
        new = Attempt(Choice("full", NEW, {}), LaneChoice("spark", NEW), None, {}, cursor, time.perf_counter())
        return self._run(new)

    def _take_over(self, cursor: Cursor) -> Refresh:
        """Built in the folder of a view that is defined otherwise, which gives way in one commit."""
        started, before, measured = time.perf_counter(), standing_of(self._folder), Measured()
        keeping = self._keeper.choose(self._expected(cursor), self._means())
        after = self._runner.take_over(cursor, measured, keeping)
        seconds = _since(started)
        self._costs = CostModel().rebuilt(seconds)
        report = report_of(self.name, "full", REPLACED, seconds, after.cursor, measured)
        return self._record(report, dict(before.cursor) if before else {}, measured, 0.0)

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
            why = f"What was stored could not be read ({first_line(error)}); the pasts were built again."
            return self._run(replace(attempt, doubted=why))
        named = error if isinstance(error, HeadwaterError) else None
        failed = named or HeadwaterError("view.failed", name=self.name, why=first_line(error).rstrip("."))
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
        measured, standing, target = Measured(), attempt.standing, attempt.target
        keeping = self._keeper.choose(self._expected(target), self._means(), self._runner.pasts)
        after = self._runner.build(target, standing, measured, keeping)
        seconds = _since(attempt.started)
        self._costs = (self._costs or self._known_costs()).rebuilt(seconds)
        before = dict(standing.cursor) if standing else {}
        return self._record(
            report_of(self.name, "full", reason, seconds, after.cursor, measured), before, measured, 0.0
        )

    def _advanced(self, attempt: Attempt, advance: Advance, measured: Measured) -> Refresh:
        """The view is published: its pasts follow, and the refresh is told."""
        seconds, taken = _since(attempt.started), attempt.taken
        loading = measured.phases.get("repair", 0.0) + advance.work.counters.loading
        self._learn(taken.lane, attempt.changes, seconds - loading)
        upkeep = time.perf_counter()
        kept = attempt.standing.kept
        keeping = self._keeper.next(kept, lambda: self._expected(attempt.target), self._means())
        advance.finish(keeping)
        reason = " ".join(part for part in (mended(attempt, measured), told(attempt.choice, taken)) if part)
        if measured.upkeep_failure:
            reason += f" Its pasts are built again by the next refresh: {measured.upkeep_failure}"
        operators = self._operators(measured.stages)
        report = report_of(self.name, "incremental", reason, seconds, attempt.target, measured, operators, taken.lane)
        return self._record(report, dict(attempt.standing.cursor), measured, _since(upkeep))

    def _means(self) -> Means:
        """What the choice of pasts may use."""
        costs = self._costs or self._known_costs()
        lane = "spark" if self._lake._wanted_lane == "spark" or self._lake._local_reason else "local"
        budget = inf if self._definition.budget is None else float(self._definition.budget)
        return Means(budget, lane, costs.full_seconds)

    def _learn(self, lane: str, changes: Mapping[str, Change], seconds: float) -> None:
        rows = sum(change.rows for change in changes.values())
        self._lane_costs = self._lane_costs.measured(lane, rows, seconds)
        if lane == "spark":
            self._costs = (self._costs or self._known_costs()).measured(rows, seconds)

    def _record(self, report: Refresh, before: Cursor, measured: Measured, upkeep: float) -> Refresh:
        broken = newly_broken(self._lake._declared(self.reads), before, report.cursor)
        reason = " ".join((report.reason, *broken))
        report = replace(report, reason=reason, upkeep_seconds=upkeep, jobs=measured.jobs, rows_read=measured.rows_read)
        report = self._within_budget(report)
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

    def _within_budget(self, report: Refresh) -> Refresh:
        """What outgrew the budget is released, and the report says so."""
        standing = self._standing()
        if standing.kept is None or self._definition.budget is None:
            return report
        keeping = Keeping(self._runner.pasts, standing.kept)
        within = self._keeper.within(keeping, self._means())
        if within is keeping:
            return report
        self._runner.hold(within)
        return replace(report, reason=f"{report.reason} {within.kept.reason}.".lstrip())

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
            told(choice, taken),
            dict(standing.cursor),
            pending,
            self._measured_operators(),
            choice.alternatives,
            self._statements(frozenset(pending) or frozenset(self.reads)) if sql else "",
            self._definition.pinned,
            taken.lane,
            taken.reason,
            self._expected(target),
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

    def _expected(self, target: Cursor, interval: float | None = None) -> ExpectedChange:
        """What is expected to come after a refresh to `target`; `interval`: seconds until then, by a schedule."""
        watched = self._lake._watched(self.reads)
        return expected_change(watched, recent_stops(self._folder), target, time.time(), interval)

    def _standing(self) -> Standing:
        found = standing_of(self._folder)
        if found is None:
            raise HeadwaterError("view.unknown", name=self.name, known="this one was never finished; create it again")
        if found.definition not in ("", self._definition.id):
            self._follow()
        return found

    def _follow(self) -> None:
        """The view was replaced, maybe by another process: this object stands for the new one."""
        with self._lock:
            entry = self._lake._in_force(self._lake._catalog.get(self.name), self._folder)
            self._become(self._lake._defined(entry))

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

    def _recomputes(self, standing: Standing) -> str | None:
        """Why every refresh of the view recomputes; None where that is chosen each time."""
        if self._definition.reason is not None or self.policy in ("incremental", "strict"):
            return self._definition.reason
        kept = standing.kept
        return kept.why if kept is not None and kept.refresh == RECOMPUTE else None

    def _choose(
        self,
        changes: dict[str, Change] | HeadwaterError,
        full: bool,
        recomputes: str | None,
        incremental: float | None = None,
    ) -> Choice:
        reason = "It was asked for." if full else recomputes
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
        for row in reversed(self._recent()):
            if row["strategy"] == "full":
                model = model.rebuilt(row["seconds"])
        return model

    def _recent(self) -> list[dict[str, Any]]:
        """What the history has of late, the newest first; of another definition's refreshes nothing."""
        found: list[dict[str, Any]] = []
        for row in self.history(limit=RECENT).to_pylist():
            found.append(row)
            if row["reason"] in (NEW, REPLACED):
                break
        return found

    def _operators(self, stages: Mapping[str, tuple[int | None, float]]) -> tuple[OperatorReport, ...]:
        plan = self._definition.plan
        if plan is None:
            return ()
        pasts = self._pasts()
        sizes = {past.name: self._store.size(past) for past in pasts}
        return explain.operators(plan, pasts, sizes, stages)

    def _measured_operators(self) -> tuple[OperatorReport, ...]:
        """The operators with what the last incremental refresh measured, in whichever process it ran."""
        last = next((row["operators"] for row in self._recent() if row["strategy"] == "incremental"), None)
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


NEW, REPLACED = "The view is new.", "The view was replaced."


RECENT = 32  # rows of the history that tell what refreshes cost lately
# Errors after which a refresh under `auto` recomputes, with the error as its reason.
RECOVERABLE = ("version.vacuumed", "view.inconsistent", "view.failed")


def _since(started: float) -> float:
    return time.perf_counter() - started
