"""A Hypothesis strategy for queries over the whole surface of views, each valid for Spark and for DuckDB.

Idea: a drawn relation knows its columns and their kinds, so every part can be drawn again from it; names collide on
purpose. Every query may have some subqueries and is otherwise bounded by its depth.

What Spark and DuckDB read differently, and is therefore not drawn:

- IN with NULLs as a value: Spark's is a flag that is never NULL. Here it is a condition of WHERE, HAVING or CASE.
- ROLLUP, CUBE and the set () over no rows: Spark gives no grand total. Here HAVING COUNT(*) > 0 stands with them.
- GROUPING is a TINYINT in Spark; it is cast.
- CONCAT, division, rounding, casts of strings and of numbers to shorter ones: errors and NULLs differ.
- IN of pairs is not correlated: DuckDB has no plan for it.
- MAX_BY and MIN_BY of NULLs: DuckDB passes over them. Here the value is never NULL.
- A scalar subquery of several rows is an error in both, at different times; here it is an aggregate or has LIMIT 1.
- Beside groups Spark has correlated subqueries in HAVING, but not in the select list.
- Spark finds no window over a key of several grouping sets.
- USING and NATURAL joins: which side's column is meant.

Sums, means and deviations of doubles depend in their last bits on the order of rows: they are `shown`, never compared,
grouped or put in order. Nor do they stand where ties are broken by all columns.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from hypothesis import strategies as st

from headwater.algebra.nodes import Schema
from tests.delta.random_clauses import call, grouping_keys, named, ordering, window_call
from tests.delta.random_expressions import CONSTANTS, NULLS, Relation, Scope
from tests.delta.random_subqueries import Subqueries
from tests.delta.random_tables import Kinds, kinds_of

MOST_RELATIONS = 9  # of a query, or few more
OUTPUT_NAMES = ("k", "v", "w", "x", "y", "s", "n", "z")
JOINS = (
    "JOIN", "LEFT JOIN", "JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "LEFT SEMI JOIN", "LEFT ANTI JOIN",
    "CROSS JOIN", "LATERAL",
)  # fmt: skip


@dataclass
class Writer:
    """Writes one query; numbers its aliases, and counts the subqueries that it may still have."""

    draw: st.DrawFn
    tables: Mapping[str, Kinds]
    left: int = 3
    ctes: dict[str, Kinds] = field(default_factory=dict)
    aliases: int = 0

    def __post_init__(self) -> None:
        self.subqueries = Subqueries(self)

    def one_of(self, *options: str) -> str:
        return self.draw(st.sampled_from(options))

    def spend(self) -> bool:
        """Take one of the subqueries that are left."""
        self.left -= 1
        return self.left >= 0

    def scope(self, relations: list[Relation], values: bool = True) -> Scope:
        return self.subqueries.give(Scope.of(self.draw, relations), values)

    def alias(self) -> str:
        self.aliases += 1
        return f"r{self.aliases}"

    # -- FROM

    def relation(self, depth: int) -> Relation:
        depth = depth if self.aliases < MOST_RELATIONS else 0
        alias = self.alias()
        form = self.one_of("table", "table", *(["cte"] * 2 if self.ctes else []), *(["derived"] * 2 if depth else []))
        if form == "derived":
            if self.one_of("query", "query", "query", "values") == "values":
                return self.values(alias)
            text, columns = self.query(depth - 1)
            return Relation(f"({text}) {alias}", alias, columns)
        known = self.tables if form == "table" else self.ctes
        name = self.one_of(*known)
        return Relation(f"{name} {alias}", alias, known[name])

    def values(self, alias: str) -> Relation:
        kinds = [self.one_of("int", "int", "string", "date") for _ in range(self.draw(st.integers(1, 2)))]
        names = OUTPUT_NAMES[: len(kinds)]
        rows = [[self.one_of(*CONSTANTS[kind]) for kind in kinds]]
        for _ in range(self.draw(st.integers(0, 2))):
            rows.append([self.one_of(*CONSTANTS[kind], NULLS[kind]) for kind in kinds])
        text = ", ".join(f"({', '.join(row)})" for row in rows)
        return Relation(f"(VALUES {text}) AS {alias}({', '.join(names)})", alias, dict(zip(names, kinds, strict=True)))

    def source(self, depth: int, most: int = 2) -> tuple[str, list[Relation]]:
        """FROM with joins, and sometimes a generator behind them."""
        relations = [self.relation(depth)]
        text = relations[0].text
        for _ in range(self.draw(st.integers(0, most)) if self.aliases < MOST_RELATIONS else 0):
            kind = self.one_of(*JOINS)
            if kind == "LATERAL":
                right = self.lateral(relations)
                text += f" {self.one_of('', 'LEFT ')}JOIN LATERAL {right.text}"
            else:
                right = self.relation(depth)
                on = "" if kind == "CROSS JOIN" else f" ON {self.on(relations, right)}"
                text += f" {kind} {right.text}{on}"
            if kind not in ("LEFT SEMI JOIN", "LEFT ANTI JOIN"):
                relations.append(right)
        if most > 1 and self.one_of("no", "no", "no", "no", "explode") == "explode":
            view, made = self.lateral_view(relations)
            text += view
            relations.append(made)
        return text, relations

    def on(self, left: list[Relation], right: Relation) -> str:
        ours, theirs = Scope.of(self.draw, left), Scope.of(self.draw, [right])
        both = Scope.of(self.draw, [*left, right])
        kinds = [kind for kind in ours.kinds() if theirs.columns.get(kind)]
        parts = []
        if kinds and self.one_of("equal", "equal", "equal", "any") == "equal":
            for _ in range(int(self.one_of("1", "1", "1", "2"))):
                kind = self.one_of(*kinds)
                parts.append(f"{ours.column(kind)} {self.one_of('=', '=', '=', '<=>', '<')} {theirs.column(kind)}")
        if both.kinds() and (not parts or self.one_of("no", "no", "yes") == "yes"):
            parts.append(both.condition())
        return " AND ".join(parts) or "TRUE"

    def lateral(self, left: list[Relation]) -> Relation:
        """A subquery that names columns of the relations before it: rows, first rows, or an aggregate."""
        outer = Scope.of(self.draw, left)
        source, inner, conditions = self.subqueries.inner(outer)
        where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
        alias = self.alias()
        kinds = inner.kinds()
        form = self.one_of("aggregate", "rows", "first") if kinds else "count"
        if form in ("aggregate", "count"):
            made = call(inner) if kinds else ("COUNT(*)", "int")
            return Relation(f"(SELECT {made[0]} AS m FROM {source}{where}) {alias}", alias, {"m": made[1]})
        columns = {name: self.one_of(*kinds) for name in ("m", "n")}
        listed = ", ".join(f"{inner.column(kind)} AS {name}" for name, kind in columns.items())
        limit = f" ORDER BY m {self.one_of('', 'DESC')} LIMIT {self.one_of('1', '2')}" if form == "first" else ""
        return Relation(f"(SELECT {listed} FROM {source}{where}{limit}) {alias}", alias, columns)

    def lateral_view(self, left: list[Relation]) -> tuple[str, Relation]:
        scope, alias = Scope.of(self.draw, left), self.alias()
        kind = self.one_of(*(scope.kinds() or ["int"]))
        array = f"ARRAY({scope.value(kind, 0)}, {self.one_of(*CONSTANTS[kind])})"
        if scope.kinds() and self.one_of("always", "sometimes") == "sometimes":
            array = f"CASE WHEN {scope.condition(0)} THEN {array} END"
        outer = self.one_of("", "OUTER ")
        return f" LATERAL VIEW {outer}EXPLODE({array}) {alias} AS e", Relation("", alias, {"e": kind})

    # -- queries

    def query(self, depth: int) -> tuple[str, Kinds]:
        form = self.one_of(
            "select", "select", "group", "group", "distinct", "window", "sets", "union", "limited", "limited"
        )
        if form == "union" and depth:
            return self.set_operation(depth)
        if form == "limited" and depth:
            return self.limited(depth)
        source, relations = self.source(depth)
        scope = self.scope(relations)
        where = f" WHERE {scope.condition(2)}" if self.one_of("no", "yes") == "yes" else ""
        if form in ("group", "sets"):
            return self.grouped(scope, f" FROM {source}{where}", form == "sets")
        if form == "window":
            return self.windowed(scope, f" FROM {source}{where}")
        listed, columns = self.outputs(scope, form == "distinct")
        return f"SELECT {'DISTINCT ' if form == 'distinct' else ''}{listed} FROM {source}{where}", columns

    def outputs(self, scope: Scope, comparable: bool = False) -> tuple[str, Kinds]:
        names = self.draw(st.lists(st.sampled_from(OUTPUT_NAMES), min_size=1, max_size=4, unique=True))
        shown = ["shown"] if scope.columns.get("shown") and not comparable else []
        kinds = [*(scope.kinds() or ["int"]), *shown]
        columns = {name: self.one_of(*kinds) for name in names}
        return ", ".join(f"{scope.value(kind, 2)} AS {name}" for name, kind in columns.items()), columns

    def windowed(self, scope: Scope, rest: str) -> tuple[str, Kinds]:
        listed, columns = self.outputs(scope, comparable=True)
        if not scope.kinds():
            return f"SELECT {listed}{rest}", columns
        columns = dict(columns)
        for name in ("p", "q")[: self.draw(st.integers(1, 2))]:
            text, columns[name] = window_call(scope)
            listed += f", {text} AS {name}"
        qualify = ""
        if self.one_of("no", "no", "yes") == "yes":
            text, kind = window_call(scope)
            asked = self.one_of("p IS NOT NULL", f"{text} IS NOT NULL", scope.condition(1))
            qualify = f" QUALIFY {asked}"
            if kind == "int":
                more = self.one_of("", f" AND {scope.condition(1)}")
                qualify = f" QUALIFY {text} {self.one_of('=', '<=', '>')} {self.one_of('1', '2')}{more}"
        return f"SELECT {listed}{rest}{qualify}", columns

    def grouped(self, scope: Scope, rest: str, sets: bool) -> tuple[str, Kinds]:
        names = list(self.draw(st.permutations(OUTPUT_NAMES)))
        keys = grouping_keys(scope, 1 if sets else 0)
        sets = sets and bool(keys)
        calls = [call(scope) for _ in range(self.draw(st.integers(0 if keys else 1, 3)))]
        shown = [(expression, kind, names.pop()) for expression, kind in [*keys, *calls]]
        above = Scope(self.draw)
        for expression, kind in keys:
            if expression in scope.columns.get(kind, ()) and not sets:
                above.columns.setdefault(kind, []).append(expression)
        self.subqueries.give(above)
        if self.left > 0 and self.one_of("no", "no", "no", "yes") == "yes":
            kind = self.one_of("int", "string", "double")
            value = self.subqueries.scalar(Scope(self.draw), kind)
            shown += [(value, kind, names.pop())] if value else []
        if self.one_of("no", "no", "no", "yes") == "yes" and names:
            shown.append((*window_call(above_groups(self.draw, [] if sets else keys, calls)), names.pop()))
        by, havings = self.by(keys, sets)
        if sets and self.one_of("no", "yes") == "yes":
            shown.append((f"CAST(GROUPING({keys[0][0]}) AS INT)", "int", names.pop()))
        if self.one_of("no", "no", "yes") == "yes":
            havings.append(self.having(scope, above))
        having = f" HAVING {' AND '.join(havings)}" if havings else ""
        listed = ", ".join(f"{expression} AS {name}" for expression, _, name in shown)
        return f"SELECT {listed}{rest}{by}{having}", {name: kind for _, kind, name in shown}

    def by(self, keys: list[tuple[str, str]], sets: bool) -> tuple[str, list[str]]:
        """GROUP BY, and what must hold so that both engines read it alike."""
        listed = [expression for expression, _ in keys]
        if not sets:
            return (f" GROUP BY {', '.join(listed)}" if listed else ""), []
        form = self.one_of("ROLLUP", "CUBE", "GROUPING SETS", "plain and ROLLUP")
        if form == "GROUPING SETS":
            drawn = [*(f"({key})" for key in listed), f"({', '.join(listed)})", self.one_of(f"({listed[0]})", "()")]
            return f" GROUP BY GROUPING SETS ({', '.join(drawn)})", ["COUNT(*) > 0"]
        if form == "plain and ROLLUP" and len(listed) > 1:
            return f" GROUP BY {listed[0]}, ROLLUP({', '.join(listed[1:])})", ["COUNT(*) > 0"]
        kind = "CUBE" if form == "CUBE" else "ROLLUP"
        return f" GROUP BY {kind}({', '.join(listed)})", ["COUNT(*) > 0"]

    def having(self, scope: Scope, above: Scope) -> str:
        options = ["COUNT(*) > 1", "COUNT(*) <> 2"]
        if scope.columns.get("int"):
            options += [f"MIN({scope.column('int')}) < 2", f"SUM({scope.column('int')}) IS NOT NULL"]
        plain = self.one_of(*options)
        form = self.one_of("plain", "subquery", "or") if self.left > 0 else "plain"
        if form == "plain" or not above.columns:
            return plain
        subquery = self.subqueries.condition(above)
        return subquery if form == "subquery" else f"({plain} OR {subquery})"

    # -- what stands around a query

    def set_operation(self, depth: int) -> tuple[str, Kinds]:
        left, columns = self.query(depth - 1)
        right, other = self.query(depth - 1)
        shared = [kind for kind in columns.values() if kind in other.values() and kind != "shown"] or ["int"]
        kinds = shared[: self.draw(st.integers(1, 2))]
        l_alias, r_alias = self.alias(), self.alias()
        one = f"SELECT {named(columns, kinds, 'xy')} FROM ({left}) {l_alias}"
        two = f"SELECT {named(other, kinds, 'yz')} FROM ({right}) {r_alias}"
        operation = self.one_of("UNION ALL", "UNION", "INTERSECT", "INTERSECT ALL", "EXCEPT", "EXCEPT ALL")
        return f"{one} {operation} {two}", dict(zip("xy", kinds, strict=False))

    def limited(self, depth: int) -> tuple[str, Kinds]:
        text, columns = self.query(depth - 1)
        if "shown" in columns.values() or " LIMIT " in text.rpartition(")")[2] or " OFFSET " in text.rpartition(")")[2]:
            return text, columns
        limit = self.one_of(" LIMIT 1", " LIMIT 2", " LIMIT 3", " LIMIT 2 OFFSET 1", " OFFSET 1", " LIMIT 0")
        order = f" ORDER BY {ordering(self.draw, list(columns))}" if self.one_of("yes", "yes", "no") == "yes" else ""
        return f"{text}{order}{limit}", columns


def above_groups(draw: st.DrawFn, keys: list[tuple[str, str]], calls: list[tuple[str, str]]) -> Scope:
    """What a window over groups can name."""
    scope = Scope(draw)
    for expression, kind in [*keys, *calls, ("COUNT(*)", "int")]:
        if kind != "shown" and "GROUPING" not in expression:
            scope.columns.setdefault(kind, []).append(expression)
    return scope


@st.composite
def random_query(draw: st.DrawFn, tables: Mapping[str, Schema], depth: int = 2) -> str:
    """A query over the tables, whose text is read alike by Spark and, after sqlglot, by DuckDB."""
    writer = Writer(draw, {name: kinds_of(columns) for name, columns in tables.items()})
    ctes = []
    for number in range(draw(st.sampled_from([0, 0, 1, 2]))):
        text, columns = writer.query(depth - 1)
        ctes.append(f"q{number} AS ({text})")
        writer.ctes[f"q{number}"] = columns
    text, _ = writer.query(depth)
    return f"WITH {', '.join(ctes)} {text}" if ctes else text
