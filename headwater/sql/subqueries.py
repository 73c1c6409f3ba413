"""Subqueries become joins: semi and anti where they filter, outer joins where they give a value.

    WHERE [NOT] EXISTS (q)          semi, anti join on what names the outer query
    WHERE x IN (q)                  semi join on x = y as well
    WHERE x NOT IN (q)              anti join on x = y; rows are kept only if q has no NULL and x is none, or q is empty
    a scalar (q)                    left join on the keys that q is correlated by; cross join with its one row
    EXISTS, IN inside expressions   a flag, by left join with the different keys, or by semi and anti join

Idea: the columns of a query have names that no other query has, so a subquery's condition that names an outer column
can be moved up and becomes a condition of the join (`Selected.correlation`).
Invariant: empty groups give what the aggregate gives over no rows (COUNT 0, not NULL); more than one row for a scalar
is an error, as in Spark; inside an expression IN is never unknown, as in Spark, where it is a flag, too.
Limits: under an aggregate only equality can correlate; correlation by other conditions is refused by name, as is one
from inside a set operation, a derived table or an outer join's condition.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sqlglot import exp

from headwater.algebra.expressions import column, columns_of, conjunction
from headwater.algebra.nodes import Aggregate, Distinct, Filter, Join, Node, Output, Project, Union, plain
from headwater.sql.aggregates import aggregate_calls, is_windowed, over_nothing
from headwater.sql.grouping import inner_and_outer
from headwater.sql.scope import Scope, computed_column, planned, unsupported

if TYPE_CHECKING:
    from headwater.sql.build import Builder, Ctes

TOO_MANY = "More than one row returned by a subquery used as an expression."


@dataclass(frozen=True)
class Block:
    """A subquery as rows to join with: its values over its own columns and those of the query around."""

    node: Node
    names: tuple[str, ...]
    values: tuple[exp.Expr, ...]
    correlation: tuple[exp.Expr, ...]  # conditions between its columns and the outer ones
    over_nothing: tuple[exp.Expr, ...] | None = None  # its values where it has no rows; None: it has none then
    having: exp.Expr | None = None  # of an aggregate whose one row must stay
    having_over_nothing: exp.Expr | None = None


class Subqueries:
    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self.names = builder.names

    # -- where they stand

    def applied(self, scope: Scope, part: exp.Expr, ctes: Ctes) -> tuple[Scope, exp.Expr | None]:
        """The scope filtered by a subquery condition; what is left of the condition to be applied."""
        bare, negated = unwrapped(part)
        if isinstance(bare, exp.Exists):
            return self.exists(scope, bare, negated, ctes)
        if isinstance(bare, exp.In) and bare.args.get("query") is not None:
            return self.member(scope, bare, negated, ctes)
        return self.lifted(scope, part, ctes)

    def lifted(self, scope: Scope, expression: exp.Expr, ctes: Ctes) -> tuple[Scope, exp.Expr]:
        """The expression with each subquery replaced by a column, which the scope has gained by a join."""
        if not has_subquery(expression):
            return scope, expression
        expression = with_computed(expression, scope)
        made = (
            without_not(expression.copy())
            if isinstance(expression, (exp.Not, exp.And, exp.Or, exp.Paren))
            else expression.copy()
        )
        holder = exp.Paren(this=made)
        while (found := innermost(holder)) is not None:
            part, negated = found
            scope, value = self.value(scope, part, negated, ctes)
            target = part.parent if negated else part
            assert target is not None
            target.replace(value)
        return scope, holder.this

    def value(self, scope: Scope, part: exp.Expr, negated: bool, ctes: Ctes) -> tuple[Scope, exp.Expr]:
        if isinstance(part, exp.Exists):
            block = self.block(part.this, scope, ctes)
            return self.flag(scope, block, block.correlation)
        if isinstance(part, exp.In):
            return self.membership(scope, part, negated, ctes)
        return self.scalar(scope, part, ctes)

    # -- blocks

    def block(self, query: exp.Expr, outer: Scope, ctes: Ctes) -> Block:
        """The subquery's rows, under names that no other query has."""
        while isinstance(query, exp.Subquery) and not is_limited(query):
            query = query.this
        if not isinstance(query, exp.Select):
            scope = self.builder.renamed(self.builder.query(query, ctes), "sub")
            return Block(scope.node, scope.node.names, tuple(map(column, scope.node.names)), ())
        visible = self.builder.with_ctes(query, ctes)
        selected = self.builder.selected(query, visible, outer, keep_the_row=True)
        scope = selected.scope
        values = tuple(scope.resolve(expression, outer=True) for _, expression in selected.items)
        names = tuple(name for name, _ in selected.items)
        block = Block(scope.node, names, values, selected.correlation)
        if selected.one_row:
            nothing = tuple(self.at_nothing(item.unalias(), outer) for item in query.expressions)
            having = selected.having and scope.resolve(selected.having)
            return self.one_row(query, replace(block, over_nothing=nothing, having=having), outer)
        return self.of_each(query, block, scope)

    def one_row(self, query: exp.Select, block: Block, outer: Scope) -> Block:
        """A single aggregate row; HAVING leaves its place empty instead of dropping it."""
        assert block.over_nothing is not None
        if block.having is None:
            return block
        if not block.correlation:
            return replace(block, node=Filter(block.node, block.having), having=None, over_nothing=None)
        kept = self.at_nothing(query.args["having"].this, outer)
        values = tuple(if_(block.having, value) for value in block.values)
        nothing = tuple(if_(kept, each) for each in block.over_nothing)
        return replace(block, values=values, over_nothing=nothing, having_over_nothing=kept)

    def at_nothing(self, expression: exp.Expr, outer: Scope) -> exp.Expr:
        """The expression where its aggregates see no rows."""
        calls = aggregate_calls([expression])
        made = expression.copy().transform(lambda part: over_nothing(part) if part in calls else part)
        return outer.resolve(made, outer=True)

    def of_each(self, query: exp.Select, block: Block, scope: Scope) -> Block:
        """DISTINCT and LIMIT hold for each outer row: for each value of the correlation's columns."""
        distinct, limited = query.args.get("distinct") is not None, is_limited(query)
        if not distinct and not limited:
            return block
        keys, correlation, node = self.keys(block, query)
        named = [Output(self.names.fresh("value"), value) for value in block.values]
        if any(not columns_of(output.expression) <= set(node.names) for output in named):
            raise unsupported("DISTINCT or LIMIT over columns of an outer query", query)
        terms, hidden = self.builder.order(query, named, scope, block.names)
        outputs = (*plain(dict.fromkeys(keys)), *named, *hidden)
        node = Project(node, outputs)
        if distinct:
            node = Distinct(node)
        if limited:
            from headwater.sql.build import top

            node = top(node, tuple(dict.fromkeys(keys)), terms, query)
        values = tuple(column(output.name) for output in named)
        return replace(block, node=node, values=values, correlation=correlation)

    def keys(self, block: Block, at: exp.Expr) -> tuple[list[str], tuple[exp.Expr, ...], Node]:
        """The block's columns that are equated with outer ones, and the equalities over them."""
        node, keys, correlation = block.node, [], []
        for part in block.correlation:
            sides = inner_and_outer(part, set(block.node.names))
            if sides is None:
                raise unsupported("A subquery that is correlated by other conditions than equality", at)
            node, key = computed_column(node, sides[0], self.names.fresh("key"))
            keys.append(key)
            correlation.append(exp.EQ(this=column(key), expression=sides[1]))
        self.builder.group_keys.update(keys)
        return keys, tuple(correlation), node

    # -- conditions of WHERE and HAVING

    def exists(self, scope: Scope, part: exp.Exists, negated: bool, ctes: Ctes) -> tuple[Scope, exp.Expr | None]:
        block = self.block(part.this, scope, ctes)
        if block.over_nothing is not None and block.having is None:  # an aggregate without keys always has its row
            return scope, exp.false() if negated else exp.true()
        if block.having is not None or not block.correlation:
            scope, found = self.flag(scope, block, block.correlation)
            return scope, exp.Not(this=found) if negated else found
        return self.joined(scope, block.node, "anti" if negated else "semi", block.correlation), None

    def member(self, scope: Scope, part: exp.In, negated: bool, ctes: Ctes) -> tuple[Scope, exp.Expr | None]:
        scope, wanted, block = self.compared(scope, part, ctes)
        equal = [exp.EQ(this=x, expression=y) for x, y in zip(wanted, block.values, strict=True)]
        if not negated:
            return self.joined(scope, block.node, "semi", (*block.correlation, *equal)), None
        if block.correlation or len(equal) > 1:
            return self.joined(scope, block.node, "anti", (*block.correlation, not_false(equal))), None
        return self.not_in_all(scope, wanted[0], block, equal[0])

    def not_in_all(self, scope: Scope, wanted: exp.Expr, block: Block, equal: exp.Expr) -> tuple[Scope, exp.Expr]:
        """NOT IN a whole query: whether it is empty, and whether it has a NULL, are flags, so that equality remains."""
        node, name = computed_column(block.node, block.values[0], self.names.fresh("member"))
        rows, filled = self.names.fresh("rows"), self.names.fresh("filled")
        counts = (Output(rows, exp.Count(this=exp.Star())), Output(filled, exp.Count(this=column(name))))
        none, some_null = self.names.fresh("is_empty"), self.names.fresh("has_null")
        flags = Project(
            Aggregate(Project(node, plain((name,))), (), counts),
            (
                Output(none, exp.EQ(this=column(rows), expression=exp.Literal.number(0))),
                Output(some_null, exp.GT(this=column(rows), expression=column(filled))),
            ),
        )
        scope = scope.over(Join(scope.node, flags, "inner"))
        scope = self.joined(scope, block.node, "anti", (equal,))
        present = exp.Not(this=exp.Is(this=exp.Paren(this=wanted.copy()), expression=exp.Null()))
        clean = exp.and_(present, exp.Not(this=column(some_null)))
        return scope, as_planned(exp.or_(column(none), clean))

    def joined(self, scope: Scope, node: Node, kind: str, conditions: tuple[exp.Expr, ...]) -> Scope:
        """The scope joined; sides of equalities become columns, so that the join is by key."""
        left, right = scope.node, node
        parts = []
        for part in conditions:
            sides = inner_and_outer(part, set(node.names))
            if sides is not None and columns_of(sides[1]) <= set(scope.node.names):
                right, inner = computed_column(right, sides[0], self.names.fresh("inner_key"))
                left, outer = computed_column(left, sides[1], self.names.fresh("outer_key"))
                part = exp.EQ(this=column(outer), expression=column(inner))
            parts.append(part)
        loose = frozenset[str]().union(*(columns_of(part) for part in parts)) - {*left.names, *right.names}
        if loose:
            raise unsupported("A reference past the next outer query", parts[0])
        return scope.over(Join(left, right, kind, conjunction(parts)))

    # -- values

    def scalar(self, scope: Scope, part: exp.Expr, ctes: Ctes) -> tuple[Scope, exp.Expr]:
        block = self.block(part, scope, ctes)
        if len(block.values) != 1:
            raise unsupported("A subquery with several columns as a value", part)
        if block.over_nothing is None:
            block = self.at_most_one(block, part)
        elif not block.correlation:  # its one row is always there
            return scope.over(Join(scope.node, block.node, "inner")), as_planned(block.values[0])
        return self.looked_up(scope, block, part)

    def at_most_one(self, block: Block, part: exp.Expr) -> Block:
        """The value of each key's only row; several rows are an error when the value is read."""
        keys, correlation, node = self.keys(block, part)
        if not columns_of(block.values[0]) <= set(node.names):
            raise unsupported("A value that mixes columns of two queries", part)
        node, name = computed_column(node, block.values[0], self.names.fresh("value"))
        kept = tuple(dict.fromkeys((*keys, name)))
        nothing = (exp.Null(),)
        is_single = any(unique <= set(keys) for unique in node.unique_keys)
        if is_single and keys:
            rows_ = Project(node, plain(kept))
            return replace(block, node=rows_, values=(column(name),), correlation=correlation, over_nothing=nothing)
        rows, only = self.names.fresh("rows"), self.names.fresh("only")
        calls = (Output(rows, exp.Count(this=exp.Star())), Output(only, exp.Max(this=column(name))))
        groups = Aggregate(Project(node, plain(kept)), tuple(dict.fromkeys(keys)), calls)
        several = exp.GT(this=column(rows), expression=exp.Literal.number(1))
        error = exp.Anonymous(this="RAISE_ERROR", expressions=[exp.Literal.string(TOO_MANY)])
        value = column(only) if is_single else exp.If(this=several, true=error, false=column(only))
        return replace(block, node=groups, values=(value,), correlation=correlation, over_nothing=nothing)

    def looked_up(self, scope: Scope, block: Block, part: exp.Expr) -> tuple[Scope, exp.Expr]:
        """The block's value for each outer row, by a left join on the keys."""
        assert block.over_nothing is not None
        if not block.correlation:
            return scope.over(Join(scope.node, block.node, "inner")), as_planned(block.values[0])
        scope, missing = self.left_joined(scope, block.node, block.correlation, part)
        return scope, as_planned(exp.If(this=missing, true=block.over_nothing[0], false=block.values[0]))

    def left_joined(
        self, scope: Scope, node: Node, correlation: tuple[exp.Expr, ...], part: exp.Expr
    ) -> tuple[Scope, exp.Expr]:
        """The scope left-joined by key, and whether a row has no partner."""
        found = self.names.fresh("found")
        left, parts = scope.node, []
        right: Node = Project(node, (*plain(node.names), Output(found, exp.true())))
        for each in correlation:
            sides = inner_and_outer(each, set(right.names))
            if sides is None or not columns_of(sides[1]) <= set(left.names):
                raise unsupported("A subquery that is correlated by other conditions than equality", part)
            right, inner = computed_column(right, sides[0], self.names.fresh("inner_key"))
            left, outer = computed_column(left, sides[1], self.names.fresh("outer_key"))
            parts.append(exp.EQ(this=column(outer), expression=column(inner)))
        joined = scope.over(Join(left, right, "left", conjunction(parts)))
        return joined, exp.Is(this=column(found), expression=exp.Null())

    # -- flags

    def membership(self, scope: Scope, part: exp.In, negated: bool, ctes: Ctes) -> tuple[Scope, exp.Expr]:
        scope, wanted, block = self.compared(scope, part, ctes)
        equal = [exp.EQ(this=x, expression=y) for x, y in zip(wanted, block.values, strict=True)]
        condition = (not_false(equal),) if negated else tuple(equal)
        scope, found = self.flag(scope, block, (*block.correlation, *condition))
        return scope, exp.Not(this=found) if negated else found

    def compared(self, scope: Scope, part: exp.In, ctes: Ctes) -> tuple[Scope, list[exp.Expr], Block]:
        """The values that are looked for, and the block that they are looked for in."""
        scope, this = self.lifted(scope, part.this, ctes)
        wanted = [scope.resolve(each) for each in (this.expressions if isinstance(this, exp.Tuple) else [this])]
        block = self.block(part.args["query"], scope, ctes)
        if block.over_nothing is not None:
            if block.correlation:
                raise unsupported("IN over a correlated aggregate", part)
            block = replace(block, over_nothing=None)
        if len(wanted) != len(block.values):
            raise unsupported("IN over another number of columns", part)
        node, names = block.node, []
        for value in block.values:
            if not columns_of(value) <= set(node.names):
                raise unsupported("IN over columns of an outer query", part)
            node, name = computed_column(node, value, self.names.fresh("member"))
            names.append(name)
        return scope, wanted, replace(block, node=node, values=tuple(map(column, names)))

    def flag(self, scope: Scope, block: Block, conditions: tuple[exp.Expr, ...]) -> tuple[Scope, exp.Expr]:
        """Whether an outer row has a match, as a column."""
        if block.over_nothing is not None:
            return self.flag_of_row(scope, block)
        if not conditions:
            return self.any_row(scope, block.node)
        if all(inner_and_outer(part, set(block.node.names)) for part in conditions):
            return self.matched(scope, block.node, conditions)
        return self.told_apart(scope, block.node, conditions)

    def flag_of_row(self, scope: Scope, block: Block) -> tuple[Scope, exp.Expr]:
        """EXISTS over an aggregate without keys: as its HAVING says."""
        if block.having is None or block.having_over_nothing is None:
            return scope, exp.true()
        shown = replace(block, values=(block.having,), over_nothing=(block.having_over_nothing,))
        scope, value = self.looked_up(scope, shown, block.having)
        return scope, exp.Coalesce(this=value, expressions=[exp.false()])

    def any_row(self, scope: Scope, node: Node) -> tuple[Scope, exp.Expr]:
        rows, some = self.names.fresh("rows"), self.names.fresh("some")
        counted = Aggregate(node, (), (Output(rows, exp.Count(this=exp.Star())),))
        there = exp.GT(this=column(rows), expression=exp.Literal.number(0))
        return scope.over(Join(scope.node, Project(counted, (Output(some, there),)), "inner")), planned(some)

    def matched(self, scope: Scope, node: Node, conditions: tuple[exp.Expr, ...]) -> tuple[Scope, exp.Expr]:
        """Every key once, so that the left join gives each outer row once."""
        keys, equal = [], []
        for part in conditions:
            sides = inner_and_outer(part, set(node.names))
            assert sides is not None
            node, key = computed_column(node, sides[0], self.names.fresh("key"))
            keys.append(key)
            equal.append(exp.EQ(this=column(key), expression=sides[1]))
        self.builder.group_keys.update(keys)
        distinct = Distinct(Project(node, plain(dict.fromkeys(keys))))
        scope, missing = self.left_joined(scope, distinct, tuple(equal), conditions[0])
        return scope, as_planned(exp.Not(this=missing))

    def told_apart(self, scope: Scope, node: Node, conditions: tuple[exp.Expr, ...]) -> tuple[Scope, exp.Expr]:
        """The rows with a match and those without one, marked and put together again."""
        flag = self.names.fresh("matched")
        sides = []
        for kind, value in (("semi", exp.true()), ("anti", exp.false())):
            joined = self.joined(scope, node, kind, conditions).node
            sides.append(Project(joined, (*plain(scope.node.names), Output(flag, value))))
        return scope.over(Union(tuple(sides))), planned(flag)

    # -- LATERAL

    def lateral(self, left: Scope, lateral: exp.Lateral, kind: str, ctes: Ctes) -> Scope:
        """A subquery in FROM that names columns of the relations before it."""
        alias = lateral.args.get("alias")
        table = alias.name.lower() if alias is not None else ""
        listed = tuple(item.name for item in (alias.args.get("columns") or [])) if alias is not None else ()
        block = self.block(lateral.this, left, ctes)
        if block.over_nothing is not None and block.correlation:
            return self._lateral_row(left, block, table, listed or block.names, lateral)
        joined = self.joined(left, block.node, kind, block.correlation).node
        outputs = [
            Output(self.names.fresh(name.lower()), value)
            for name, value in zip(listed or block.names, block.values, strict=True)
        ]
        if kind == "left" and any(not isinstance(value, exp.Column) for value in block.values):
            raise unsupported("A left lateral join with computed columns", lateral)
        return self._with_lateral(left, joined, outputs, table, listed or block.names)

    def _lateral_row(self, left: Scope, block: Block, table: str, names: tuple[str, ...], lateral: exp.Expr) -> Scope:
        assert block.over_nothing is not None
        scope, missing = self.left_joined(left, block.node, block.correlation, lateral)
        outputs = [
            Output(self.names.fresh(name.lower()), exp.If(this=missing.copy(), true=nothing, false=value))
            for name, value, nothing in zip(names, block.values, block.over_nothing, strict=True)
        ]
        return self._with_lateral(left, scope.node, outputs, table, names)

    @staticmethod
    def _with_lateral(left: Scope, node: Node, outputs: list[Output], table: str, names: tuple[str, ...]) -> Scope:
        given = {(table, name.lower()): output.name for name, output in zip(names, outputs, strict=True)}
        made = Project(node, (*plain(left.node.names), *outputs))
        return Scope(made, {**left.columns, **given}, left.computed, left.outer, left.grouped)


# -- subqueries in expressions


def with_computed(expression: exp.Expr, scope: Scope) -> exp.Expr:
    """The expression with what is computed already in its place; subqueries stay as they are written."""
    holder = exp.Paren(this=expression.copy())

    def is_computed(part: exp.Expr) -> bool:
        return part in scope.computed and not is_windowed(part)

    parts = list(holder.walk(prune=lambda part: isinstance(part, exp.Query) or is_computed(part)))
    for part in parts:
        if is_computed(part):
            part.replace(planned(scope.computed[part]))
    return holder.this


def has_subquery(expression: exp.Expr) -> bool:
    return expression.find(exp.Query) is not None


def is_limited(query: exp.Expr) -> bool:
    return bool(query.args.get("limit") or query.args.get("offset"))


def unwrapped(part: exp.Expr) -> tuple[exp.Expr, bool]:
    """The condition below parentheses and NOTs, and whether it is negated."""
    negated = False
    while isinstance(part, (exp.Paren, exp.Not)):
        negated ^= isinstance(part, exp.Not)
        part = part.this
    return part, negated


def without_not(part: exp.Expr) -> exp.Expr:
    """NOT moved inwards to the subquery conditions, where it means another join."""
    if isinstance(part, exp.Paren):
        inner = without_not(part.this)
        return exp.Paren(this=inner.copy()) if isinstance(inner, (exp.And, exp.Or)) else inner
    if isinstance(part, (exp.And, exp.Or)):
        return type(part)(this=without_not(part.this).copy(), expression=without_not(part.expression).copy())
    if not isinstance(part, exp.Not):
        return part
    below = part.this.unnest()
    if isinstance(below, exp.Not):
        return without_not(below.this)
    if isinstance(below, (exp.And, exp.Or)) and has_subquery(below):
        other = exp.Or if isinstance(below, exp.And) else exp.And
        sides = (without_not(exp.Not(this=side.copy())) for side in (below.this, below.expression))
        left, right = (exp.Paren(this=side.copy()) if isinstance(side, (exp.And, exp.Or)) else side for side in sides)
        return exp.Paren(this=other(this=left.copy(), expression=right.copy()))
    return exp.Not(this=below.copy())


def innermost(holder: exp.Expr) -> tuple[exp.Expr, bool] | None:
    """The first subquery that stands in the expression itself, and whether it is a condition under NOT."""
    for part in holder.walk(prune=lambda node: isinstance(node, (exp.Subquery, exp.Exists, exp.Query)) or _is_in(node)):
        if isinstance(part, exp.Exists):
            return part, False
        if _is_in(part):
            return part, isinstance(part.parent, exp.Not)
        if isinstance(part, (exp.Subquery, exp.Query)):
            return part, False
    return None


def _is_in(node: exp.Expr) -> bool:
    return isinstance(node, exp.In) and node.args.get("query") is not None


def not_false(equal: list[exp.EQ]) -> exp.Expr:
    """True unless the values are known to differ."""
    return exp.Coalesce(this=conjunction(equal), expressions=[exp.true()])


def if_(condition: exp.Expr, value: exp.Expr) -> exp.Expr:
    return exp.If(this=condition.copy(), true=value.copy(), false=exp.Null())


def as_planned(expression: exp.Expr) -> exp.Expr:
    """A resolved expression, to stand in one that is yet to be resolved."""
    return exp.Paren(this=expression.copy().transform(lambda p: planned(p.name) if isinstance(p, exp.Column) else p))
