"""Window functions: one Window node for every way of partitioning.

Idea: the partition's columns are computed below, so that a touched partition can be found by key; the rest of the call
stays an expression over the columns of the input.
"""

from __future__ import annotations

from sqlglot import exp

from headwater.algebra.nodes import Node, Output, Project, Window, plain
from headwater.sql.aggregates import BELONGS
from headwater.sql.scope import Names, Scope, unsupported


def windowed(scope: Scope, expressions: list[exp.Expr], query: exp.Select, names: Names) -> Scope:
    """The scope with every window call of the expressions computed."""
    calls = list(dict.fromkeys(call for each in expressions for call in window_calls(each)))
    if not calls:
        return scope
    specs = {item.name.lower(): item for item in query.args.get("windows") or []}
    by_keys: dict[tuple[str, ...], dict[exp.Expr, exp.Expr]] = {}
    node: Node = scope.node
    for call in calls:
        resolved = resolved_call(scope, spelled_out(call, specs))
        node, keys = partition_keys(node, resolved, names)
        by_keys.setdefault(tuple(sorted(keys)), {})[call] = resolved
    computed: dict[exp.Expr, str] = {}
    for keys, made in by_keys.items():
        outputs = {call: Output(names.fresh("window"), expression) for call, expression in made.items()}
        node = Window(node, keys, tuple(outputs.values()))
        computed |= {call: output.name for call, output in outputs.items()}
    return scope.knowing(node, computed)


def window_calls(expression: exp.Expr) -> list[exp.Window]:
    query = expression.find_ancestor(exp.Query)
    return [call for call in expression.find_all(exp.Window) if call.find_ancestor(exp.Query) is query]


def spelled_out(call: exp.Expr, specs: dict[str, exp.Expr]) -> exp.Expr:
    """The call with the window that it names in its place."""
    named = call.args.get("alias")
    if named is None:
        return call
    spec = specs.get(named.name.lower())
    if spec is None:
        raise unsupported(f"The window {named.name}", call)
    made = spec.copy()
    made.set("this", call.this.copy())
    made.set("alias", None)
    return spelled_out(made, specs) if spec.args.get("alias") else made


def resolved_call(scope: Scope, call: exp.Expr) -> exp.Expr:
    """The call over plan names; its own function stays, even where an aggregate of that name is computed."""
    made = call.copy()
    for part, value in call.args.items():
        if isinstance(value, exp.Expr):
            own = part == "this" and isinstance(call, (exp.Window, *BELONGS))
            made.set(part, resolved_call(scope, value) if own else scope.resolve(value))
        elif isinstance(value, list):
            made.set(part, [scope.resolve(each) if isinstance(each, exp.Expr) else each for each in value])
    return made


def partition_keys(node: Node, call: exp.Expr, names: Names) -> tuple[Node, tuple[str, ...]]:
    """The partition's columns; expressions are computed below and replaced in the call."""
    keys = []
    for place, part in enumerate(list(call.args.get("partition_by") or [])):
        if not isinstance(part, exp.Column):
            name = names.fresh("partition")
            node = Project(node, (*plain(node.names), Output(name, part.copy())))
            part = exp.Column(this=exp.to_identifier(name, quoted=True))
            call.args["partition_by"][place] = part
        keys.append(part.name)
    return node, tuple(dict.fromkeys(keys))
