"""Every computed column gets the type that Spark itself gives it.

Idea: a projection or aggregate is compiled over a stub of its child (one row of typed NULLs) and analysed by Spark;
nothing is executed. A union's inputs are cast to the types that Spark unites them in. Types that were found are kept by
the node's meaning, so that a stored definition needs no Spark.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sqlglot import exp

from headwater.algebra.expressions import cast, column
from headwater.algebra.nodes import Aggregate, Column, Generate, Node, Output, Project, Relation, Schema, Union, Window
from headwater.engine.compiler import compile_plan

Analyse = Callable[[str], Schema]
Typings = dict[str, list[str]]
_STUB = "_hw_stub"


def annotate(plan: Node, analyse: Analyse, known: Typings) -> Node:
    """The plan with all types filled in; what had to be analysed is added to `known`."""

    def fill(node: Node) -> Node:
        if isinstance(node, Project):
            return replace(node, outputs=_typed(node, node.outputs, analyse, known))
        if isinstance(node, (Aggregate, Window)):
            return replace(node, calls=_typed(node, node.calls, analyse, known))
        if isinstance(node, Generate):
            return replace(node, columns=_generated(node, analyse, known))
        if isinstance(node, Union):
            return _united(node, analyse, known)
        return node

    return plan.transform(fill)


def _united(node: Union, analyse: Analyse, known: Typings) -> Union:
    """The union of inputs of the same types: a column of INT and DOUBLE is cast below, lest a rule misread it."""
    types = [[item.type for item in each.schema] for each in node.inputs]
    if all(each == types[0] for each in types):
        return node
    if node.fingerprint not in known:
        rows = (f"SELECT {', '.join(map(_null, enumerate(each)))}" for each in types)
        known[node.fingerprint] = [item.type for item in analyse(" UNION ALL ".join(rows))]
    return Union(tuple(_cast(each, known[node.fingerprint]) for each in node.inputs))


def _null(place: tuple[int, str]) -> str:
    return f"CAST(NULL AS {place[1]}) AS c{place[0]}"


def _cast(node: Node, types: list[str]) -> Node:
    if [item.type for item in node.schema] == types:
        return node
    return Project(
        node,
        tuple(
            Output(
                item.name,
                column(item.name) if item.type == kind else cast(column(item.name), kind),
                kind,
            )
            for item, kind in zip(node.schema, types, strict=True)
        ),
    )


def _generated(node: Generate, analyse: Analyse, known: Typings) -> Schema:
    if all(item.type for item in node.columns):
        return node.columns
    if node.fingerprint not in known:
        schema = {item.name.lower(): item.type for item in analyse(over_stub(node))}
        known[node.fingerprint] = [schema[item.name.lower()] for item in node.columns]
    return tuple(Column(item.name, kind) for item, kind in zip(node.columns, known[node.fingerprint], strict=True))


def _typed(
    node: Project | Aggregate | Window, outputs: tuple[Output, ...], analyse: Analyse, known: Typings
) -> tuple[Output, ...]:
    child = {item.name: item.type for item in node.child.schema}
    done = [replace(o, type=child[o.expression.name]) if o.is_column else o for o in outputs]
    if all(output.type for output in done):
        return tuple(done)
    if node.fingerprint not in known:
        schema = {item.name.lower(): item.type for item in analyse(over_stub(node))}
        known[node.fingerprint] = [schema[output.name.lower()] for output in outputs]
    return tuple(replace(o, type=kind) for o, kind in zip(outputs, known[node.fingerprint], strict=True))


def over_stub(node: Project | Aggregate | Window | Generate) -> str:
    """The node's SQL over one row of typed NULLs."""
    stub = Relation(_STUB, node.child.schema)
    nulls = [exp.alias_(cast(exp.Null(), item.type), item.name, quoted=True) for item in stub.columns]
    select = compile_plan(node.with_children(stub), lambda leaf: _STUB)
    row = exp.Select(expressions=nulls or [exp.alias_(exp.Literal.number(1), "_hw_one")])
    made = select.with_(_STUB, as_=row)
    with_ = made.args["with_"]
    with_.set("expressions", [with_.expressions[-1], *with_.expressions[:-1]])  # the steps read the stub
    return made.sql(dialect="spark")
