"""A plan as the paper's tree of operators: the rows that each gives, those that the next change brings, its states.

Idea: one pass over the plan, children first. A node's rows are those that a run has counted, else estimated; the rows
of its change follow from those of its tables' changes, carried up by the same ratios (a filter's share of its input, a
join's matches of each row, a group touched by at least one row). A stored past is a `State`; what a hash table, a
sorted run or a materialized input is in the paper is here some node's rows, keyed, or an aggregate's partials.

    what the paper keeps                       the stored past
    hash table of a join's input               ROWS of the input, by the columns that join it
    aggregation                                PARTIALS of the aggregate; where it is not linear, ROWS of its input by
                                               the group's columns
    sorted run (a window, a top-k)             ROWS of its input by the partition's columns, and a top-k's own rows
    materialized output of a pipelined node    ROWS of the node, without a key

Invariant: an operator under which no table is expected to change has a change of no rows. Equal nodes are one operator,
so a plan that is a graph stays one.
Complexity: linear in the different nodes. Limits: averages stand for every row; keys that changes share are not seen.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import singledispatch
from math import expm1, log1p
from typing import Protocol

from sqlglot import exp

from headwater.algebra.nodes import (
    Aggregate,
    Distinct,
    Filter,
    Generate,
    Join,
    Node,
    Project,
    Scan,
    Schema,
    Single,
    TopK,
    Unfold,
    Union,
    Window,
)
from headwater.algebra.statistics import Estimate, Statistics, estimate_over, groups_of
from headwater.delta.partials import is_exact, recipe
from headwater.delta.pasts import PARTIALS, ROWS, Past
from headwater.errors import Unsupported
from headwater.state.needed import Key, Stored, bottom_up, groups_below, joined_by, rows_by_key

SCAN, PIPELINED, MATERIALIZE, SORT = "scan", "pipelined", "materialize", "sort"
HASH_JOIN, MERGE_JOIN, NESTED_LOOP_JOIN = "hash_join", "merge_join", "nested_loop_join"
AGGREGATE, UDF_AGGREGATE = "aggregate", "udf_aggregate"

WIDTHS = {"bool": 1, "tiny": 1, "smal": 2, "int": 4, "date": 4, "floa": 4, "deci": 16, "stri": 24, "bina": 24}
WIDTH = 8  # bytes of a value of any other type; a nested one is larger, and then measured


class ExpectedRows(Protocol):
    """What a table's next change is expected to be."""

    @property
    def inserts(self) -> float: ...
    @property
    def deletes(self) -> float: ...
    @property
    def complete(self) -> bool: ...


Expected = Mapping[str, ExpectedRows]  # a table that is missing is expected to stay as it is


@dataclass(frozen=True)
class Rows:
    """A number of rows, and how many the next change adds and takes away."""

    now: float
    inserts: float = 0.0
    deletes: float = 0.0

    @property
    def change(self) -> float:
        return self.inserts + self.deletes

    @property
    def after(self) -> float:
        return max(0.0, self.now + self.inserts - self.deletes)

    def times(self, ratio: float, now: float) -> Rows:
        """The change, so many times; of a node that has `now` rows."""
        return Rows(now, self.inserts * ratio, self.deletes * ratio)


@dataclass(frozen=True)
class State:
    """A past that could be stored: whose, in which form, by which columns, and how large it would be."""

    node: Node
    form: str
    key: Key
    rows: Rows
    bytes: float  # of its rows as they are typed, wherever it lives
    measured: float | None = None  # bytes that it was seen to take

    @property
    def stored(self) -> Stored:
        return self.node, self.form


States = tuple[State, ...]


@dataclass(frozen=True, eq=False)
class Operator:
    """One operator of the tree. Its fields are all that the actions' formulas read."""

    kind: str
    node: Node
    children: tuple[Operator, ...]
    rows: Rows
    own: States = ()  # of its own result: a materialized output, an aggregate's partials, a top-k's rows
    inputs: tuple[States, ...] = ()  # for each child, what makes its past one that can be looked up
    in_groups: tuple[bool, ...] = ()  # whether a child's past can be read from the groups of an aggregate below it
    reads_itself: tuple[bool, ...] = ()  # whether a child's own change reads its past too, as outer joins' do
    touched: float = 0.0  # rows of the child's past that share a group or partition with a changed row
    groups: float = 0.0  # how many groups the next change touches
    always: States = ()  # own rows that no computation gives again

    def walk(self) -> Iterator[Operator]:
        """Every different operator once, children first."""
        seen: set[int] = set()
        waiting = [(self, False)]
        while waiting:
            operator, expanded = waiting.pop()
            if id(operator) in seen:
                continue
            if expanded:
                seen.add(id(operator))
                yield operator
            else:
                waiting.append((operator, True))
                waiting.extend((child, False) for child in reversed(operator.children))

    @property
    def states(self) -> States:
        return (*self.own, *(state for states in self.inputs for state in states))


@dataclass(frozen=True)
class Measured:
    """What runs have shown: rows of nodes, bytes of pasts (as they are held, by node and form)."""

    rows: Mapping[Node, float] = field(default_factory=dict)
    bytes: Mapping[Stored, float] = field(default_factory=dict)


NOTHING_MEASURED = Measured()


@dataclass(frozen=True)
class Physical:
    """What a plan's nodes do not say: joins that are done by merging, and the user's aggregates that add up.

    A user's own aggregate is computed again unless its name is among `incremental`.
    """

    merged: frozenset[Node] = frozenset()
    incremental: frozenset[str] = frozenset()
    materialize: bool = True  # whether Materialize operators are put above what is pipelined


AS_PLANNED = Physical()


def operators(
    plan: Node,
    statistics: Statistics,
    expected: Expected,
    measured: Measured = NOTHING_MEASURED,
    physical: Physical = AS_PLANNED,
) -> Operator:
    """The tree of a plan's operators."""
    facts = Facts(statistics, expected, measured, physical)
    made: dict[Node, Operator] = {}
    for node in bottom_up(plan):
        children = tuple(made[child] for child in node.children)
        facts.count(node)
        made[node] = materialized(operator(node, children, facts), facts)
        facts.changes[node] = made[node].rows
    return made[plan]


class Facts:
    """Cardinalities of the nodes seen so far, and the sizes that follow from them."""

    def __init__(self, statistics: Statistics, expected: Expected, measured: Measured, physical: Physical) -> None:
        self.statistics, self.expected, self.measured, self.physical = statistics, expected, measured, physical
        self.estimates: dict[Node, Estimate] = {}
        self.changes: dict[Node, Rows] = {}

    def count(self, node: Node) -> None:
        found = estimate_over(node, [self.estimates[child] for child in node.children], self.statistics)
        rows = self.measured.rows.get(node)
        self.estimates[node] = found if rows is None else replace(found, rows=max(0.0, rows))

    def rows(self, node: Node) -> float:
        return self.estimates[node].rows

    def groups(self, node: Node, keys: Key) -> float:
        return groups_of(self.estimates[node], keys)

    def state(self, node: Node, form: str, key: Key, rows: Rows) -> State:
        width = width_of(stored_schema(node, form, key))
        return State(node, form, key, rows, rows.now * width, self.measured.bytes.get((node, form)))


def width_of(schema: Schema) -> int:
    """Bytes of a row as it is typed."""
    return sum(WIDTHS.get(item.type[:4], WIDTH) for item in schema)


def stored_schema(node: Node, form: str, key: Key) -> Schema:
    return Past("sized", node, form, key).schema


@singledispatch
def operator(node: Node, children: tuple[Operator, ...], facts: Facts) -> Operator:
    """The operator of a node over the operators of its children."""
    raise Unsupported("unsupported.node", node=node.label)


@operator.register
def scan(node: Scan, children: tuple[Operator, ...], facts: Facts) -> Operator:
    change = facts.expected.get(node.table)
    inserts, deletes = (change.inserts, change.deletes) if change is not None else (0.0, 0.0)
    return Operator(SCAN, node, (), Rows(facts.rows(node), max(0.0, inserts), max(0.0, deletes)))


@operator.register
def single(node: Single, children: tuple[Operator, ...], facts: Facts) -> Operator:
    return Operator(SCAN, node, (), Rows(1.0))


@operator.register(Filter)
@operator.register(Project)
@operator.register(Unfold)
@operator.register(Generate)
def pipelined(node: Filter | Project | Unfold | Generate, children: tuple[Operator, ...], facts: Facts) -> Operator:
    now, below = facts.rows(node), children[0].rows
    return Operator(PIPELINED, node, children, below.times(_ratio(now, below.now), now))


@operator.register
def union(node: Union, children: tuple[Operator, ...], facts: Facts) -> Operator:
    parts = [child.rows for child in children]
    rows = Rows(facts.rows(node), sum(each.inserts for each in parts), sum(each.deletes for each in parts))
    return Operator(PIPELINED, node, children, rows)


def materialized(below: Operator, facts: Facts) -> Operator:
    """A Materialize operator above what is pipelined; bags only, so none above a sort or an aggregate."""
    if not facts.physical.materialize or below.kind in (SORT, AGGREGATE, UDF_AGGREGATE) or not below.node.names:
        return below
    state = facts.state(below.node, ROWS, (), below.rows)
    return Operator(MATERIALIZE, below.node, (below,), below.rows, own=(state,))


# -- joins


@operator.register
def join(node: Join, children: tuple[Operator, ...], facts: Facts) -> Operator:
    rows = joined_rows(node, children[0].rows, children[1].rows, facts.rows(node))
    itself = (node.kind in ("right", "full"), node.kind in ("left", "full", "semi", "anti"))
    keys = joined_by(node)
    if node in facts.physical.merged and all(keys):
        children = tuple(sorted_by(child, key, facts) for child, key in zip(children, keys, strict=True))
        return Operator(MERGE_JOIN, node, children, rows, reads_itself=itself)
    if not node.is_keyed:
        return Operator(NESTED_LOOP_JOIN, node, children, rows, reads_itself=itself)
    held = [_looked_up(child, key, facts) for child, key in zip(children, keys, strict=True)]
    return Operator(
        HASH_JOIN,
        node,
        children,
        rows,
        inputs=tuple(states for states, _ in held),
        in_groups=tuple(groups for _, groups in held),
        reads_itself=itself,
    )


def joined_rows(node: Join, left: Rows, right: Rows, now: float) -> Rows:
    """A row that comes or goes on one side brings or takes as many as the rows of its side have on average; where only
    unmatched rows are kept, what comes on the right takes."""
    of_left = left.times(_ratio(now, left.now), now)
    of_right = right.times(_ratio(now, right.now), now)
    if node.kind == "anti":
        of_right = Rows(now, of_right.deletes, of_right.inserts)
    return Rows(now, of_left.inserts + of_right.inserts, of_left.deletes + of_right.deletes)


def sorted_by(child: Operator, key: Key, facts: Facts) -> Operator:
    """The sort below a merge join: its sorted run is the child's rows by the columns that join it."""
    states, in_groups = _looked_up(child, key, facts)
    return Operator(SORT, child.node, (child,), child.rows, inputs=(states,), in_groups=(in_groups,))


def _looked_up(child: Operator, key: Key, facts: Facts) -> tuple[States, bool]:
    """What would have to be stored for a child's past to be looked up by a key, and whether groups below it serve."""
    stored = rows_by_key(child.node, key)
    states = tuple(facts.state(node, ROWS, by, facts.changes[node]) for node, by in stored)
    return states, groups_below(child.node) is not None


# -- aggregates, windows, top-k


@operator.register(Aggregate)
@operator.register(Distinct)
def aggregate(node: Aggregate | Distinct, children: tuple[Operator, ...], facts: Facts) -> Operator:
    """Each touched group's row goes and comes again."""
    keys = node.keys if isinstance(node, Aggregate) else node.names
    now, below = facts.rows(node), children[0].rows
    touched = touched_groups(now, below.change)
    rows = Rows(now, touched, touched)
    made = Operator(AGGREGATE, node, children, rows, groups=touched)
    if isinstance(node, Distinct) or recipe(node) is not None:
        moved = Rows(now, touched, 0.0)  # the segment that partials gain is what they move by, never a row taken away
        return replace(made, own=(facts.state(node, PARTIALS, keys, moved),))
    kind = UDF_AGGREGATE if own_functions(node) - facts.physical.incremental else AGGREGATE
    made = replace(made, kind=kind, touched=min(below.now, touched * _ratio(below.now, now)))
    states, in_groups = _looked_up(children[0], keys, facts)
    return replace(made, inputs=(states,), in_groups=(in_groups,), always=_irreplaceable(node, keys, rows, facts))


def own_functions(node: Aggregate) -> frozenset[str]:
    """The names of the user's own aggregates that a node calls."""
    calls = (call.expression.find_all(exp.AnonymousAggFunc) for call in node.calls)
    return frozenset(function.name.lower() for found in calls for function in found)


@operator.register(Window)
@operator.register(TopK)
def sort(node: Window | TopK, children: tuple[Operator, ...], facts: Facts) -> Operator:
    """The touched partitions, as they were and as they are; of a top-k's each has no more rows than its limit."""
    now, below = facts.rows(node), children[0].rows
    partitions = max(1.0, facts.groups(node.child, node.keys))
    touched = touched_groups(partitions, below.change)
    moved = min(now, touched * _ratio(now, partitions))
    rows = Rows(now, moved, moved) if isinstance(node, TopK) else Rows(now, below.inserts, below.deletes)
    states, in_groups = _looked_up(children[0], node.keys, facts)
    return Operator(
        SORT,
        node,
        children,
        rows,
        own=(facts.state(node, ROWS, node.keys, rows),) if isinstance(node, TopK) else (),
        inputs=(states,),
        in_groups=(in_groups,),
        touched=min(below.now, touched * _ratio(below.now, partitions)),
        groups=touched,
        always=_irreplaceable(node, node.keys, rows, facts),
    )


def touched_groups(groups: float, rows: float) -> float:
    """How many of the groups at least one of so many rows falls into, when each falls anywhere."""
    if groups <= 1.0 or rows <= 0.0:
        return max(0.0, min(groups, rows))
    return -groups * expm1(rows * log1p(-1.0 / groups))


def _irreplaceable(node: Aggregate | Window | TopK, keys: Key, rows: Rows, facts: Facts) -> States:
    return () if is_exact(node) else (facts.state(node, ROWS, keys, rows),)


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole > 0 else 0.0
