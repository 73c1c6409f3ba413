"""Qualified query to plan: one function per clause, in the order in which SQL gives them meaning.

Idea: FROM makes a node with unique column names; WHERE, GROUP BY, HAVING, windows, SELECT, DISTINCT and LIMIT wrap it
in turn. Grouping, windows and subqueries have a file each.
Invariant: the plan's output names and order are those of the query; what has no operator raises `Unsupported` with
its place in the text, never an approximation.
Limits: a CTE that is read twice becomes one shared node below two renaming projections.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sqlglot import exp

from headwater.algebra.expressions import column, columns_of, conjunction, conjuncts
from headwater.algebra.nodes import (
    Column,
    Distinct,
    Filter,
    Join,
    Node,
    Output,
    Project,
    Scan,
    Schema,
    Single,
    TopK,
    select,
)
from headwater.sql.generators import generated, in_select_list, values_rows
from headwater.sql.grouping import grouped
from headwater.sql.scope import Names, Scope, unsupported
from headwater.sql.set_operations import combined
from headwater.sql.subqueries import Subqueries, has_subquery, without_not
from headwater.sql.windows import windowed

TableColumns = Mapping[str, tuple[Column, ...]]
Ctes = dict[str, Node]
REFUSED_CLAUSES = ("cluster", "distribute", "sort", "pivots", "match", "sample")
REFUSED_OF_RELATIONS = ("pivots", "sample", "version", "when", "changes", "partition")


def build(query: exp.Query, tables: TableColumns) -> Node:
    """The plan of a qualified query; its output columns are named as the query names them."""
    return Builder(tables).query(query, {})


@dataclass(frozen=True)
class Selected:
    """A SELECT up to its list: its rows, the items of the list, the conditions that name an outer query's columns."""

    scope: Scope
    items: tuple[tuple[str, exp.Expr], ...]  # name, expression as written
    correlation: tuple[exp.Expr, ...] = ()
    one_row: bool = False  # an aggregate without keys
    having: exp.Expr | None = None  # left to the caller, when the one row must stay


class Builder:
    """Builds one query; holds only the table schemas and the names given so far."""

    def __init__(self, tables: TableColumns) -> None:
        self.tables = tables
        self.names = Names()
        self.group_keys: set[str] = set()  # by which the groups of subqueries are found for their outer rows
        self.subqueries = Subqueries(self)

    def query(self, query: exp.Expr, ctes: Ctes) -> Node:
        visible = self.with_ctes(query, ctes)
        if isinstance(query, exp.Subquery):
            return self.first(query, self.query(query.this, visible))
        if isinstance(query, exp.SetOperation):
            return self.first(query, combined(query, lambda side: self.query(side, visible), self.names))
        if isinstance(query, exp.Select):
            return self.select(query, visible)
        raise unsupported(query.key.upper(), query)

    def with_ctes(self, query: exp.Expr, ctes: Ctes) -> Ctes:
        with_ = query.args.get("with_")
        if with_ is None:
            return ctes
        if with_.recursive:
            raise unsupported("A recursive CTE", with_)
        visible = dict(ctes)
        for cte in with_.expressions:
            visible[cte.alias.lower()] = self.named(self.query(cte.this, visible), cte.args.get("alias"))
        return visible

    @staticmethod
    def named(node: Node, alias: exp.Expr | None) -> Node:
        """The node with the column names that a table alias lists, if it lists any."""
        listed = [item.name for item in (alias.args.get("columns") or [])] if alias is not None else []
        if not listed:
            return node
        return Project(node, tuple(Output(new, column(old)) for new, old in zip(listed, node.names, strict=True)))

    # -- the clauses of a SELECT

    def select(self, query: exp.Select, ctes: Ctes) -> Node:
        selected = self.selected(query, ctes, None)
        scope = selected.scope
        outputs = self.different([Output(name, scope.resolve(expression)) for name, expression in selected.items])
        distinct = query.args.get("distinct")
        if distinct is not None and distinct.args.get("on"):
            raise unsupported("DISTINCT ON", distinct)
        if not is_limited(query):
            node: Node = Project(scope.node, tuple(outputs))
            return Distinct(node) if distinct is not None else node
        order, hidden = self.order(query, outputs, scope)
        if hidden and distinct is not None:
            raise unsupported("DISTINCT in the order of what is not selected", query)
        node = Project(scope.node, (*outputs, *hidden))
        node = Distinct(node) if distinct is not None else node
        return select(top(node, (), order, query), tuple(output.name for output in outputs))

    def different(self, outputs: list[Output]) -> list[Output]:
        """The outputs, with other names where the query gives one name to several: only their places can tell them."""
        seen: set[str] = set()
        made = []
        for output in outputs:
            name = output.name if output.name.lower() not in seen else self.names.fresh(f"{output.name}_again")
            seen.add(name.lower())
            made.append(Output(name, output.expression))
        return made

    def selected(self, query: exp.Select, ctes: Ctes, outer: Scope | None, keep_the_row: bool = False) -> Selected:
        """FROM to HAVING, and windows; `keep_the_row`: a HAVING that may drop an aggregate's one row is handed back."""
        for clause in REFUSED_CLAUSES:
            if query.args.get(clause):
                raise unsupported(clause.rstrip("s").upper(), query)
        scope = self.from_(query, ctes)
        scope = Scope(scope.node, scope.columns, scope.computed, outer)
        where = query.args.get("where")
        scope, correlation = self.filtered(scope, conjuncts(where.this) if where else (), ctes)
        found = grouped(self, query, scope, correlation, ctes)
        scope, correlation = found.scope, found.correlation
        items = [(item.alias_or_name, item.unalias()) for item in query.expressions]
        having = query.args.get("having")
        left_over = None
        if having is not None and not found.is_aggregate:
            raise unsupported("HAVING without an aggregate", having)
        if having is not None and keep_the_row and found.one_row:
            scope, left_over = self.subqueries.lifted(scope, having.this, ctes)
        elif having is not None:
            scope, more = self.filtered(scope, conjuncts(having.this), ctes)
            correlation = (*correlation, *more)
        lifted = []
        for name, expression in items:
            scope, plain_ = self.subqueries.lifted(scope, expression, ctes)
            lifted.append((name, plain_))
        ordered = [spelled_out(term.this, query) for term in order_terms(query)]
        qualify = qualification(query)
        asking = [*(each for _, each in lifted), *ordered, *([qualify] if qualify is not None else [])]
        scope = windowed(scope, asking, query, self.names)
        if qualify is not None:
            scope = self.only(scope, list(conjuncts(qualify)), ctes, query)
        scope, listed = in_select_list(scope, lifted, self.names)
        return Selected(scope, tuple(listed), correlation, found.one_row, left_over)

    def filtered(self, scope: Scope, parts: Iterable[exp.Expr], ctes: Ctes) -> tuple[Scope, tuple[exp.Expr, ...]]:
        """The rows for which all conditions hold; and those conditions that name an outer query's columns."""
        correlation: list[exp.Expr] = []
        own: list[exp.Expr] = []
        spelled = (without_not(each) if has_subquery(each) else each for each in parts)
        listed = [part for each in spelled for part in conjuncts(each)]
        for part in sorted(listed, key=has_subquery):  # what needs no join first
            if has_subquery(part):
                scope, own = restricted(scope, own), []
            scope, kept = self.subqueries.applied(scope, part, ctes)
            if kept is None:
                continue
            resolved = scope.resolve(kept, outer=True)
            (own if columns_of(resolved) <= set(scope.node.names) else correlation).append(resolved)
        return restricted(scope, own), tuple(correlation)

    def order(
        self, query: exp.Expr, outputs: list[Output], scope: Scope, written: Iterable[str] = ()
    ) -> tuple[tuple[exp.Expr, ...], tuple[Output, ...]]:
        """ORDER BY over output columns, `written` so in the query; what is not selected becomes a hidden one."""
        known = {name.lower(): output.name for name, output in zip(written or names_of(outputs), outputs, strict=True)}
        terms, hidden = [], []
        for ordered in order_terms(query):
            name = output_named(ordered.this, outputs, known)
            if name is None:
                resolved = scope.resolve(spelled_out(ordered.this, query))
                name = next((output.name for output in outputs if output.expression == resolved), None)
                if name is None:
                    name = self.names.fresh("order")
                    hidden.append(Output(name, resolved))
            terms.append(in_order_of(ordered, name))
        return tuple(terms), tuple(hidden)

    def first(self, query: exp.Expr, node: Node) -> Node:
        """ORDER BY and LIMIT around a set operation or a query in parentheses."""
        if not is_limited(query):
            return node
        outputs = [Output(name, column(name)) for name in node.names]
        known = {output.name.lower(): output.name for output in outputs}
        terms = []
        for ordered in order_terms(query):
            name = output_named(ordered.this, outputs, known)
            if name is None:
                raise unsupported("An order by what is not selected", ordered)
            terms.append(in_order_of(ordered, name))
        return top(node, (), tuple(terms), query)

    # -- FROM

    def from_(self, query: exp.Select, ctes: Ctes) -> Scope:
        source = query.args.get("from_")
        if source is None:
            return Scope(Single(), {})
        scope = self.relation(source.this, ctes)
        for join in query.args.get("joins") or []:
            scope = self.join(scope, join, ctes)
        for lateral in query.args.get("laterals") or []:
            scope = generated(scope, lateral, self.names)
        return scope

    def relation(self, source: exp.Expr, ctes: Ctes) -> Scope:
        """A table, CTE, derived table, VALUES or a join in parentheses, under fresh names where they would collide."""
        for clause in REFUSED_OF_RELATIONS:
            if source.args.get(clause):
                raise unsupported(clause.rstrip("s").upper(), source)
        alias = source.alias_or_name.lower()
        if isinstance(source, exp.Table):
            scope = self.table(source, alias, ctes)
        elif isinstance(source, exp.Subquery) and isinstance(source.this, exp.Query):
            inner = self.named(self.query(source, ctes), source.args.get("alias"))
            scope = self.renamed(inner, alias)
        elif isinstance(source, exp.Values):
            scope = self.renamed(self.named(values_rows(source, self.names), source.args.get("alias")), alias)
        elif isinstance(source, exp.Lateral):
            scope = generated(Scope(Single(), {}), source, self.names)
        elif isinstance(source, exp.Paren | exp.Subquery):
            scope = self.relation(source.this, ctes)
        else:
            raise unsupported(source.key.upper(), source)
        for join in source.args.get("joins") or []:
            scope = self.join(scope, join, ctes)
        for lateral in source.args.get("laterals") or []:
            scope = generated(scope, lateral, self.names)
        return scope

    def table(self, source: exp.Table, alias: str, ctes: Ctes) -> Scope:
        name = source.name.lower()
        if name in ctes:
            return self.renamed(self.named(ctes[name], source.args.get("alias")), alias)
        if name not in self.tables:
            raise unsupported(f"The relation {source.sql(dialect='spark')}", source)
        given = {
            item.name: self.names.fresh(item.name.lower(), f"{alias}_{item.name.lower()}") for item in self.tables[name]
        }
        columns: Schema = tuple(Column(given[item.name], item.type) for item in self.tables[name])
        node = Scan(name, columns, tuple(given))
        return Scope(node, {(alias, source_name.lower()): new for source_name, new in given.items()})

    def renamed(self, node: Node, alias: str) -> Scope:
        """The node under names of its own: a renaming projection, so that shared nodes stay equal."""
        given = {name: self.names.fresh(name.lower(), f"{alias}_{name.lower()}") for name in node.names}
        if any(old != new for old, new in given.items()):
            node = Project(node, tuple(Output(new, column(old)) for old, new in given.items()))
        return Scope(node, {(alias, old.lower()): new for old, new in given.items()})

    def join(self, left: Scope, join: exp.Join, ctes: Ctes) -> Scope:
        if join.args.get("using") or join.method or join.args.get("global_"):
            raise unsupported(f"A {join.method or 'USING'} join", join)
        kind = join_kind(join)
        if isinstance(join.this, exp.Lateral):
            return self.lateral(left, join, kind, ctes)
        right = self.relation(join.this, ctes)
        columns = {**left.columns, **right.columns}
        both = Scope(Join(left.node, right.node, "inner"), columns)
        shown = left.columns if kind in ("semi", "anti") else columns
        on = list(conjuncts(join.args.get("on")))
        later = [part for part in on if has_subquery(part)]
        if later and kind != "inner":
            raise unsupported(f"A subquery in the condition of a {kind} join", join)
        condition = conjunction(each for part in on if part not in later for each in conjuncts(both.resolve(part)))
        joined = Scope(Join(left.node, right.node, kind, condition), shown)
        return self.only(joined, later, ctes, join)

    def only(self, scope: Scope, parts: list[exp.Expr], ctes: Ctes, at: exp.Expr) -> Scope:
        """The rows for which conditions hold that cannot be moved to an outer query."""
        scope, correlation = self.filtered(scope, parts, ctes)
        if correlation:
            raise unsupported("A reference to a column of an outer query", at)
        return scope

    def lateral(self, left: Scope, join: exp.Join, kind: str, ctes: Ctes) -> Scope:
        lateral = join.this
        if kind not in ("inner", "left"):
            raise unsupported(f"A {kind} lateral join", join)
        if not isinstance(lateral.this, exp.Subquery):
            if join.args.get("on") is not None:
                raise unsupported("A condition on a lateral function", join)
            return generated(left, lateral, self.names, outer=kind == "left")
        on = [part for part in conjuncts(join.args.get("on")) if part != exp.true()]
        if on and kind == "left":
            raise unsupported("A condition on a left lateral subquery", join)
        scope = self.subqueries.lateral(left, lateral, kind, ctes)
        return self.only(scope, on, ctes, join)


def restricted(scope: Scope, conditions: list[exp.Expr]) -> Scope:
    predicate = conjunction(conditions)
    return scope if predicate is None else scope.over(Filter(scope.node, predicate))


def join_kind(join: exp.Join) -> str:
    kind = (join.kind or "").upper()
    if kind in ("SEMI", "ANTI") and (join.side or "LEFT").upper() == "LEFT":
        return kind.lower()
    if kind not in ("", "INNER", "OUTER", "CROSS"):
        raise unsupported(f"A {join.side} {join.kind} join".replace("  ", " "), join)
    return (join.side or "inner").lower()


def qualification(query: exp.Select) -> exp.Expr | None:
    """QUALIFY's condition, with the expressions that it names by their aliases in their place."""
    qualify = query.args.get("qualify")
    return spelled_out(qualify.this, query) if qualify is not None else None


def spelled_out(expression: exp.Expr, query: exp.Expr) -> exp.Expr:
    """The expression with the items of the select list that it names by their aliases in their place."""
    named = {item.alias.lower(): item.unalias() for item in query.expressions if isinstance(item, exp.Alias)}

    def spell_out(part: exp.Expr) -> exp.Expr:
        if isinstance(part, exp.Column) and not part.table and part.name.lower() in named:
            return exp.Paren(this=named[part.name.lower()].copy())
        return part

    spelled = expression.transform(spell_out)
    spelled.parent = query
    return spelled


# -- ORDER BY and LIMIT


def is_limited(query: exp.Expr) -> bool:
    return bool(query.args.get("limit") or query.args.get("offset"))


def order_terms(query: exp.Expr) -> list[exp.Ordered]:
    """ORDER BY, where it says more than how rows are shown: above a LIMIT."""
    order = query.args.get("order") if is_limited(query) else None
    return list(order.expressions) if order is not None else []


def names_of(outputs: Iterable[Output]) -> tuple[str, ...]:
    return tuple(output.name for output in outputs)


def output_named(term: exp.Expr, outputs: list[Output], known: Mapping[str, str]) -> str | None:
    """The output that a term of ORDER BY names, by its position or its name."""
    if isinstance(term, exp.Literal) and term.is_int:
        place = int(term.name)
        if not 1 <= place <= len(outputs):
            raise unsupported(f"ORDER BY position {place}", term)
        return outputs[place - 1].name
    if isinstance(term, exp.Column) and not term.table:
        return known.get(term.name.lower())
    return None


def in_order_of(ordered: exp.Ordered, name: str) -> exp.Ordered:
    made = ordered.copy()
    made.set("this", column(name))
    return made


def top(node: Node, keys: tuple[str, ...], order: tuple[exp.Expr, ...], query: exp.Expr) -> Node:
    """The first rows; `pinned` has made the order total."""
    limit, offset = count_of(query, "limit"), count_of(query, "offset") or 0
    return TopK(node, keys, order, limit, offset) if limit is not None or offset else node


def count_of(query: exp.Expr, clause: str) -> int | None:
    found = query.args.get(clause)
    if found is None:
        return None
    value = found.expression
    if isinstance(value, exp.Literal) and value.is_int:
        return int(value.name)
    if clause == "limit" and value.name.upper() == "ALL":
        return None
    raise unsupported(f"{clause.upper()} by an expression", query)
