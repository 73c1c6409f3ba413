"""Builds a view and advances it: the cursor protocol.

    read the change  ->  run the program's stages  ->  publish the view's change and the cursor, in one commit
                     ->  bring the stored pasts up to date

Idea: everything before the commit is read-only on what others see, so a crash leaves the old cursor; everything
after it is soft, so a crash leaves the new cursor and pasts that will be found stale and built again.
Invariant: other tables are read at their version in the cursor, whatever has been committed to them since.
Complexity: an incremental refresh costs the change, the pasts that its stages read, and a few Spark jobs; nothing
here grows on the driver with a table: changes above `LARGE_CHANGE_ROWS` and results above `COLLECTED_ROWS` stay in
Spark.
"""

from __future__ import annotations

import dataclasses
import os
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from headwater.algebra.nodes import Node, Relation, Scan, Union
from headwater.delta.empty import without
from headwater.delta.fused import Part
from headwater.delta.lookups import Lookup
from headwater.delta.partials import is_exact
from headwater.delta.pasts import PARTIALS, Past, Pasts, added, as_aggregate, partials_of
from headwater.delta.program import RESULT, Program, ProgramBuilder, Stage, change_name
from headwater.delta.signed import bag, consolidated, signed, signed_schema
from headwater.engine.lanes import Lane, Work
from headwater.engine.local.lane import LocalLane, estimate
from headwater.engine.types import arrow_schema
from headwater.errors import Conflict, HeadwaterError
from headwater.lake.changes import Change
from headwater.lake.commits import admit
from headwater.lake.comparisons import that_may_pass
from headwater.lake.delta_table import DeltaFolder, NewFile
from headwater.lake.snapshot_edit import Reshaped, apply_change, replace
from headwater.lake.sorted_copies import keys_of
from headwater.refresh.definition import Definition
from headwater.refresh.keeping import Keeping
from headwater.refresh.report import Cursor
from headwater.refresh.standing import Standing, defining, standing_of
from headwater.state.store import PastStore

LARGE_CHANGE_ROWS = 1_000_000  # more changed rows than this stay distributed: the driver would hold hundreds of MB
COLLECTED_ROWS = 1_000_000  # a view's change above this is applied by Spark
FEW_ROWS = 10_000  # a past of up to this many rows is held whole on the driver: that costs less than any scan
# A look-up of more keys, or one that finds more rows, gives way to a scan by Spark: the driver would hold too much.
LOOKUP_KEYS = 500_000
LOOKUP_ROWS = 1_000_000
TAKE_OVERS = 10  # attempts to replace a view that is being refreshed all the time
VIEW_ROWS = "view_rows"
# Naming rows to Spark is a dozen round trips to the JVM, most of them waiting: several relations are named at once.
REGISTRARS = ThreadPoolExecutor(max_workers=4, thread_name_prefix="headwater-register")

Tables = Mapping[str, Any]
Progress = Callable[[str, str], None]


@dataclass
class Measured:
    """What one run measured: seconds per phase, rows and seconds per stage, Spark's counters."""

    phases: dict[str, float] = field(default_factory=dict)
    stages: dict[str, tuple[int | None, float]] = field(default_factory=dict)
    rows_changed: int = 0
    rows_read: int = 0
    jobs: int = 0
    loading: float = 0.0
    rebuilt: int = 0  # stored pasts that were not there, or not at the view's cursor
    upkeep_failure: str = ""  # why the stored pasts could not be brought up to date

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        started = time.perf_counter()
        try:
            yield
        finally:
            self.phases[name] = self.phases.get(name, 0.0) + time.perf_counter() - started

    def count(self, work: Work) -> None:
        self.jobs += work.counters.jobs
        self.rows_read += work.counters.rows_read
        self.loading += work.counters.loading


class Runner:
    """Runs one view. Holds no state of its own but compiled programs and open folders."""

    def __init__(
        self,
        definition: Definition,
        folder: DeltaFolder,
        store: PastStore,
        tables: Tables,
        spark: Callable[[], Any],  # the lane that builds, recomputes and takes what is large; opened when needed
        progress: Progress,
    ) -> None:
        self.definition = definition
        self.folder = folder
        self.store = store
        self.tables = tables
        self._spark = spark
        self.progress = progress
        self.pasts: tuple[Past, ...] = ()  # that are stored now
        self._programs: dict[tuple[tuple[Past, ...], frozenset[str], frozenset[str]], Program] = {}
        self._pruned: dict[tuple[Node, frozenset[str]], Node | None] = {}

    @property
    def lane(self) -> Any:
        return self._spark()

    # -- full

    def build(self, cursor: Cursor, standing: Standing | None, measured: Measured, keeping: Keeping) -> Standing:
        """Evaluate the view at a cursor, with the pasts that are to be kept, and publish both."""
        before = self.pasts
        files = self._evaluated(cursor, self.folder, measured, keeping.pasts)
        with measured.phase("publish"):
            after = self._after(cursor, standing, keeping)
            kept = after.metadata | (defining(self.definition) if standing is None else {})
            expected = standing.version if standing is not None else self.folder.version
            version = replace(self.folder, files, metadata=kept, expected=expected)
        self._release(before)
        return dataclasses.replace(after, version=version)

    def take_over(self, cursor: Cursor, measured: Measured, keeping: Keeping) -> Standing:
        """Evaluate the view in the folder of one that is defined otherwise, and replace that in one commit.

        A refresh of the other one in the meantime is no hindrance: what it made is replaced as well.
        """
        schema = arrow_schema(self.definition.schema)
        files = self._evaluated(cursor, Reshaped(self.folder.path, schema), measured, keeping.pasts)
        with measured.phase("publish"):
            admit(self.folder, schema)
            return self._replacing(files, cursor, schema, keeping)

    def _replacing(self, files: list[NewFile], cursor: Cursor, schema: pa.Schema, keeping: Keeping) -> Standing:
        for attempt in range(1, TAKE_OVERS + 1):
            after = self._after(cursor, standing_of(self.folder), keeping)
            kept, expected = after.metadata | defining(self.definition), self.folder.version
            try:
                version = replace(self.folder, files, metadata=kept, expected=expected, schema=schema)
                return dataclasses.replace(after, version=version)
            except Conflict:
                if attempt == TAKE_OVERS:
                    raise
        raise AssertionError("unreachable")

    def _after(self, cursor: Cursor, before: Standing | None, keeping: Keeping) -> Standing:
        """Where the view will stand; the version is that of the commit to come."""
        sequence = before.sequence + 1 if before is not None else 1
        return Standing(cursor, sequence, self.definition.fingerprint, -1, self.definition.id, keeping.kept)

    def _release(self, before: tuple[Past, ...]) -> None:
        """Of what was stored before, what is no longer kept."""
        for past in before:
            if past not in self.pasts:
                self.store.release(past)

    def _evaluated(
        self, cursor: Cursor, folder: DeltaFolder | Reshaped, measured: Measured, pasts: tuple[Past, ...]
    ) -> list[NewFile]:
        """The view's rows at a cursor as files that no commit names yet; its pasts are built and kept on the way."""
        self.pasts = pasts
        with measured.phase("compute"):
            work = self.lane.work(self.definition.name, large=True)
            plan = self.definition.plan
            if plan is None:
                self.progress("computing", self.definition.name)
                frames = self.lane.defined(self.tables, cursor, self.definition.sources)
                files = work.write_frame(self.lane.query(self.definition.evaluated, frames), folder)
            else:
                self.build_pasts(self.pasts, cursor, work)
                self.progress("computing", self.definition.name)
                self._add_tables(work, plan, cursor)
                files = work.write(bag(Pasts(self.pasts).rows(plan)), folder, self._clustering())
            measured.count(work)
        measured.rows_changed = sum(file.rows or 0 for file in files)
        return list(files)

    def _clustering(self) -> tuple[str, ...]:
        """The columns that order the view's files, so that a later change rewrites few of them."""
        plan = self.definition.plan
        keys = sorted(plan.unique_keys, key=lambda key: (len(key), sorted(key))) if plan is not None else []
        return tuple(name for name in plan.names if name in keys[0]) if plan is not None and keys else ()

    def build_pasts(self, pasts: tuple[Past, ...], cursor: Cursor, work: Work) -> None:
        """Each past from the tables and from the pasts that stand already."""
        standing = [past for past in self.pasts if past not in pasts]
        for past in standing:
            self.add_past(work, past)
        for past in pasts:
            self.progress("building past", past.node.label)
            below = Pasts(tuple(standing))
            plan = self._past_plan(past, below)
            self._add_tables(work, plan, cursor)
            folder = self.store.fresh(past)
            self.store.publish(past, work.write(plan, folder, past.key), cursor)
            self.add_past(work, past)
            standing.append(past)

    @staticmethod
    def _past_plan(past: Past, below: Pasts) -> Node:
        if past.form == PARTIALS:
            grouped = as_aggregate(past.node)
            return partials_of(grouped, below.rows(grouped.child))
        return below.rows(past.node)

    def add_past(self, work: Work, past: Past) -> None:
        folder = self.store.folder(past)
        assert folder is not None
        work.add_past(past.name, folder, folder.version)

    def past_folder(self, name: str) -> DeltaFolder:
        folder = self.store.folder(next(past for past in self.pasts if past.name == name))
        assert folder is not None
        return folder

    def _add_tables(self, work: Work, plan: Node, cursor: Cursor) -> None:
        for table in sorted({node.table for node in plan.walk() if isinstance(node, Scan)}):
            work.add_table(table, self.tables[table], cursor[table])

    def keep(self, keeping: Keeping) -> None:
        """From now on these pasts are the view's: said in its log, so that every process knows."""
        standing = standing_of(self.folder)
        assert standing is not None
        kept = dataclasses.replace(standing, kept=keeping.kept)
        self.folder.commit((), metadata=kept.metadata, expected=standing.version)

    def hold(self, keeping: Keeping) -> None:
        """Only these pasts stay: said first, then done."""
        self.keep(keeping)
        before, self.pasts = self.pasts, keeping.pasts
        self._release(before)

    # -- incremental

    def program(self, changed: frozenset[str]) -> Program:
        """The program for a set of changed tables; planned once."""
        few = frozenset(past.name for past in self.pasts if self.store.size(past)[0] <= FEW_ROWS)
        key = (self.pasts, changed, few)
        if key not in self._programs:
            assert self.definition.plan is not None
            rule = self.definition.higher_order
            self._programs[key] = ProgramBuilder(self.definition.plan, self.pasts, changed, few, rule).build()
        return self._programs[key]

    def pruned(self, plan: Node, empty: frozenset[str]) -> Node | None:
        """The plan without what reads empty relations; made once, since naming a plan anew costs milliseconds."""
        key = (plan, empty & {leaf.name for leaf in plan.walk() if isinstance(leaf, Relation)})
        if key not in self._pruned:
            self._pruned[key] = without(plan, key[1])
        return self._pruned[key]

    def stale(self, standing: Standing) -> tuple[Past, ...]:
        """Whatever past does not stand where the view stands."""
        stale: list[Past] = []
        for past in self.pasts:  # inputs first
            if not self._stands(past, standing.cursor) or self._reads_rounded(past, stale):
                stale.append(past)
        return tuple(stale)

    def _stands(self, past: Past, cursor: Cursor) -> bool:
        try:
            return self.store.stands_at(past, cursor)
        except Exception:  # its folder is gone or its log cannot be read: as if it had never been
            return False

    def doubt(self) -> None:
        """Something that was read is not as it was written: every past counts as lost, with all copies of it."""
        for past in self.pasts:
            self.store.fresh(past)

    def is_past(self, name: str) -> bool:
        """True for the name or the path of a stored past's folder."""
        paths = [self.store.path(past) for past in self.pasts]
        return name in paths or name in map(os.path.basename, paths)

    def repair(self, standing: Standing, measured: Measured, lane: Lane) -> int:
        """Build again whatever past does not stand where the view stands; how many there were."""
        stale = self.stale(standing)
        if stale:
            with measured.phase("repair"):
                work = lane.work(self.definition.name, large=True)
                self.build_pasts(stale, standing.cursor, work)
                measured.count(work)
                measured.rebuilt += len(stale)
        return len(stale)

    def local_refusal(
        self, standing: Standing, changes: Mapping[str, Change], local: LocalLane
    ) -> HeadwaterError | None:
        """Why the local lane cannot carry these changes; None when it can."""
        changed = frozenset(name for name, change in changes.items() if not change.empty)
        rows = sum(changes[name].rows for name in changed)
        if rows > LARGE_CHANGE_ROWS:
            return HeadwaterError("lane.large", rows=f"{rows:,}", most=f"{LARGE_CHANGE_ROWS:,}")
        program = self.program(changed)
        need: dict[str, int] = {}
        for stage in (*program.stages, *program.upkeep):
            refusal = local.refusal(stage.plan)
            if refusal is not None:
                return refusal
            need |= self._resident_bytes(stage, standing)
        if sum(need.values()) > local.residents.budget:
            return local.too_large(sum(need.values()))
        return None

    def _resident_bytes(self, stage: Stage, standing: Standing) -> dict[str, int]:
        """What a stage would hold of the tables and pasts that it scans, estimated."""
        found = {}
        for leaf in stage.plan.walk():
            if isinstance(leaf, Scan):
                found[leaf.table] = estimate(self.tables[leaf.table], standing.cursor[leaf.table], leaf.schema)
            elif isinstance(leaf, Relation) and any(past.name == leaf.name for past in self.pasts):
                folder = self.past_folder(leaf.name) if self._has_folder(leaf.name) else None
                found[leaf.name] = estimate(folder, folder.version, leaf.schema) if folder is not None else 0
        return found

    def _has_folder(self, name: str) -> bool:
        return any(past.name == name and self.store.folder(past) is not None for past in self.pasts)

    @staticmethod
    def _reads_rounded(past: Past, stale: list[Past]) -> bool:
        """True when a past holds sums of doubles that are about to be computed again, perhaps to other last bits."""
        below = set(past.node.walk())
        return any(lost.node in below for lost in stale if not is_exact(lost.node))

    def advance(
        self,
        standing: Standing,
        changes: Mapping[str, Change],
        cursor: Cursor,
        measured: Measured,
        lane: Lane | None = None,
    ) -> Advance:
        """Publish the view's change; `finish` of what is returned brings the pasts up to date."""
        lane = lane or self.lane
        self.repair(standing, measured, lane)
        changed = frozenset(name for name, change in changes.items() if not change.empty)
        large = sum(changes[name].rows for name in changed) > LARGE_CHANGE_ROWS
        work = lane.work(self.definition.name, large)
        advance = Advance(self, standing, cursor, self.program(changed), lane, work, measured)
        try:
            with measured.phase("read change"):
                advance.read({name: changes[name] for name in changed})
            with measured.phase("compute"):
                advance.compute()
            with measured.phase("publish"):
                advance.publish()
        except BaseException:
            work.close()
            raise
        return advance


@dataclass
class Advance:
    """One incremental refresh on its way."""

    runner: Runner
    standing: Standing
    cursor: Cursor
    program: Program
    lane: Lane
    work: Work
    measured: Measured
    rows: dict[str, pa.Table] = field(default_factory=dict)
    held: dict[str, Any] = field(default_factory=dict)
    registered: set[str] = field(default_factory=set)

    @property
    def empty(self) -> set[str]:
        return {name for name, rows in self.rows.items() if rows.num_rows == 0}

    def read(self, changes: Mapping[str, Change]) -> None:
        for table, change in changes.items():
            columns = self.runner.definition.columns_read.get(table)
            if columns is None:  # named by the text, but nothing in the view depends on it
                continue
            if self.work.large:
                self.work.add_change(change_name(table), change, columns)
                self.registered.add(change_name(table))
            else:
                rows = that_may_pass(change.read(columns), self.program.filters.get(table, ()))
                self._keep(change_name(table), rows)

    def compute(self) -> None:
        for stage in self.program.stages:
            self._run(stage)

    def publish(self) -> None:
        folder, kept = self.runner.folder, self.standing.next(self.cursor)
        self.runner.progress("publishing", self.runner.definition.name)
        change = self.rows.get(RESULT)
        if change is None and RESULT in self.held:
            change = self.work.collect_if_small(self.held[RESULT], COLLECTED_ROWS)
        if change is not None:
            apply_change(folder, change, metadata=kept, expected=self.standing.version)
            self.measured.rows_changed = change.num_rows
        elif RESULT in self.held:
            self._rewrite(folder, kept)
        else:
            folder.commit((), metadata=kept, expected=self.standing.version)

    def _rewrite(self, folder: DeltaFolder, kept: dict[str, Any]) -> None:
        """A change that is too large for the driver is merged with the view's rows by Spark."""
        definition = self.runner.definition
        self.work.add_past(VIEW_ROWS, folder, self.standing.version)
        before = signed(Relation(VIEW_ROWS, definition.schema))
        change = Relation(RESULT, signed_schema(definition.schema))
        files = self.work.write(bag(Union((before, change))), folder)
        replace(folder, files, metadata=kept, expected=self.standing.version)
        self.measured.rows_changed = self.work.count(self.held[RESULT])

    def finish(self, keeping: Keeping) -> None:
        """Bring the pasts up to date, those that are to be kept for the next change, whatever was stored for this one;
        what fails here is found stale and built again by the next refresh."""
        try:
            if keeping.kept != self.standing.kept:
                self.runner.keep(keeping)
            self._finish(keeping.pasts)
        except Exception as error:  # the view is published: what is soft must not make that a failure
            self.measured.upkeep_failure = str(error).strip().partition("\n")[0] or type(error).__name__
        finally:
            self.work.close()
            self.measured.count(self.work)

    def _finish(self, after: tuple[Past, ...]) -> None:
        store = self.runner.store
        staying = [past for past in self.runner.pasts if past in after]
        for stage in self.program.upkeep_of(past.name for past in staying):
            self._run(stage)
        for past in staying:
            self._move(past)
        for past in self.runner.pasts:
            if past not in after:
                store.release(past)
        self._build_new(after)
        self._prepare()

    def _move(self, past: Past) -> None:
        """Bring one past to the new cursor."""
        store, stage_name = self.runner.store, self.program.segments.get(past.name)
        if stage_name is None:
            store.follow(past, self.cursor)
            return
        if stage_name in self.rows:
            store.append(past, self.rows[stage_name], self.cursor)
        else:
            folder = store.folder(past)
            assert folder is not None
            store.adopt(past, self.work.write_frame(self.held[stage_name], folder, past.key), self.cursor)
        if store.needs_compaction(past):
            self._compact(past)

    def _build_new(self, after: tuple[Past, ...]) -> None:
        """The pasts that the next change will want and this one did not have, at the cursor just reached."""
        new = tuple(past for past in after if past not in self.runner.pasts)
        self.runner.pasts = after
        if new:
            self.runner.build_pasts(new, self.cursor, self.lane.work(self.runner.definition.name, large=True))

    def _prepare(self) -> None:
        """What the next refresh will read at the cursor just reached: opened now, so that it need not wait then."""
        work = self.lane.work(self.runner.definition.name)
        leaves = {leaf for stage in self.program.stages for leaf in stage.plan.walk() if isinstance(leaf, Scan)}
        for table in sorted({leaf.table for leaf in leaves}):
            work.add_table(table, self.runner.tables[table], self.cursor[table])
        for past in self.runner.pasts:
            self.runner.add_past(work, past)
        work.prepare()

    def _compact(self, past: Past) -> None:
        store = self.runner.store
        folder = store.folder(past)
        assert folder is not None
        work = self.lane.work(self.runner.definition.name, large=True)
        work.add_past(past.name, folder, folder.version)
        fewer = added(as_aggregate(past.node), past.relation) if past.form == PARTIALS else consolidated(past.relation)
        store.compact(past, work.write(fewer, folder, past.key), self.cursor)

    def _run(self, stage: Stage) -> None:
        started = time.perf_counter()
        if stage.part is not None and stage.part.source.name in self.rows:
            self._keep(stage.name, part_of(self.rows[stage.part.source.name], stage.part))
        else:
            self._evaluate(stage)
        rows = self.rows[stage.name].num_rows if stage.name in self.rows else None
        self.measured.stages[stage.name] = (rows, time.perf_counter() - started)

    def _evaluate(self, stage: Stage) -> None:
        self.runner.progress("computing", stage.name)
        for lookup in stage.lookups if not self.work.large else ():
            self._look_up(lookup)
        plan = self.runner.pruned(stage.plan, frozenset(self.empty))
        if plan is None or self._changes_are_empty(stage):
            self._keep(stage.name, arrow_schema(stage.plan.schema).empty_table())
        else:
            plan = self._with_leaves(plan, stage)
            if self.work.large:
                self.held[stage.name] = self.work.hold(stage.name, plan)
                self.registered.add(stage.name)
            else:
                self._keep(stage.name, self.work.rows(plan))

    def _changes_are_empty(self, stage: Stage) -> bool:
        """True when nothing that the stage depends on moved: even an aggregate over nothing then stays as it is."""
        pasts = {past.name for past in self.runner.pasts} | {lookup.name for lookup in stage.lookups}
        moving = {leaf.name for leaf in stage.plan.walk() if isinstance(leaf, Relation)} - pasts
        return moving <= self.empty

    def _look_up(self, lookup: Lookup) -> None:
        """The rows of a past that a stage can need, on the driver; left to a scan when they are many."""
        if lookup.name in self.rows or any(name not in self.rows for name, _ in lookup.sources):
            return
        folder = self.runner.past_folder(lookup.past)
        if lookup.column is None:
            self._keep(lookup.name, self.work.whole(folder))
            return
        keys = keys_of([self.rows[name].column(column) for name, column in lookup.sources])
        if len(keys) <= LOOKUP_KEYS:
            rows = self.work.look_up(folder, lookup.column, keys, LOOKUP_ROWS)
            if rows is not None:
                self._keep(lookup.name, rows)

    def _keep(self, name: str, rows: pa.Table) -> None:
        self.rows[name] = rows

    def _with_leaves(self, plan: Node, stage: Stage) -> Node:
        """The plan with everything it reads made known to Spark; a look-up that was not made becomes a scan."""
        scanned = {each.name: each.past for each in stage.lookups if each.name not in self.rows}

        def scan(node: Node) -> Node:
            if isinstance(node, Relation) and node.name in scanned:
                return Relation(scanned[node.name], node.columns)
            return node

        if scanned:
            plan = plan.transform(scan)
        new = {name: None for node in plan.walk() if (name := leaf_name(node)) and name not in self.registered}
        self.registered.update(new)
        list(REGISTRARS.map(self._register, new))
        return plan

    def _register(self, name: str) -> None:
        """Give Spark one relation."""
        if name in self.rows:
            self.work.add_rows(name, self.rows[name])
        elif name in self.runner.tables:
            self.work.add_table(name, self.runner.tables[name], self.standing.cursor[name])
        else:
            past = next(past for past in self.runner.pasts if past.name == name)
            self.runner.add_past(self.work, past)


def leaf_name(node: Node) -> str | None:
    """The relation that a leaf reads."""
    if isinstance(node, Scan):
        return node.table
    return node.name if isinstance(node, Relation) else None


def part_of(rows: pa.Table, part: Part) -> pa.Table:
    """What `part.plan` gives over these rows."""
    kept = rows.filter(pc.not_equal(rows.column(part.nonzero), 0))
    return pa.table({new: kept.column(old) for new, old in part.columns})
