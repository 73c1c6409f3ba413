"""A plan as DuckDB's SQL: the one compiler's statement over expressions that have been written for DuckDB.

Idea: every expression of the plan is replaced by what the parity table makes of it, node by node, with the types of the
columns below at hand; then the compiler composes the statement as it does for Spark. What remains is structure: names,
SELECT, joins, groups, and these few are rewritten here (semi joins, exploded arrays).
Invariant: a node's columns have the types that Spark gave them; where a rule would type one otherwise, the plan is
refused. Fractions are grouped with one zero, as Spark groups them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import singledispatch

import sqlglot
from sqlglot import exp

from headwater.algebra.expressions import column
from headwater.algebra.nodes import (
    Aggregate,
    Column,
    Distinct,
    Filter,
    Generate,
    Join,
    Node,
    Output,
    Project,
    Relation,
    Repeat,
    Scan,
    Schema,
    Single,
    TopK,
    Unfold,
    Union,
    Window,
)
from headwater.engine.compiler import compile_plan
from headwater.engine.local import generators, parity, windows
from headwater.engine.local.aggregates import same_zero
from headwater.engine.local.casts import converted
from headwater.engine.local.conditions import predicate
from headwater.engine.local.kinds import FRACTIONS, VOID, duckdb_type
from headwater.engine.local.writing import Typed, Writer, refuse
from headwater.engine.local.written import LaneSql, Written, written
from headwater.errors import HeadwaterError

LeafName = Callable[[Scan | Relation], str]


def duckdb_sql(plan: Node, leaf_name: LeafName) -> str:
    """The statement that evaluates a plan; `lane.*` errors say why there is none."""
    compiled = compile_plan(localized(plan), leaf_name, hints=False)
    return restructured(compiled).sql(dialect=LaneSql)


@singledispatch
def localized(node: Node) -> Node:
    """The node with its expressions in DuckDB's words and the same schema."""
    raise HeadwaterError("lane.node", node=node.label)


@localized.register(Scan)
@localized.register(Relation)
def _leaf(node: Scan | Relation) -> Node:
    for item in node.schema:
        _held(item.type)
    return node


@localized.register
def _filter(node: Filter) -> Node:
    child = localized(node.child)
    return Filter(child, predicate(parity.writer(_types(child.schema)), node.predicate).sql)


@localized.register
def _project(node: Project) -> Node:
    child = localized(node.child)
    return Project(child, tuple(_output(each, _types(child.schema)) for each in node.outputs))


@localized.register
def _join(node: Join) -> Node:
    left, right = localized(node.left), localized(node.right)
    if node.condition is None:
        return Join(left, right, node.kind)
    write = parity.writer(_types((*left.schema, *right.schema)))
    return Join(left, right, node.kind, predicate(write, node.condition).sql)


@localized.register
def _aggregate(node: Aggregate) -> Node:
    child = _grouped(localized(node.child), node.keys)
    return Aggregate(child, node.keys, tuple(_output(each, _types(child.schema)) for each in node.calls))


@localized.register
def _distinct(node: Distinct) -> Node:
    return Distinct(_grouped(localized(node.child), node.child.names))


@localized.register
def _union(node: Union) -> Node:
    inputs = tuple(localized(each) for each in node.inputs)
    for each in inputs[1:]:
        for item, first in zip(each.schema, inputs[0].schema, strict=True):
            if item.type != first.type:
                raise HeadwaterError("lane.node", node=f"Union of {first.type} and {item.type}")
    return Union(inputs)


@localized.register
def _single(node: Single) -> Node:
    return node


@localized.register
def _window(node: Window) -> Node:
    child = localized(node.child)
    return Window(child, node.keys, tuple(_output(each, _types(child.schema)) for each in node.calls))


@localized.register
def _top_k(node: TopK) -> Node:
    child = _grouped(localized(node.child), node.keys)
    write = parity.writer(_types(child.schema))
    return replace(node, child=child, order=tuple(_ordered(write, term) for term in node.order))


def _ordered(write: Writer, term: exp.Expr) -> exp.Expr:
    operands: list[exp.Expr] = []
    text = windows.ordered(write, term, operands)
    return written(text, window=tuple(operands))


@localized.register
def _generate(node: Generate) -> Node:
    child = localized(node.child)
    made, kind = generators.write(parity.writer(_types(child.schema)), node)
    _held(kind)
    return replace(node, child=child, generator=made, columns=(Column(node.columns[0].name, kind),))


@localized.register(Repeat)
@localized.register(Unfold)
def _structural(node: Repeat | Unfold) -> Node:
    return replace(node, child=localized(node.child))


def _grouped(child: Node, keys: tuple[str, ...]) -> Node:
    """The child with one zero in every group key that is a fraction."""
    fractions = {name for name in keys if child.type_of(name) in FRACTIONS}
    if not fractions:
        return child
    outputs = (
        Output(item.name, same_zero(Typed(column(item.name), item.type)).sql, item.type)
        if item.name in fractions
        else Output(item.name, column(item.name))
        for item in child.schema
    )
    return Project(child, tuple(outputs))


def _output(output: Output, types: Mapping[str, str]) -> Output:
    made = parity.write(output.expression, types)
    if made.type == VOID and output.type not in ("", VOID):
        made = converted(made, output.type, output.expression)
    if made.type == VOID:
        return Output(output.name, converted(made, "int", output.expression).sql, VOID)
    if output.type and made.type != output.type:
        raise refuse(output.expression, f"Spark types it {output.type}, the lane {made.type}")
    _held(made.type)
    return Output(output.name, made.sql, made.type)


def _held(kind: str) -> None:
    if kind != VOID and duckdb_type(kind) is None:
        raise HeadwaterError("lane.type", type=kind or "unknown")


def _types(schema: Schema) -> dict[str, str]:
    return {item.name: item.type for item in schema}


# -- structure

_COPIES = sqlglot.parse_one(
    "SELECT 1 FROM x CROSS JOIN LATERAL "
    '(SELECT UNNEST(RANGE(CAST(ABS("_hw_weight") AS BIGINT))) AS "_hw_copy") AS "_hw_copies"',
    read="duckdb",
).args["joins"][0]


def restructured(statement: exp.Expr) -> exp.Expr:
    """What the compiler writes for Spark alone, in DuckDB's words."""
    for join in statement.find_all(exp.Join):
        if join.kind in ("SEMI", "ANTI"):
            join.set("side", None)
    for lateral in list(statement.find_all(exp.Lateral)):
        select = lateral.parent
        if select is None or "laterals" not in select.args or not isinstance(lateral.this, (exp.Explode, Written)):
            continue
        select.set("laterals", None)
        select.append("joins", _exploded(lateral))
    return statement


def _exploded(lateral: exp.Lateral) -> exp.Join:
    """Only `Repeat` and `Unfold` explode arrays; what `Generate` makes is written already."""
    if isinstance(lateral.this, Written):
        named = lateral.args["alias"].copy()
        return exp.Join(this=exp.Lateral(this=lateral.this.copy(), alias=named), kind="CROSS")
    array = lateral.this.this
    if not isinstance(array, exp.Array):
        return _COPIES.copy()
    name = lateral.args["alias"].columns[0].name
    rows = ", ".join(f"({each.name})" for each in array.expressions)
    source = written(f'(VALUES {rows}) AS "_hw_copies"("{name}")')
    return exp.Join(this=source, kind="CROSS")
