"""Plan nodes: frozen values that say what a query computes, and nothing about how or when.

Idea: a node is its fields; its schema and unique keys are derived from its children, its invariants are checked when
it is built, and `children` / `with_children` / `transform` are the one traversal.
Invariant: output names are unique within a node; the two sides of a join share none.
Limits: types are Spark's own type strings; an expression node that Spark has not typed yet has type "".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields, replace
from functools import cached_property
from hashlib import sha256

from sqlglot import exp

from headwater.algebra.exact_types import keeps_apart
from headwater.algebra.expressions import column, columns_of, conjuncts, equality, text


@dataclass(frozen=True)
class Column:
    """One output column: its name and its Spark type (as `DataType.simpleString` writes it)."""

    name: str
    type: str


Schema = tuple[Column, ...]


@dataclass(frozen=True)
class Output:
    """A computed column of a projection or an aggregate."""

    name: str
    expression: exp.Expr
    type: str = ""

    @property
    def is_column(self) -> bool:
        return isinstance(self.expression, exp.Column)


@dataclass(frozen=True, eq=False)
class Node:
    """The common part of all plan nodes."""

    def __post_init__(self) -> None:
        self.check()
        names = self.names
        if len(set(names)) != len(names):
            raise ValueError(f"{type(self).__name__} has duplicate output names: {names}")

    def check(self) -> None:
        """Raise ValueError when the node's own invariants do not hold."""

    @property
    def children(self) -> tuple[Node, ...]:
        found: list[Node] = []
        for item in fields(self):
            value = getattr(self, item.name)
            if isinstance(value, Node):
                found.append(value)
            elif isinstance(value, tuple) and value and isinstance(value[0], Node):
                found.extend(value)
        return tuple(found)

    def with_children(self, *children: Node) -> Node:
        """The same node over other children, given in the order of `children`."""
        rest = iter(children)
        changed: dict[str, object] = {}
        for item in fields(self):
            value = getattr(self, item.name)
            if isinstance(value, Node):
                changed[item.name] = next(rest)
            elif isinstance(value, tuple) and value and isinstance(value[0], Node):
                changed[item.name] = tuple(next(rest) for _ in value)
        return replace(self, **changed) if changed else self

    def transform(self, rule: Callable[[Node], Node]) -> Node:
        """The plan with `rule` applied to every node, children first."""
        children = self.children
        moved = tuple(child.transform(rule) for child in children)
        same = all(new is old for new, old in zip(moved, children, strict=True))
        return rule(self if same else self.with_children(*moved))

    def walk(self) -> Iterator[Node]:
        """Every node once per place it stands in, parents first."""
        yield self
        for child in self.children:
            yield from child.walk()

    @cached_property
    def schema(self) -> Schema:
        raise TypeError(f"{type(self).__name__} derives no schema")

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(item.name for item in self.schema)

    @cached_property
    def unique_keys(self) -> frozenset[frozenset[str]]:
        """Sets of columns whose values no two rows of this node share."""
        return frozenset()

    @cached_property
    def tables(self) -> frozenset[str]:
        """The base tables under this node."""
        return frozenset().union(*(child.tables for child in self.children))

    @property
    def label(self) -> str:
        """One line for EXPLAIN."""
        return type(self).__name__

    @cached_property
    def fingerprint(self) -> str:
        """A stable name for the node's meaning: equal nodes have equal fingerprints, in any process."""
        parts = [type(self).__name__, *(_canonical(getattr(self, f.name)) for f in fields(self))]
        return sha256("\x1f".join(parts).encode()).hexdigest()[:16]

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Node) and self.fingerprint == other.fingerprint

    def type_of(self, name: str) -> str:
        return next(item.type for item in self.schema if item.name == name)


def _canonical(value: object) -> str:
    if isinstance(value, Node):
        return value.fingerprint
    if isinstance(value, exp.Expr):
        return value.sql(dialect="spark")
    if isinstance(value, tuple):
        return "(" + "\x1e".join(_canonical(item) for item in value) + ")"
    if isinstance(value, Output):
        return f"{value.name}={value.expression.sql(dialect='spark')}:{value.type}"
    return repr(value)


@dataclass(frozen=True, eq=False)
class Scan(Node):
    """A base table at the cursor. `sources` are the table's own column names, in the order of `columns`."""

    table: str
    columns: Schema
    sources: tuple[str, ...]

    @cached_property
    def schema(self) -> Schema:
        return self.columns

    @cached_property
    def tables(self) -> frozenset[str]:
        return frozenset((self.table,))

    @property
    def label(self) -> str:
        return f"Scan {self.table} ({', '.join(self.sources)})"


@dataclass(frozen=True, eq=False)
class Relation(Node):
    """A named set of rows that the engine holds: a past, a change, a snapshot. Leaves of compiled plans only."""

    name: str
    columns: Schema
    small: bool = False  # known to be tiny: the side to broadcast

    @cached_property
    def schema(self) -> Schema:
        return self.columns

    @property
    def label(self) -> str:
        return f"Read {self.name}"


@dataclass(frozen=True, eq=False)
class Filter(Node):
    """The rows for which the predicate is true."""

    child: Node
    predicate: exp.Expr

    def check(self) -> None:
        _require(columns_of(self.predicate), self.child, "Filter")

    @cached_property
    def schema(self) -> Schema:
        return self.child.schema

    @cached_property
    def unique_keys(self) -> frozenset[frozenset[str]]:
        return self.child.unique_keys

    @property
    def label(self) -> str:
        return f"Filter {text(self.predicate)}"


@dataclass(frozen=True, eq=False)
class Project(Node):
    """Computed columns, one row for each row of the child."""

    child: Node
    outputs: tuple[Output, ...]

    def check(self) -> None:
        for output in self.outputs:
            _require(columns_of(output.expression), self.child, "Project")

    @cached_property
    def schema(self) -> Schema:
        known = {item.name: item.type for item in self.child.schema}
        return tuple(
            Column(out.name, out.type or (known[out.expression.name] if out.is_column else "")) for out in self.outputs
        )

    @cached_property
    def unique_keys(self) -> frozenset[frozenset[str]]:
        renamed = {out.expression.name: out.name for out in self.outputs if out.is_column}
        kept = (key for key in self.child.unique_keys if key <= renamed.keys())
        return frozenset(frozenset(renamed[name] for name in key) for key in kept)

    @property
    def label(self) -> str:
        shown = [
            o.name if o.is_column and o.expression.name == o.name else f"{text(o.expression)} AS {o.name}"
            for o in self.outputs
        ]
        return f"Project {', '.join(shown)}"


JOIN_KINDS = ("inner", "left", "right", "full", "semi", "anti")


@dataclass(frozen=True, eq=False)
class Join(Node):
    """Pairs of rows for which the condition is true; outer kinds keep unmatched rows, padded with NULL.

    A semi join keeps the left rows that have a match, an anti join those that have none; both keep left columns only.
    """

    left: Node
    right: Node
    kind: str
    condition: exp.Expr | None = None

    def check(self) -> None:
        if self.kind not in JOIN_KINDS:
            raise ValueError(f"unknown join kind {self.kind}")
        if self.condition is not None:
            missing = columns_of(self.condition) - set(self.left.names) - set(self.right.names)
            if missing:
                raise ValueError(f"Join condition reads unknown columns {sorted(missing)}")

    @cached_property
    def schema(self) -> Schema:
        return self.left.schema if self.kind in ("semi", "anti") else self.left.schema + self.right.schema

    @cached_property
    def equalities(self) -> tuple[tuple[str, str], ...]:
        """The pairs (left column, right column) that the condition equates."""
        left, right = set(self.left.names), set(self.right.names)
        pairs = []
        for part in conjuncts(self.condition):
            pair = equality(part)
            if pair and pair[0] in left and pair[1] in right:
                pairs.append(pair)
            elif pair and pair[1] in left and pair[0] in right:
                pairs.append((pair[1], pair[0]))
        return tuple(pairs)

    @property
    def is_keyed(self) -> bool:
        """True when some columns of the two sides must be equal, so that a row meets few of the other side."""
        left = set(self.left.names)
        pairs = (p for p in conjuncts(self.condition) if isinstance(p, (exp.EQ, exp.NullSafeEQ)))
        sides = (pair.find_all(exp.Column) for pair in pairs)
        return any(len({column.name in left for column in columns}) == 2 for columns in sides)

    @cached_property
    def unique_keys(self) -> frozenset[frozenset[str]]:
        if self.kind in ("semi", "anti"):
            return self.left.unique_keys
        types = {item.name: item.type for item in self.schema}
        left_on = {a for a, b in self.equalities if keeps_apart(types[a], types[b])}
        right_on = {b for a, b in self.equalities if keeps_apart(types[b], types[a])}
        keys = {a | b for a in self.left.unique_keys for b in self.right.unique_keys}
        if self.kind in ("inner", "left") and any(key <= right_on for key in self.right.unique_keys):
            keys |= self.left.unique_keys
        if self.kind in ("inner", "right") and any(key <= left_on for key in self.left.unique_keys):
            keys |= self.right.unique_keys
        return frozenset(keys) if self.kind != "full" else frozenset()

    @property
    def label(self) -> str:
        if self.condition is None:
            return "Join cross"
        return f"Join {self.kind} on {text(self.condition)}"


@dataclass(frozen=True, eq=False)
class Aggregate(Node):
    """One row per group. `keys` are columns of the child (none: one row over everything, even over nothing)."""

    child: Node
    keys: tuple[str, ...]
    calls: tuple[Output, ...]

    def check(self) -> None:
        if not self.keys and not self.calls:
            raise ValueError("an Aggregate needs a key or a call: without both, no SQL gives its one row")
        _require(frozenset(self.keys), self.child, "Aggregate")
        for call in self.calls:
            _require(columns_of(call.expression), self.child, "Aggregate")

    @cached_property
    def schema(self) -> Schema:
        keys = tuple(Column(name, self.child.type_of(name)) for name in self.keys)
        return keys + tuple(Column(call.name, call.type) for call in self.calls)

    @cached_property
    def unique_keys(self) -> frozenset[frozenset[str]]:
        return frozenset((frozenset(self.keys),))

    @property
    def label(self) -> str:
        calls = ", ".join(text(call.expression) for call in self.calls)
        by = f"by {', '.join(self.keys)}" if self.keys else ""
        return " ".join(part for part in ("Aggregate", calls, by) if part)


@dataclass(frozen=True, eq=False)
class Distinct(Node):
    """Every different row once."""

    child: Node

    @cached_property
    def schema(self) -> Schema:
        return self.child.schema

    @cached_property
    def unique_keys(self) -> frozenset[frozenset[str]]:
        return self.child.unique_keys | {frozenset(self.names)}


@dataclass(frozen=True, eq=False)
class Repeat(Node):
    """Each row of a signed bag as often as its weight says, with weight +1 or -1. Compiled plans only."""

    child: Node

    @cached_property
    def schema(self) -> Schema:
        return self.child.schema


@dataclass(frozen=True, eq=False)
class Unfold(Node):
    """Each row once for every one of some numbers, which stands in a new column."""

    child: Node
    column: str
    numbers: tuple[int, ...]

    @cached_property
    def schema(self) -> Schema:
        return (*self.child.schema, Column(self.column, "int"))

    @cached_property
    def unique_keys(self) -> frozenset[frozenset[str]]:
        return frozenset(key | {self.column} for key in self.child.unique_keys)

    @property
    def label(self) -> str:
        return f"Unfold each row {len(self.numbers)} times"


@dataclass(frozen=True, eq=False)
class Generate(Node):
    """Each row once for every row that a generator makes of it, with the generated columns; `outer`: at least once."""

    child: Node
    generator: exp.Expr
    columns: Schema
    outer: bool = False

    def check(self) -> None:
        _require(columns_of(self.generator), self.child, "Generate")

    @cached_property
    def schema(self) -> Schema:
        return (*self.child.schema, *self.columns)

    @property
    def label(self) -> str:
        return f"Generate{' outer' if self.outer else ''} {text(self.generator)}"


@dataclass(frozen=True, eq=False)
class Single(Node):
    """One row without columns: what a SELECT without FROM reads."""

    @cached_property
    def schema(self) -> Schema:
        return ()

    @cached_property
    def unique_keys(self) -> frozenset[frozenset[str]]:
        return frozenset((frozenset[str](),))


@dataclass(frozen=True, eq=False)
class Window(Node):
    """The child's rows, each with values computed over its partition. All calls partition by the same columns."""

    child: Node
    keys: tuple[str, ...]
    calls: tuple[Output, ...]

    def check(self) -> None:
        _require(frozenset(self.keys), self.child, "Window")
        for call in self.calls:
            _require(columns_of(call.expression), self.child, "Window")

    @cached_property
    def schema(self) -> Schema:
        return (*self.child.schema, *(Column(call.name, call.type) for call in self.calls))

    @cached_property
    def unique_keys(self) -> frozenset[frozenset[str]]:
        return self.child.unique_keys

    @property
    def label(self) -> str:
        return f"Window {', '.join(text(call.expression) for call in self.calls)}"


@dataclass(frozen=True, eq=False)
class TopK(Node):
    """The first rows in an order, of each group or of all. Rows that tie in the order must be equal."""

    child: Node
    keys: tuple[str, ...]
    order: tuple[exp.Expr, ...]
    limit: int | None
    offset: int = 0

    def check(self) -> None:
        _require(frozenset(self.keys), self.child, "TopK")
        for term in self.order:
            _require(columns_of(term), self.child, "TopK")

    @cached_property
    def schema(self) -> Schema:
        return self.child.schema

    @cached_property
    def unique_keys(self) -> frozenset[frozenset[str]]:
        one_each = {frozenset(self.keys)} if self.limit == 1 else set()
        return self.child.unique_keys | one_each

    @property
    def label(self) -> str:
        after = f" after {self.offset}" if self.offset else ""
        per = f" per {', '.join(self.keys)}" if self.keys else ""
        first = "all" if self.limit is None else f"first {self.limit}"
        return f"Top {first}{after}{per} by {', '.join(map(text, self.order))}"


@dataclass(frozen=True, eq=False)
class Union(Node):
    """All rows of all inputs (UNION ALL); columns match by position, names are those of the first input."""

    inputs: tuple[Node, ...]

    def check(self) -> None:
        if len({len(each.schema) for each in self.inputs}) != 1:
            raise ValueError("Union inputs differ in their number of columns")

    @cached_property
    def schema(self) -> Schema:
        return self.inputs[0].schema

    @property
    def label(self) -> str:
        return "Union all"


def _require(names: frozenset[str], child: Node, who: str) -> None:
    missing = names - set(child.names)
    if missing:
        raise ValueError(f"{who} reads columns {sorted(missing)} that its input lacks: {child.names}")


def select(child: Node, names: tuple[str, ...]) -> Node:
    """The child with just these columns, in this order; the child itself when that is what it has."""
    if child.names == tuple(names):
        return child
    return Project(child, plain(names))


def plain(names: Iterable[str]) -> tuple[Output, ...]:
    """Columns as they are, as outputs of a projection."""
    return tuple(Output(name, column(name)) for name in names)
