"""The program of a refresh: the few statements that carry a view from one cursor to the next, in order.

Idea: rules say what depends on what; the program decides what is computed once. A `Stage` is a plan whose rows
are kept (on the driver while small) and read by name; everything else is inlined where it is used. The last
stage of a refresh is the view's own change; stages marked `upkeep` bring stored pasts up to date after it is published.
Invariant: a program is a value: the executor runs it, EXPLAIN prints it, and neither adds to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from headwater.algebra.expressions import cast, column
from headwater.algebra.nodes import Column, Node, Output, Project, Relation, Scan, plain
from headwater.delta.first_filters import first_filters
from headwater.delta.fused import Part, both_sides, head, segment_part, view_part
from headwater.delta.higher_order import HigherOrder
from headwater.delta.lookups import Lookup, Lookups
from headwater.delta.partials import is_exact
from headwater.delta.pasts import PARTIALS, Past, Pasts, as_aggregate
from headwater.delta.rules import incremental, partials_moved, touched_groups
from headwater.delta.signed import consolidated, signed_schema, values
from headwater.lake.changes import WEIGHT
from headwater.lake.comparisons import Alternative

RESULT = "view_change"


@dataclass(frozen=True)
class Stage:
    """One statement: its name, the plan that it evaluates, the view's node that it belongs to, and why it exists."""

    name: str
    plan: Node
    node: Node
    purpose: str  # change | net | partials | groups | both | touched | result | upkeep
    lookups: tuple[Lookup, ...] = ()  # what it reads by key, each after those it takes keys from
    part: Part | None = None  # when its rows are some of another stage's


@dataclass(frozen=True)
class Program:
    """What a refresh runs: stages up to the result, then those that only pasts need; and each past's segment.

    `filters` says of each table which rows of its change can matter at all.
    """

    stages: tuple[Stage, ...]
    upkeep: tuple[Stage, ...]
    segments: dict[str, str]  # past name -> name of the stage that is its new segment
    filters: Mapping[str, tuple[Alternative, ...]] = field(default_factory=dict)

    @property
    def changes_view(self) -> bool:
        return any(stage.name == RESULT for stage in self.stages)

    def upkeep_of(self, pasts: Iterable[str]) -> tuple[Stage, ...]:
        """The upkeep that only these pasts need: their segments, and what those are made of."""
        wanted = {self.segments[past] for past in pasts if past in self.segments}
        for stage in reversed(self.upkeep):
            if stage.name in wanted:
                wanted |= {leaf.name for leaf in stage.plan.walk() if isinstance(leaf, Relation)}
                wanted |= {name for lookup in stage.lookups for name, _ in lookup.sources}
                wanted |= {stage.part.source.name} if stage.part is not None else set()
        return tuple(stage for stage in self.upkeep if stage.name in wanted)


class ProgramBuilder:
    """Plans one refresh of one view, for one set of changed tables."""

    def __init__(
        self,
        plan: Node,
        stored: tuple[Past, ...],
        changed: frozenset[str],
        few: frozenset[str] = frozenset(),
        higher_order: HigherOrder | None = None,
    ) -> None:
        """`few` names the stored pasts that are so small that they are read whole; `higher_order` has its own rule for
        clusters of inner joins."""
        self.plan = plan
        self.pasts = Pasts(stored)
        self.changed = changed
        self.higher_order = higher_order
        self.lookups = Lookups(stored, few)
        self.ids = {node: number for number, node in enumerate(dict.fromkeys(plan.walk()))}
        self.stages: list[Stage] = []
        self._changes: dict[Node, Node | None] = {}
        self._shared: dict[tuple[str, Node], Relation] = {}
        self._fused: Node | None = None  # the aggregate whose segment comes with the view's change

    def build(self) -> Program:
        fused = head(self.plan)
        if fused is not None and is_exact(fused[1]):
            self._fused_result(*fused)
        else:
            change = self.change(self.plan)
            if change is not None:
                self._add(RESULT, typed(change, self.plan), self.plan, "result")
        before = len(self.stages)
        segments = {past.name: self._segment(past) for past in self.pasts.stored}  # inputs first
        return Program(
            tuple(self.stages[:before]),
            tuple(self.stages[before:]),
            {past: stage for past, stage in segments.items() if stage is not None},
            first_filters(self.plan, self.pasts.stored),
        )

    def _fused_result(self, chain: tuple[Node, ...], aggregate: Node) -> None:
        """One statement gives the view's change, and the segment that its partials gain."""
        if not (aggregate.tables & self.changed):
            return
        groups = touched_groups(aggregate, as_aggregate(aggregate), self)
        if groups is None:
            return
        both = self.shared("both", aggregate, both_sides(chain, aggregate, groups))
        assert isinstance(both, Relation)
        self._add_part(RESULT, self.plan, "result", view_part(self.plan, both))
        self._fused = aggregate

    def _add_part(self, name: str, node: Node, purpose: str, part: Part) -> None:
        self.stages.append(Stage(name, part.plan, node, purpose, part=part))

    # -- what the rules ask for

    def change(self, node: Node) -> Node | None:
        if not (node.tables & self.changed):
            return None
        if node not in self._changes:
            found = self._by_rule(node)
            if found is not None:
                found = self.lookups.narrow(found)
            if found is not None and not is_exact(node):  # computed once, so that all who read it see the same bits
                found = self.shared("change", node, typed(found, node))
            self._changes[node] = found
        return self._changes[node]

    def _by_rule(self, node: Node) -> Node | None:
        if isinstance(node, Scan):
            return table_change(node)
        if self.higher_order is not None and node in self.higher_order:
            return self.higher_order.change(node, self)
        return incremental(node, self)

    def near_change(self, node: Node) -> Node | None:
        change = self.change(node)
        return change if change is None or self.lookups.is_resident(change) else self.small_change(node)

    def net_change(self, node: Node) -> Node | None:
        change = self.change(node)
        return None if change is None else self.shared("net", node, consolidated(typed(change, node)))

    def small_change(self, node: Node) -> Node | None:
        change = self.change(node)
        if change is None or reads_only_tables(change):
            return change
        return self.shared("change", node, typed(change, node))

    def narrowed(self, rows: Node, keys: tuple[str, ...], change: Node) -> Node | None:
        wanted = {key: found for key in keys if (found := self.lookups.sources(change, key))}
        near = self.lookups.restrict(self.lookups.narrow(rows), wanted)
        return near if self.lookups.is_resident(near) else None

    def shared(self, purpose: str, node: Node, plan: Node) -> Node:
        key = (purpose, node)
        if key not in self._shared:
            name = f"{purpose}_{type(node).__name__.lower()}_{self.ids.get(node, 0)}"
            taken = {stage.name for stage in self.stages}
            while name in taken:
                name += "b"
            self._add(name, plan, node, purpose)
            self._shared[key] = Relation(name, plan.schema, small=True)
        return self._shared[key]

    def _add(self, name: str, plan: Node, node: Node, purpose: str) -> None:
        narrow = self.lookups.narrow(plan)
        self.stages.append(Stage(name, narrow, node, purpose, self.lookups.needed_by(narrow)))

    def _segment(self, past: Past) -> str | None:
        """The stage whose rows are to be appended to a stored past."""
        if not (past.node.tables & self.changed):
            return None
        if past.form == PARTIALS:
            return self._partial_segment(past)
        shared = self._shared.get(("change", past.node)) or self._shared.get(("net", past.node))
        if shared is not None:
            return shared.name
        change = self.change(past.node)
        if change is None:
            return None
        relation = self.shared("upkeep", past.node, typed(change, past.node))
        assert isinstance(relation, Relation)
        # What is built from this node takes its change from here, not from the tables again.
        self._changes = {node: found for node, found in self._changes.items() if past.node not in node.walk()}
        self._changes[past.node] = relation
        return relation.name

    def _partial_segment(self, past: Past) -> str | None:
        moved: Node | None = self._shared.get(("partials", past.node))
        if moved is None and past.node == self._fused:
            both = self._shared["both", past.node]
            assert isinstance(both, Relation)
            name = f"segment_{past.name}"
            self._add_part(name, past.node, "partials", segment_part(past.node, both))
            return name
        if self.change(past.node) is None:
            return None
        if moved is None:
            groups = self._shared[("groups", past.node)]
            moved = self.shared("partials", past.node, partials_moved(as_aggregate(past.node), groups))
        assert isinstance(moved, Relation)
        return moved.name


def table_change(node: Scan) -> Node:
    """The rows a table gained and lost, under the scan's names."""
    source = Relation(change_name(node.table), signed_schema(source_columns(node)), small=True)
    renamed = tuple(Output(item.name, column(old)) for item, old in zip(node.columns, node.sources, strict=True))
    return Project(source, (*renamed, Output(WEIGHT, column(WEIGHT))))


def source_columns(node: Scan) -> tuple[Column, ...]:
    return tuple(Column(old, item.type) for item, old in zip(node.columns, node.sources, strict=True))


def change_name(table: str) -> str:
    return f"change_of_{table}"


def reads_only_tables(change: Node) -> bool:
    """True when a change is a table's own change, filtered and projected: cheaper to repeat than to keep."""
    children = change.children
    return isinstance(change, Relation) or (
        len(children) == 1 and type(change).__name__ in ("Filter", "Project") and reads_only_tables(children[0])
    )


def typed(change: Node, node: Node) -> Node:
    """The change with exactly the node's column types, so that what is kept never drifts from what is typed."""
    outputs = [Output(item.name, cast(column(item.name), item.type), item.type) for item in node.schema]
    assert set(values(change)) == set(node.names)
    return Project(change, (*outputs, *plain((WEIGHT,))))
