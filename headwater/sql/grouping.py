"""GROUP BY: keys, GROUPING SETS, ROLLUP, CUBE and the aggregate calls, as one Aggregate.

    rows  ->  keys and arguments computed  ->  (several sets: each row once a set, the keys that the set lacks NULL)
          ->  Aggregate

Idea: keys and arguments are computed below, so that the aggregate itself only names columns. With several grouping sets
the number of the set is one more key, from which GROUPING and GROUPING_ID follow.
A subquery's equality with an outer column becomes one more key: its rows are then found by a join on that key.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, product
from typing import TYPE_CHECKING

from sqlglot import exp

from headwater.algebra.expressions import cast, column, columns_of
from headwater.algebra.nodes import Aggregate, Node, Output, Project, Unfold, plain
from headwater.sql.aggregates import aggregate_calls, over_columns
from headwater.sql.parse import function_name
from headwater.sql.scope import Scope, unsupported

if TYPE_CHECKING:
    from headwater.sql.build import Builder, Ctes

GROUPING_FUNCTIONS = ("grouping", "grouping_id")
Sets = list[tuple[exp.Expr, ...]]


@dataclass(frozen=True)
class Grouped:
    """The scope above GROUP BY, or the one below it when there is none."""

    scope: Scope
    correlation: tuple[exp.Expr, ...]
    is_aggregate: bool = False
    one_row: bool = False  # an aggregate without keys of its own


def grouped(
    builder: Builder, query: exp.Select, scope: Scope, correlation: tuple[exp.Expr, ...], ctes: Ctes
) -> Grouped:
    group, having, order = query.args.get("group"), query.args.get("having"), query.args.get("order")
    listed = [item.unalias() for item in query.expressions]
    asking = [*query.expressions, *([having.this] if having else []), *([order] if order else [])]
    calls = aggregate_calls(asking)
    if group is None and not calls:
        return Grouped(scope, correlation)
    sets = grouping_sets(group, listed)
    return Making(builder, scope, ctes, query).grouped(sets, calls, correlation)


# -- the keys


def grouping_sets(group: exp.Group | None, listed: list[exp.Expr]) -> Sets:
    """The sets of keys to group by: one, unless the query asks for more."""
    if group is None:
        return [()]
    if group.args.get("totals"):
        raise unsupported("WITH TOTALS", group)
    if group.args.get("all") and not group.expressions:
        return [tuple(dict.fromkeys(item for item in listed if not aggregate_calls([item])))]
    factors: list[Sets] = [sets_of(key) for key in group.expressions]
    plain_keys = tuple(key for key in group.expressions if len(sets_of(key)) == 1)
    for kind in ("grouping_sets", "cube", "rollup"):
        for part in group.args.get(kind) or []:
            if part.expressions:
                factors.append(sets_of(part))
            else:  # GROUP BY a, b WITH ROLLUP
                factors = [rollup(plain_keys) if kind == "rollup" else cube(plain_keys)]
    if group.args.get("grouping_sets") and any(isinstance(key, exp.Expr) for key in group.expressions):
        factors = [sets_of(part) for part in group.args["grouping_sets"]]  # GROUP BY a, b GROUPING SETS (...)
    return [tuple(dict.fromkeys(key for part in parts for key in part)) for parts in product(*factors)]


def sets_of(part: exp.Expr) -> Sets:
    if isinstance(part, exp.Rollup):
        return rollup(tuple(part.expressions))
    if isinstance(part, exp.Cube):
        return cube(tuple(part.expressions))
    if isinstance(part, exp.GroupingSets):
        return [one for each in part.expressions for one in sets_of(each)]
    return [keys_in(part)]


def keys_in(part: exp.Expr) -> tuple[exp.Expr, ...]:
    if isinstance(part, exp.Tuple):
        return tuple(part.expressions)
    return (part.this,) if isinstance(part, exp.Paren) else (part,)


def rollup(keys: tuple[exp.Expr, ...]) -> Sets:
    units = [keys_in(key) for key in keys]
    return [tuple(key for unit in units[:count] for key in unit) for count in range(len(units), -1, -1)]


def cube(keys: tuple[exp.Expr, ...]) -> Sets:
    units = [keys_in(key) for key in keys]
    chosen = (each for count in range(len(units), -1, -1) for each in combinations(units, count))
    return [tuple(key for unit in each for key in unit) for each in chosen]


# -- the aggregate


class Making:
    """One GROUP BY on its way: what is computed below it so far."""

    def __init__(self, builder: Builder, scope: Scope, ctes: Ctes, query: exp.Select) -> None:
        self.builder = builder
        self.query = query
        self.scope = scope
        self.ctes = ctes
        self.below: dict[exp.Expr, str] = {}

    def computed(self, expression: exp.Expr, wish: str) -> str:
        """The column below the aggregate that an expression over the input becomes."""
        self.scope, lifted = self.builder.subqueries.lifted(self.scope, expression, self.ctes)
        return self.resolved(self.scope.resolve(lifted), wish)

    def resolved(self, expression: exp.Expr, wish: str) -> str:
        if expression not in self.below:
            is_column = isinstance(expression, exp.Column)
            self.below[expression] = expression.name if is_column else self.builder.names.fresh(wish)
        return self.below[expression]

    def grouped(self, sets: Sets, calls: list[exp.Expr], correlation: tuple[exp.Expr, ...]) -> Grouped:
        written = list(dict.fromkeys(key for keys in sets for key in keys))
        keys = {key: self.computed(key, key.name if isinstance(key, exp.Column) else "key") for key in written}
        outer_keys, moved = self.correlated(correlation)
        asked = [call for call in calls if function_name_of(call) not in GROUPING_FUNCTIONS]
        over = {call: over_columns(call, self.computed) for call in asked}
        outputs = {call: Output(self.builder.names.fresh("agg"), expression) for call, expression in over.items()}
        node: Node = Project(self.scope.node, tuple(Output(name, each) for each, name in self.below.items()))
        told: dict[exp.Expr, str] = {}
        if len(sets) == 1:
            shown, every = keys, list(keys.values())
        else:
            node, shown, number = self.unfolded(node, sets, keys)
            every = [*shown.values(), number]
            told = {call: number for call in calls if call not in over}
        by = tuple(dict.fromkeys((*every, *outer_keys)))
        node = Aggregate(node, by, tuple(outputs.values())) if by or outputs else self.one_group(node)
        found = {**shown, **{call: output.name for call, output in outputs.items()}}
        node, levels = self.levels(node, told, sets, written)
        scope = Scope(node, {}, {**found, **levels}, self.scope.outer, grouped=True)
        return Grouped(scope, moved, True, one_row=not every)

    def one_group(self, node: Node) -> Node:
        """GROUP BY () asking for nothing: its one row."""
        return Aggregate(node, (), (Output(self.builder.names.fresh("agg"), exp.Count(this=exp.Star())),))

    def correlated(self, correlation: tuple[exp.Expr, ...]) -> tuple[list[str], tuple[exp.Expr, ...]]:
        """Equalities with an outer query become keys; other conditions cannot be told after grouping."""
        keys, moved = [], []
        for part in correlation:
            sides = inner_and_outer(part, set(self.scope.node.names))
            if sides is None:
                raise unsupported("A subquery that is correlated by other conditions than equality", self.query)
            key = self.resolved(sides[0], "key")
            keys.append(key)
            moved.append(exp.EQ(this=column(key), expression=sides[1]))
        self.builder.group_keys.update(keys)
        return keys, tuple(moved)

    def unfolded(self, node: Node, sets: Sets, keys: dict[exp.Expr, str]) -> tuple[Node, dict[exp.Expr, str], str]:
        """Each row once for every set, with NULL in the keys that the set lacks."""
        number = self.builder.names.fresh("grouping_set")
        node = Unfold(node, number, tuple(range(len(sets))))
        outputs, shown = [], {}
        for key, name in keys.items():
            shown[key] = self.builder.names.fresh(name)
            outputs.append(Output(shown[key], where_in_set(number, sets, key, column(name), exp.Null())))
        return Project(node, (*plain(node.names), *outputs)), shown, number

    def levels(
        self, node: Node, told: dict[exp.Expr, str], sets: Sets, written: list[exp.Expr]
    ) -> tuple[Node, dict[exp.Expr, str]]:
        """GROUPING and GROUPING_ID as columns, from the number of the set."""
        found = {}
        outputs = []
        for call, number in told.items():
            asked = [key for each in arguments(call) for key in keys_in(each)] or written
            unknown = next((each for each in asked if each not in written), None)
            if unknown is not None:
                raise unsupported("GROUPING of what is not grouped", call)
            bits: exp.Expr | None = None
            for key in asked:
                bit = where_in_set(number, sets, key, zero(), exp.Literal.number(1))
                doubled = bits and exp.Mul(this=exp.Paren(this=bits), expression=exp.Literal.number(2))
                bits = exp.Add(this=doubled, expression=bit) if doubled is not None else bit
            kind = "tinyint" if function_name_of(call) == "grouping" else "bigint"
            found[call] = self.builder.names.fresh("grouping")
            outputs.append(Output(found[call], cast(bits or zero(), kind)))
        return (Project(node, (*plain(node.names), *outputs)) if outputs else node), found


def zero() -> exp.Expr:
    return exp.Literal.number(0)


def where_in_set(number: str, sets: Sets, key: exp.Expr, inside: exp.Expr, outside: exp.Expr) -> exp.Expr:
    """One value where the row's set has the key, another where it lacks it."""
    having = [exp.Literal.number(place) for place, keys in enumerate(sets) if key in keys]
    if len(having) == len(sets):
        return inside
    return exp.If(this=exp.In(this=column(number), expressions=having), true=inside, false=outside)


def arguments(call: exp.Expr) -> list[exp.Expr]:
    listed = [call.this] if isinstance(call.this, exp.Expr) else []
    return [*listed, *call.expressions]


def function_name_of(call: exp.Expr) -> str:
    return function_name(call) if isinstance(call, exp.Func) else ""


def inner_and_outer(part: exp.Expr, inner: set[str]) -> tuple[exp.Expr, exp.Expr] | None:
    """The sides of an equality between this query's columns and others' alone."""
    if not isinstance(part, exp.EQ):
        return None
    for own, other in ((part.this, part.expression), (part.expression, part.this)):
        if columns_of(own) and columns_of(own) <= inner and columns_of(other) and not columns_of(other) & inner:
            return own.copy(), other.copy()
    return None
