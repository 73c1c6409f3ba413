"""Runs the program of a refresh on DuckDB instead of Spark, and compares every plan node after every step.

Idea: a plan compiles to one statement, and that statement means the same in DuckDB; so a change rule can be tried on
thousands of small databases without a JVM. Each step holds the tables at the old cursor, runs the program's stages as
the runner does, and only then moves the tables.
Invariant checked by `Subject.step`: view + change = full form of the plan = the user's own SQL, and the same for every
node below; and every stored past equals its full recomputation.
Limits: types are DuckDB's, mapped to Spark's names; the Spark tests cover where the two differ.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from functools import cached_property
from itertools import count
from pathlib import Path

import duckdb
import sqlglot
from sqlglot import exp

from headwater.algebra.nodes import Aggregate, Column, Distinct, Node, Relation, Scan, Schema
from headwater.algebra.statistics import Statistics, TableStatistics
from headwater.delta.empty import without
from headwater.delta.higher_order import HigherOrder
from headwater.delta.lookups import Lookup
from headwater.delta.partials import COUNT, recipe
from headwater.delta.pasts import PARTIALS, ROWS, Past, Pasts, added, as_aggregate, partials_of
from headwater.delta.program import RESULT, ProgramBuilder, Stage, change_name
from headwater.delta.signed import WEIGHT, bag, signed, signed_schema
from headwater.engine.compiler import compile_plan
from headwater.refresh.definition import plan_of
from headwater.sql.dialect import ViewSql
from headwater.sql.parse import parse_query, qualified
from headwater.sql.pinned import pinned
from headwater.state.selection import irreplaceable, keep_higher_order_views, keep_what_is_needed
from tests.goldens import titled_queries

QUERIES = Path(__file__).with_name("queries")
Row = tuple
Bag = Counter
Tables = Mapping[str, Schema]

COPIES = "_copies"  # 1, 2, 3 ...: stands in for EXPLODE(ARRAY_REPEAT(...))
COPY = sqlglot.parse_one(f"SELECT 1 FROM x JOIN {COPIES} ON _hw_copy < ABS({WEIGHT})").args["joins"][0]
MOST_COPIES = 200
SPARK_FUNCTIONS = (  # by their names in Spark, which plans keep
    "percentile(x, place) AS quantile_cont(x, place)",
    "collect_list(x) AS COALESCE(list(x) FILTER (x IS NOT NULL), [])",
    "collect_set(x) AS COALESCE(list(DISTINCT x) FILTER (x IS NOT NULL), [])",
    "sort_array(x) AS list_sort(x, 'ASC', 'NULLS FIRST')",
    "array_join(x, between) AS array_to_string(x, between)",
)
PLAIN: Mapping[str, str] = {}  # no leaf under another name
NEARLY_ZERO = 1e-9  # what is left of doubles that cancel


def schema(**columns: str) -> Schema:
    return tuple(Column(name, kind) for name, kind in columns.items())


TABLES: Tables = {
    "a": schema(k="int", v="int", s="string"),
    "b": schema(k="int", w="int", s="string"),
    "c": schema(k="int", j="int", d="decimal(6,2)", f="double"),
}


# Big tables of few different values: whatever depends on statistics is done.
REPEATED = {
    name: TableStatistics(1_000_000, {item.name: 4.0 for item in columns if item.type == "int"})
    for name, columns in TABLES.items()
}
REWRITTEN = ("partial_aggregates", "union_factoring")  # files of queries that are for these statistics


def statistics_for(title: str) -> Statistics:
    return REPEATED if title.split(":")[0] in REWRITTEN else {}


def queries() -> dict[str, str]:
    """Title to SQL, over all files."""
    files = {path: titled_queries(path) for path in sorted(QUERIES.glob("*.sql"))}
    return {f"{path.stem}: {title}": sql for path, found in files.items() for title, sql in found.items()}


class Database:
    """An in-memory DuckDB whose statements are prepared once: parsing them costs more than running them."""

    def __init__(self, tables: Tables = TABLES) -> None:
        self.tables = tables
        self.connection = duckdb.connect()
        self.connection.execute("SET threads = 1")
        self.connection.execute("PRAGMA disable_optimizer")  # it costs more than these rows do
        for macro in SPARK_FUNCTIONS:
            self.connection.execute(f"CREATE MACRO {macro}")
        self.connection.execute(f"CREATE TABLE {COPIES} AS SELECT range AS _hw_copy FROM range({MOST_COPIES})")
        self._prepared: dict[str, str] = {}
        self.order = random.Random(0)
        for name, columns in tables.items():
            self.create(name, columns)
            self.create(change_name(name), signed_schema(columns))

    def create(self, name: str, columns: Schema) -> None:
        listed = [f'"{item.name}" {_duckdb_type(item.type)}' for item in columns] or ["_hw_none INT"]
        self.connection.execute(f'CREATE TABLE "{name}" ({", ".join(listed)})')

    def put(self, name: str, rows: Iterable[Row]) -> None:
        """Replace a table's rows, in another order each time: a sum of doubles may not depend on it."""
        rows = list(rows)
        self.order.shuffle(rows)
        self.connection.execute(f'DELETE FROM "{name}"')
        values = ", ".join(f"({', '.join(map(_literal, row))})" for row in rows)
        if values:
            self.connection.execute(f'INSERT INTO "{name}" VALUES {values}')

    def rows(self, sql: str) -> list[Row]:
        found = self.connection.execute(f"EXECUTE {self._prepare(sql)}").fetchall()
        return [tuple(map(_hashable, row)) for row in found]

    def insert(self, into: str, sql: str) -> int:
        """Append a query's rows to a table; how many there were."""
        statement = f'INSERT INTO "{into}" {sql}'
        return self.connection.execute(f"EXECUTE {self._prepare(statement)}").fetchone()[0]

    def _prepare(self, sql: str) -> str:
        if sql not in self._prepared:
            name = f"p{len(self._prepared)}"
            self.connection.execute(f"PREPARE {name} AS {sql}")
            self._prepared[sql] = name
        return self._prepared[sql]

    def analyse(self, sql: str) -> Schema:
        """The columns of a Spark query, by DuckDB's types."""
        described = self.connection.execute(f"DESCRIBE {transpiled(sql)}").fetchall()
        return tuple(Column(row[0], _spark_type(row[1])) for row in described)


COLLECTIONS: Mapping[type[exp.Expr], str] = {
    exp.ArrayAgg: "COLLECT_LIST", exp.ArrayUniqueAgg: "COLLECT_SET", exp.ArraySort: "SORT_ARRAY",
}  # fmt: skip


def transpiled(sql: str) -> str:
    return for_duckdb(sqlglot.parse_one(sql, read="spark")).sql(dialect="duckdb")


def with_one_answer(sql: str, tables: Tables) -> str:
    """The text with ties broken and collections in order, as it is kept and verified."""
    types = {table: {item.name: item.type for item in columns} for table, columns in tables.items()}
    return pinned(qualified(parse_query(sql), types)).sql(dialect=ViewSql)


def for_duckdb(statement: exp.Expr) -> exp.Expr:
    """What sqlglot would write in words that DuckDB reads differently."""
    for join in statement.find_all(exp.Join):
        if join.kind in ("SEMI", "ANTI"):
            join.set("side", None)
    for call in list(statement.find_all(exp.CountIf)):  # over no rows, or NULLs alone, DuckDB's is NULL
        call.replace(exp.Count(this=exp.If(this=call.this.copy(), true=exp.Literal.number(1))))
    for call in list(statement.find_all(exp.Quantile)):  # Spark's PERCENTILE, which sqlglot takes for the discrete one
        call.replace(exp.Anonymous(this="QUANTILE_CONT", expressions=[call.this.copy(), call.args["quantile"].copy()]))
    for kind, name in COLLECTIONS.items():
        for call in list(statement.find_all(kind)):
            call.replace(exp.Anonymous(this=name, expressions=[call.this.copy()]))
    for call in list(statement.find_all(exp.Anonymous)):
        if call.name.upper() == "RAISE_ERROR":
            call.set("this", "ERROR")
        elif call.name.upper() == "STRUCT":
            call.replace(exp.Struct(expressions=[part.copy() for part in call.expressions]))
    for struct in list(statement.find_all(exp.Struct)):
        if not isinstance(struct.parent, exp.Array):  # no row of VALUES
            struct.set("expressions", [_field(place, part) for place, part in enumerate(struct.expressions, 1)])
    for join in statement.find_all(exp.Join):
        if isinstance(join.this, exp.Lateral) and join.side:
            join.set("on", exp.true())
    for lateral in [each for each in statement.find_all(exp.Lateral) if each.args.get("view")]:
        select = lateral.parent
        select.set("laterals", [each for each in select.args.get("laterals") or [] if each is not lateral])
        select.append("joins", generated(lateral))
    return statement


def _field(place: int, part: exp.Expr) -> exp.Expr:
    """A field named by its place, since Spark casts structs by place and DuckDB by name."""
    value = part.expression if isinstance(part, exp.PropertyEQ) else part.unalias()
    return exp.PropertyEQ(this=exp.to_identifier(f"col{place}", quoted=True), expression=value.copy())


def generated(lateral: exp.Lateral) -> exp.Join:
    """A generator as DuckDB writes it; copies of a row are joined, since unnesting takes DuckDB longer."""
    function, names = lateral.this, [item.name for item in lateral.args["alias"].columns]
    if names == ["_hw_copy"]:
        return COPY.copy()
    inline = isinstance(function, exp.Inline)
    made = function.this
    if isinstance(made, exp.Anonymous) and made.name.upper() == "ARRAY_REPEAT":
        made = exp.Anonymous(this="RANGE", expressions=[made.expressions[1].copy()])
    listed = ", ".join(f'"{name}"' for name in names)
    array = made.sql(dialect="duckdb")
    unnest = f"(SELECT UNNEST({array}, max_depth := 2))" if inline else f"UNNEST({array})"
    table = lateral.args["alias"].name or "t"
    join = f"LEFT JOIN {unnest} AS {table}({listed}) ON TRUE"
    if not lateral.args.get("outer"):
        join = f"CROSS JOIN {unnest} AS {table}({listed})"
    return sqlglot.parse_one(f"SELECT 1 FROM x {join}", read="duckdb").args["joins"][0]


_SPARK_TYPES = {
    "INTEGER": "int", "BIGINT": "bigint", "HUGEINT": "bigint", "DOUBLE": "double", "VARCHAR": "string",
    "BOOLEAN": "boolean", "DATE": "date", "SMALLINT": "smallint", "TINYINT": "tinyint",
}  # fmt: skip


def _spark_type(name: str) -> str:
    if name in _SPARK_TYPES:
        return _SPARK_TYPES[name]
    return exp.DataType.build(name, dialect="duckdb").sql(dialect="spark").lower().replace(": ", ":").replace(", ", ",")


def _duckdb_type(name: str) -> str:
    return exp.DataType.build(name, dialect="spark").sql(dialect="duckdb")


NAN = float("nan")


class Struct(tuple):
    """A struct's names and values."""


def _hashable(value: object) -> object:
    """A value that equals itself, even a struct with a NaN."""
    if isinstance(value, dict):
        return Struct((name, NAN if part != part else part) for name, part in value.items())
    if isinstance(value, list):
        return tuple(NAN if part != part else part for part in value)
    return value


def _literal(value: object) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    if isinstance(value, float):
        return f"'{value}'::DOUBLE"
    if isinstance(value, date):
        return f"DATE '{value}'"
    if isinstance(value, tuple) and not isinstance(value, Struct):
        return f"[{', '.join(map(_literal, value))}]"
    if isinstance(value, Struct):
        return "{" + ", ".join(f"'{name}': {_literal(part)}" for name, part in value) + "}"
    return str(value)


# -- plans as DuckDB statements


def duckdb_sql(plan: Node, names: Mapping[str, str]) -> str:
    """The plan's statement; `names` says which leaves stand under other names than their own."""

    def leaf_name(leaf: Scan | Relation) -> str:
        name = leaf.table if isinstance(leaf, Scan) else leaf.name
        return names.get(name, name)

    return for_duckdb(compile_plan(plan, leaf_name, hints=False)).sql(dialect="duckdb")


def plain_bag(rows: Iterable[Row]) -> Bag:
    return Counter(map(_comparable, rows))


def signed_bag(rows: Iterable[Row]) -> Bag:
    """Rows whose last value is their weight; what cancels is left out."""
    found: Bag = Counter()
    for *values, weight in rows:
        found[_comparable(values)] += weight
    return without_zeros(found)


def without_zeros(rows: Bag) -> Bag:
    return Counter({row: weight for row, weight in rows.items() if weight})


def _comparable(values: Iterable[object]) -> Row:
    return tuple(_rounded(value) if isinstance(value, (float, Decimal)) else value for value in values)


def _exact(values: Iterable[object]) -> Row:
    """The row itself, with a NaN that equals itself."""
    return tuple("nan" if isinstance(value, float) and value != value else value for value in values)


def _rounded(value: float | Decimal) -> object:
    """Doubles to nine digits, spelled so that NaN equals itself and numbers of different types are one."""
    if isinstance(value, Decimal):
        return f"{value.normalize():f}" if value else "0"
    return "0" if abs(value) < NEARLY_ZERO else f"{value:.9g}"


# -- a view and the ways to keep it


@dataclass(frozen=True)
class Variant:
    """Which pasts are stored, and whether branches over empty changes are cut off as the runner does."""

    name: str
    stored: tuple[Past, ...]
    prune: bool = True
    fold: bool = False  # rewrite stored pasts into fewer rows after each step
    few: bool = False  # stored partials are read whole
    higher_order: bool = False  # clusters of inner joins have their own rule
    every_node: bool = True  # compare the change of every node, not only the view's


def possible_pasts(plan: Node) -> list[Past]:
    """Every past that could be stored at all."""
    found = []
    for number, node in enumerate(dict.fromkeys(plan.walk())):
        found.append(Past(f"past_{number}_rows", node, ROWS, ()))
        if isinstance(node, Distinct) or (isinstance(node, Aggregate) and recipe(node)):
            found.append(Past(f"past_{number}_partials", node, PARTIALS, ()))
    return found


def variants(plan: Node, seed: int = 0, subsets: int = 2) -> list[Variant]:
    """The selection that ships, the two extremes, and random subsets: none may change a result."""
    possible, draw = possible_pasts(plan), random.Random(seed)
    needed, always = keep_what_is_needed(plan), irreplaceable(plan)
    rest = [past for past in possible if (past.node, past.form) not in {(each.node, each.form) for each in always}]
    some = [(*always, *(past for past in rest if draw.random() < 0.4)) for _ in range(subsets)]
    return [
        Variant("needed", needed),
        Variant("needed, nothing pruned", needed, prune=False),
        Variant("needed, folded", needed, fold=True),
        Variant("needed, read whole", needed, few=True),
        Variant("higher order", keep_higher_order_views(plan), higher_order=True),
        Variant("nothing stored", always, every_node=False),
        Variant("everything stored", (*always, *rest), every_node=False),  # each node's past is compared
        *(
            Variant(f"subset {i}", stored, prune=i % 2 == 0, fold=i % 2 == 1, few=i % 2 == 0, every_node=False)
            for i, stored in enumerate(some)
        ),
    ]


@dataclass
class Prepared:
    """One program: for one variant and one set of changed tables."""

    stages: tuple[Stage, ...]  # of the program, then those that only the check of some node needs
    result: bool
    segments: Mapping[str, str]
    node_changes: Mapping[Node, tuple[Node, tuple[Lookup, ...]]]
    names: Mapping[str, str]


@dataclass
class Subject:
    """One query over a database of its own."""

    sql: str
    tables: Tables = field(default_factory=lambda: TABLES)
    statistics: Statistics = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.database = Database(self.tables)
        reads = {name: self.tables[name] for name in self.tables}
        self.schema = self.database.analyse(self.sql)
        self.plan = plan_of(self.sql, reads, self.schema, self.statistics, self.database.analyse, {})
        self.nodes = list(dict.fromkeys(self.plan.walk()))
        self.reads = sorted(self.plan.tables)
        self.original = transpiled(with_one_answer(self.sql, self.tables))
        self._programs: dict[tuple[str, frozenset[str]], Prepared] = {}
        self._past_names: dict[str, dict[str, str]] = {}
        self._ids = count()
        self._texts: dict[object, str] = {}

    @cached_property
    def variants(self) -> list[Variant]:
        return variants(self.plan)

    # -- one run: load, then step by step

    def start(self, contents: Mapping[str, Bag], variant: Variant) -> None:
        self.variant = variant
        self.contents = {name: Counter(contents.get(name, ())) for name in self.tables}
        for name, rows in self.contents.items():
            self.database.put(name, rows.elements())
        self.full = self._full_forms()
        for past in variant.stored:
            self.database.put(self._past_name(past), self._recomputed(past))
        names = {past.name: self._past_name(past) for past in variant.stored}
        rows = self.database.rows(duckdb_sql(bag(Pasts(variant.stored).rows(self.plan)), names))
        self.view = Counter(map(_exact, rows))
        self._check_original("at the start")

    def step(self, changes: Mapping[str, list[Row]]) -> None:
        """Advance by signed rows per table, and compare everything."""
        for name in self.tables:
            self.database.put(change_name(name), changes.get(name, ()))
        changed = frozenset(name for name in self.reads if changes.get(name))
        made = self._program(changed)
        counts = self._run(made, {change_name(name) for name in self.tables if name not in changed})
        moved = self._node_changes(made, counts)
        if made.result:
            self._publish(self.database.rows(f'FROM "{made.names[RESULT]}"'))
        for past in self.variant.stored:
            stage = made.segments.get(past.name)
            if stage is not None and counts[stage]:
                self.database.connection.execute(f'INSERT INTO "{self._past_name(past)}" FROM "{made.names[stage]}"')
        self._move_tables(changes)
        self._compare(moved)

    def _publish(self, change: list[Row]) -> None:
        """The view's own rows, to the last bit: a removal must name a row that is there."""
        for *values, weight in change:
            self.view[_exact(values)] += weight
        absent = {row: weight for row, weight in self.view.items() if weight < 0}
        assert not absent, (
            f"rows to be removed are not in the view ({self.variant.name}): {absent}\n  query   {self.sql}"
        )

    def _move_tables(self, changes: Mapping[str, list[Row]]) -> None:
        for name, rows in changes.items():
            for *values, weight in rows:
                self.contents[name][tuple(values)] += weight
            assert all(weight >= 0 for weight in self.contents[name].values()), (
                "the test deletes a row that is not there"
            )
            self.contents[name] = without_zeros(self.contents[name])
            self.database.put(name, self.contents[name].elements())

    def _compare(self, moved: Mapping[Node, Bag]) -> None:
        before, self.full = self.full, self._full_forms()
        for node in reversed(self.nodes if self.variant.every_node else [self.plan]):  # inputs first: name the culprit
            after = Counter(before[node])
            for row, weight in moved[node].items():
                after[row] += weight
            _same(without_zeros(after), self.full[node], f"change of {node.label}", self)
        self._check_original("after the step")
        for past in self.variant.stored:
            self._check_past(past)

    def _check_original(self, when: str) -> None:
        held = without_zeros(plain_bag(self.view.elements()))
        _same(held, self.full[self.plan], f"the view's rows {when}", self)
        own = plain_bag(self.database.rows(self.original))
        _same(self.full[self.plan], own, f"the plan's full form against the SQL text {when}", self)

    def _full_forms(self) -> dict[Node, Bag]:
        nodes = self.nodes if self.variant.every_node else [self.plan]
        compared = dict.fromkeys((*nodes, *(past.node for past in self.variant.stored)))
        return {node: plain_bag(self._rows_of(node)) for node in compared}

    def _rows_of(self, node: Node) -> list[Row]:
        """The node's full form; a node without columns still has a number of rows."""
        return [row[: len(node.names)] for row in self.database.rows(self._text(node, PLAIN))]

    # -- programs

    def _program(self, changed: frozenset[str]) -> Prepared:
        key = (self.variant.name, changed)
        if key not in self._programs:
            self._programs[key] = self._prepare(changed)
        return self._programs[key]

    def _prepare(self, changed: frozenset[str]) -> Prepared:
        few = frozenset(past.name for past in self.variant.stored if self.variant.few)
        higher_order = HigherOrder(self.plan) if self.variant.higher_order else None
        builder = ProgramBuilder(self.plan, self.variant.stored, changed, few, higher_order)
        program = builder.build()
        nodes = self.nodes if self.variant.every_node else []
        node_changes = {
            node: (change, builder.lookups.needed_by(change))
            for node in nodes
            if (change := builder.change(node)) is not None
        }
        own = {stage.name for stage in (*program.stages, *program.upkeep)}
        extra = tuple(stage for stage in builder.stages if stage.name not in own)
        stages = (*program.stages, *program.upkeep, *extra)
        prefix = f"run{next(self._ids)}_"
        names = {stage.name: prefix + stage.name for stage in stages}
        names |= {past.name: self._past_name(past) for past in self.variant.stored}
        lookups = builder.lookups.found.values()
        names |= {lookup.name: prefix + lookup.name for lookup in lookups}
        for made in (
            *((stage.name, stage.plan.schema) for stage in stages),
            *((each.name, each.schema) for each in lookups),
        ):
            self.database.create(names[made[0]], made[1])
        return Prepared(stages, program.changes_view, program.segments, node_changes, names)

    def _run(self, made: Prepared, empty: set[str]) -> dict[str, int]:
        """Rows per stage. `empty` starts with the changes of tables that did not move."""
        counts = dict.fromkeys(empty, 0)
        for stage in made.stages:
            self.database.put(made.names[stage.name], ())
            self._look_up(stage.lookups, made, counts)
            plan = self._pruned(stage.plan, stage.lookups, counts)
            text = self._text(plan, made.names) if plan is not None else None
            counts[stage.name] = self.database.insert(made.names[stage.name], text) if text else 0
        return counts

    def _look_up(self, lookups: Iterable[Lookup], made: Prepared, counts: dict[str, int]) -> None:
        """Exactly the rows that were asked for: with any fewer, or with these alone, a result may not differ."""
        for lookup in lookups:
            if lookup.name in counts:
                continue
            self.database.put(made.names[lookup.name], ())
            counts[lookup.name] = self.database.insert(made.names[lookup.name], _lookup_sql(lookup, made.names))

    def _pruned(self, plan: Node, lookups: Iterable[Lookup], counts: Mapping[str, int]) -> Node | None:
        """As `Advance._run` decides it."""
        if not self.variant.prune:
            return plan
        pasts = {past.name for past in self.variant.stored} | {lookup.name for lookup in lookups}
        empty = {name for name, rows in counts.items() if rows == 0}
        moving = {leaf.name for leaf in plan.walk() if isinstance(leaf, Relation)} - pasts
        return None if moving <= empty else without(plan, empty)

    def _node_changes(self, made: Prepared, counts: dict[str, int]) -> dict[Node, Bag]:
        found: dict[Node, Bag] = {}
        for node in self.nodes:
            change, lookups = made.node_changes.get(node, (None, ()))
            self._look_up(lookups, made, counts)
            plan = self._pruned(change, lookups, counts) if change is not None else None
            if plan is None:
                found[node] = Counter()
                continue
            order = [plan.names.index(name) for name in (*node.names, WEIGHT)]
            rows = self.database.rows(self._text(plan, made.names))
            found[node] = signed_bag([tuple(row[i] for i in order) for row in rows])
        if made.result:
            found[self.plan] = signed_bag(self.database.rows(f'FROM "{made.names[RESULT]}"'))
        return found

    def _text(self, plan: Node, names: Mapping[str, str]) -> str:
        key = (plan, id(names))
        if key not in self._texts:
            self._texts[key] = duckdb_sql(plan, names)
        return self._texts[key]

    # -- stored pasts

    def _past_name(self, past: Past) -> str:
        """The table of a past; one for each variant, made when first asked for."""
        named = self._past_names.setdefault(self.variant.name, {})
        if past.name not in named:
            named[past.name] = f"v{len(self._past_names)}_{past.name}"
            self.database.create(named[past.name], past.schema)
        return named[past.name]

    def _recomputed(self, past: Past) -> list[Row]:
        if past.form == ROWS:
            return [(*row, weight) for row, weight in Counter(self._rows_of(past.node)).items()]
        grouped = as_aggregate(past.node)
        return self.database.rows(self._text(partials_of(grouped, signed(grouped.child)), PLAIN))

    def _check_past(self, past: Past) -> None:
        name = self._past_name(past)
        if past.form == ROWS:
            held = signed_bag(self.database.rows(f'FROM "{name}"'))
            _same(held, self.full[past.node], f"stored rows of {past.node.label}", self)
            fewer = [
                (*row, weight) for row, weight in _exact_sums(self.database.rows(f'FROM "{name}"')).items() if weight
            ]
        else:
            grouped = as_aggregate(past.node)
            fewer = self.database.rows(duckdb_sql(added(grouped, Relation(name, past.schema)), {}))
            at = past.schema.index(Column(COUNT, "bigint"))
            present = plain_bag(row for row in fewer if row[at] or not grouped.keys)
            _same(present, plain_bag(self._recomputed(past)), f"stored partials of {past.node.label}", self)
            for row in fewer:
                assert row[at] or not any(row[len(grouped.keys) :]), f"an empty group keeps sums: {row}"
        if self.variant.fold:
            self.database.put(name, fewer)


def _lookup_sql(lookup: Lookup, names: Mapping[str, str]) -> str:
    if lookup.column is None:
        return f'FROM "{names[lookup.past]}"'
    keys = " UNION ALL ".join(
        f'SELECT "{column}" AS k FROM "{names.get(name, name)}"' for name, column in lookup.sources
    )
    same = f'keys.k IS NOT DISTINCT FROM past."{lookup.column}"'
    return f'SELECT * FROM "{names[lookup.past]}" AS past WHERE EXISTS (SELECT 1 FROM ({keys}) AS keys WHERE {same})'


def _exact_sums(rows: Iterable[Row]) -> Bag:
    found: Bag = Counter()
    for *values, weight in rows:
        found[tuple(values)] += weight
    return found


def _same(found: Bag, expected: Bag, what: str, subject: Subject) -> None:
    if found == expected:
        return
    missing, extra = expected - found, found - expected
    raise AssertionError(
        f"{what} differs ({subject.variant.name})\n  missing {dict(missing)}\n  extra   {dict(extra)}\n"
        f"  tables  { {name: dict(subject.contents[name]) for name in subject.reads} }\n  query   {subject.sql}"
    )
