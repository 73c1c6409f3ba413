"""A view's definition: its text, what Spark says of it, and its plan, or the reason why it has none.

Idea: the text is checked by Spark first (names, types, syntax with positions), then built into a plan. What the builder
cannot express becomes the named reason of full refreshes, never an approximation.
Invariant: the compiled plan has the schema that Spark gives the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import Any

from sqlglot import exp

from headwater.algebra.expressions import column
from headwater.algebra.nodes import (
    Column,
    Filter,
    Generate,
    Join,
    Node,
    Output,
    Project,
    Scan,
    Schema,
    Unfold,
    Union,
)
from headwater.algebra.rewrites import rewrite
from headwater.algebra.statistics import Statistics, TableStatistics
from headwater.delta.higher_order import HigherOrder
from headwater.engine.types import arrow_type
from headwater.engine.typing import Typings, annotate
from headwater.errors import HeadwaterError, Unsupported
from headwater.sql.build import Builder
from headwater.sql.correlation import refuse_merged_groups
from headwater.sql.dialect import ViewSql
from headwater.sql.functions import AGGREGATE, NON_DETERMINISTIC_FUNCTION
from headwater.sql.parse import (
    function_name,
    parse_query,
    present_in,
    qualified,
    refuse_non_deterministic,
    without_epochs,
)
from headwater.sql.pinned import pinned
from headwater.state.needed import keep_what_is_needed
from headwater.state.strategies import strategy

POLICIES = ("auto", "incremental", "strict", "full")
MAP = "map<"  # values that Spark does not compare
VOID = re.compile(r"(^|[:<,])void\b(?!:)")  # as a type, not as the name of a field

Analyse = Callable[[str], Schema]
# A user's function by name: what it makes of rows, as far as a view is concerned.
Functions = Mapping[str, str]
NO_FUNCTIONS: Functions = {}


@dataclass(frozen=True)
class Definition:
    """What a view is. `plan` is None when it can only be recomputed, and `reason` says why."""

    name: str
    id: str
    sql: str
    policy: str
    reads: tuple[str, ...]
    schema: Schema
    sources: Mapping[str, Schema] = field(repr=False)
    typings: Typings = field(repr=False)
    statistics: Statistics = field(repr=False)
    analyse: Analyse = field(repr=False, compare=False)  # asked only for types that `typings` lacks
    reason: str | None = None
    pinned: str = ""  # the text that is computed and verified, where the user's own has several answers
    functions: Functions = field(default_factory=dict)  # the user's own that it calls
    state: str = "needed"  # the strategy that chooses what is stored
    budget: int | None = None  # bytes that what is stored may take; None: no limit

    @property
    def evaluated(self) -> str:
        """The text that is computed and verified."""
        return self.pinned or self.sql

    @cached_property
    def plan(self) -> Node | None:
        if self.reason is not None:
            return None
        return plan_of(
            self.sql, self.sources, self.schema, self.statistics, self.analyse, dict(self.typings), self.functions
        )

    @cached_property
    def higher_order(self) -> HigherOrder | None:
        """The rule for clusters of inner joins, where all higher-order views are kept."""
        return HigherOrder(self.plan) if self.plan is not None and self.state == "all" else None

    @cached_property
    def fingerprint(self) -> str:
        meaning = self.plan.fingerprint if self.plan is not None else self.sql
        return sha256(f"{meaning}|{self.schema}".encode()).hexdigest()[:16]

    @cached_property
    def columns_read(self) -> dict[str, tuple[str, ...]]:
        """Per table, its columns that the plan reads."""
        found: dict[str, dict[str, None]] = {}
        for node in self.plan.walk() if self.plan is not None else ():
            if isinstance(node, Scan):
                found.setdefault(node.table, {}).update(dict.fromkeys(node.sources))
        return {table: tuple(names) for table, names in found.items()}

    def is_of(self, id_: str, kept: Mapping[str, Any]) -> bool:
        """True when this is what the catalog keeps, and not what it kept before."""
        states = (kept.get("state", "needed"), kept.get("budget"))
        return (self.id, self.sql, self.policy, self.state, self.budget) == (id_, kept["sql"], kept["policy"], *states)

    def as_dict(self) -> dict[str, Any]:
        """What the catalog keeps."""
        return {
            "sql": self.sql,
            "policy": self.policy,
            "reads": list(self.reads),
            "schema": [[c.name, c.type] for c in self.schema],
            "sources": {name: [[c.name, c.type] for c in columns] for name, columns in self.sources.items()},
            "typings": self.typings,
            "statistics": {name: [s.rows, dict(s.spans)] for name, s in self.statistics.items()},
            "reason": self.reason,
            "pinned": self.pinned,
            "functions": dict(self.functions),
            "state": self.state,
            "budget": self.budget,
        }

    @classmethod
    def from_dict(cls, name: str, id_: str, kept: Mapping[str, Any], analyse: Analyse) -> Definition:
        """A kept definition; one that another version of Headwater planned otherwise is typed anew."""
        return cls(
            name=name,
            id=id_,
            sql=kept["sql"],
            policy=kept["policy"],
            reads=tuple(kept["reads"]),
            schema=_schema(kept["schema"]),
            sources={table: _schema(columns) for table, columns in kept["sources"].items()},
            typings=kept["typings"],
            statistics={table: TableStatistics(rows, spans) for table, (rows, spans) in kept["statistics"].items()},
            analyse=analyse,
            reason=kept["reason"],
            pinned=kept.get("pinned", ""),
            functions=kept.get("functions", {}),
            state=kept.get("state", "needed"),
            budget=kept.get("budget"),
        )


def _schema(pairs: list[list[str]]) -> Schema:
    return tuple(Column(name, kind) for name, kind in pairs)


def define(
    name: str,
    id_: str,
    sql: str,
    policy: str,
    sources: Mapping[str, Schema],
    statistics: Statistics,
    analyse: Analyse,
    known: Functions = NO_FUNCTIONS,
    reads_the_clock: Callable[[str], bool] = lambda text: False,
    state: str = "needed",
    budget: int | None = None,
) -> Definition:
    """Check a view's text and plan it; under `strict` what cannot be planned is refused."""
    if policy not in POLICIES:
        raise HeadwaterError("view.policy", policy=policy)
    strategy(state)  # refused when it is none
    called = {function_name(each) for each in parse_query(sql).find_all(exp.Func)}
    functions = {name: kind for name, kind in known.items() if name in called}
    schema = analyse(sql)
    refuse_unstorable(name, schema)
    typings: Typings = {}
    text = one_answer(sql, sources, analyse, functions)
    reason = "Its policy is to recompute." if policy == "full" else None
    if reason is None and reads_the_clock(without_epochs(sql)):
        reason = present_in(parse_query(sql)).sentence
    if reason is None:
        try:
            plan = plan_of(sql, sources, schema, statistics, analyse, typings, functions)
            keep_what_is_needed(plan)
        except HeadwaterError as error:  # Spark has accepted the text, so it refuses only our plan of it
            if not isinstance(error, Unsupported) and error.key != "sql.invalid":
                raise
            reason = error.sentence
    if reason is not None and policy in ("strict", "incremental"):
        raise HeadwaterError("view.strict", name=name, reason=reason)
    return Definition(
        name,
        id_,
        sql,
        policy,
        tuple(sources),
        schema,
        dict(sources),
        typings,
        statistics,
        analyse,
        reason,
        text,
        functions,
        state,
        budget,
    )


def one_answer(sql: str, sources: Mapping[str, Schema], analyse: Analyse, functions: Functions = NO_FUNCTIONS) -> str:
    """The text with ties broken; empty where the user's own has one answer, or none can be chosen."""
    try:
        query = _qualified(sql, sources, functions)
        made = pinned(query)
        text = "" if made == query else made.sql(dialect=ViewSql)
        return text if not text or len(analyse(text)) else ""
    except HeadwaterError:
        return ""


def refuse_unstorable(name: str, schema: Schema) -> None:
    """Parquet has no column of nothing: some readers refuse the file, and others the table. Nor has a table two columns
    of one name."""
    seen: set[str] = set()
    for item in schema:
        if item.name.lower() in seen:
            raise HeadwaterError("view.duplicate_column", name=name, column=item.name)
        seen.add(item.name.lower())
        if VOID.search(item.type):
            raise HeadwaterError("view.column_type", name=name, column=item.name, type="VOID")
        try:
            arrow_type(item.type)
        except ValueError:
            kind = item.type.upper()
            raise HeadwaterError("view.column_type", name=name, column=item.name, type=kind) from None


def plan_of(
    sql: str,
    sources: Mapping[str, Schema],
    schema: Schema,
    statistics: Statistics,
    analyse: Analyse,
    typings: Typings,
    functions: Functions = NO_FUNCTIONS,
) -> Node:
    """The rewritten, typed plan of a query, with the output names that Spark gives it."""
    refuse_non_deterministic(
        parse_query(sql), [name for name, kind in functions.items() if kind == NON_DETERMINISTIC_FUNCTION]
    )
    builder = Builder(sources)
    plan = builder.query(pinned(_qualified(sql, sources, functions)), {})
    plan = annotate(_named(plan, schema), analyse, typings)  # first: rewrites ask for types, and unions may need casts
    refuse_merged_groups(plan, builder.group_keys)
    plan = annotate(rewrite(plan, statistics), analyse, typings)
    refuse_compared_maps(plan)
    if plan.schema != schema:
        compiled = ", ".join(f"{c.name} {c.type}" for c in plan.schema)
        expected = ", ".join(f"{c.name} {c.type}" for c in schema)
        raise Unsupported("view.schema_mismatch", name="", compiled=compiled, expected=expected)
    return plan


def refuse_compared_maps(plan: Node) -> None:
    """Maps may pass through what compares no rows; where changes are added up, equal ones are told by their entries.

    That is done for maps which are columns, not for those inside other values: these may be read, but not kept.
    """
    for item in plan.schema:
        if _is_inside(item):
            raise Unsupported("unsupported.syntax", what=f"A map inside another value ({item.name} {item.type})")
    for node in plan.walk():
        if isinstance(node, (Scan, Filter, Project, Union, Unfold, Generate)):
            continue
        columns = [item for each in (*node.children, node) for item in each.schema if MAP in item.type]
        if isinstance(node, Join) and node.kind == "inner":
            columns = [item for item in columns if _is_inside(item)]
        elif not isinstance(node, Join):
            columns = [item for item in columns if item in node.schema]
        for item in columns[:1]:
            what = f"A column of type {item.type} ({item.name}) through {node.label}"
            raise Unsupported("unsupported.syntax", what=what)


def _is_inside(item: Column) -> bool:
    return MAP in item.type and (not item.type.startswith(MAP) or item.type.count(MAP) > 1)


def _qualified(sql: str, sources: Mapping[str, Schema], functions: Functions) -> exp.Query:
    types = {table: {c.name: c.type for c in columns} for table, columns in sources.items()}
    return qualified(parse_query(sql), types, [name for name, kind in functions.items() if kind == AGGREGATE])


def _named(plan: Node, schema: Schema) -> Node:
    """The plan under the names of Spark's own result."""
    if len(plan.names) != len(schema):
        raise Unsupported("unsupported.syntax", what="A result with columns that could not be told apart")
    outputs = tuple(Output(item.name, column(name)) for item, name in zip(schema, plan.names, strict=True))
    return plan if plan.names == tuple(item.name for item in schema) else Project(plan, outputs)
