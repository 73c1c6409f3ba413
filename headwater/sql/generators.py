"""Functions that make rows: LATERAL VIEW, lateral functions, EXPLODE in a select list, and VALUES.

Limits: how many columns a generator makes must be told by its name, its arguments or the aliases that the query gives.
"""

from __future__ import annotations

from sqlglot import exp

from headwater.algebra.expressions import column
from headwater.algebra.nodes import Column, Generate, Node, Output, Project, Schema, Single
from headwater.sql.functions import ROW_MAKERS
from headwater.sql.parse import function_name
from headwater.sql.scope import Names, Scope, unsupported

DEFAULT_NAMES = {
    "explode": ("col",),
    "explode_outer": ("col",),
    "posexplode": ("pos", "col"),
    "posexplode_outer": ("pos", "col"),
}
REFUSED = ("window", "session_window", "window_time", "json_tuple", "variant_explode", "variant_explode_outer")


def generated(scope: Scope, lateral: exp.Lateral, names: Names, outer: bool = False) -> Scope:
    """The scope's rows, each with what a lateral function makes of it."""
    function = lateral.this
    alias = lateral.args.get("alias")
    listed = tuple(item.name for item in (alias.args.get("columns") or [])) if alias is not None else ()
    table = alias.name.lower() if alias is not None else ""
    made = listed or default_names(function)
    node, given = generate(scope, function, made, names, outer or bool(lateral.args.get("outer")))
    columns = {(table, old.lower()): new for old, new in zip(made, given, strict=True)}
    return Scope(node, {**scope.columns, **columns}, scope.computed, scope.outer, scope.grouped)


def in_select_list(
    scope: Scope, items: list[tuple[str, exp.Expr]], names: Names
) -> tuple[Scope, list[tuple[str, exp.Expr]]]:
    """The items with a generator among them replaced by the columns that it makes."""
    listed: list[tuple[str, exp.Expr]] = []
    for name, expression in items:
        aliases: tuple[str, ...] = ()
        if isinstance(expression, exp.Aliases):
            aliases = tuple(item.name for item in expression.args["expressions"])
            expression = expression.this
        if not is_generator(expression):
            listed.append((name, expression))
            continue
        made = aliases or default_names(expression)
        node, given = generate(scope, expression, made, names, False)
        shown = (name,) if len(made) == 1 and name and not aliases else made
        for old, new in zip(shown, given, strict=True):
            marker = exp.Column(this=exp.to_identifier(new, quoted=True), table=exp.to_identifier("_hw_generated"))
            scope = scope.knowing(node, {marker: new})
            listed.append((old, marker))
    return scope, listed


def is_generator(expression: exp.Expr) -> bool:
    return isinstance(expression, exp.Func) and function_name(expression) in ROW_MAKERS


def generate(
    scope: Scope, function: exp.Expr, made: tuple[str, ...], names: Names, outer: bool
) -> tuple[Node, list[str]]:
    if not is_generator(function) or function_name(function) in REFUSED:
        raise unsupported(f"The table function {function.sql(dialect='spark')}", function)
    over = function.copy()
    for part, value in function.args.items():  # the function itself may stand here, its arguments are plain
        if isinstance(value, exp.Expr):
            over.set(part, scope.resolve(value))
        elif isinstance(value, list):
            over.set(part, [scope.resolve(each) if isinstance(each, exp.Expr) else each for each in value])
    given = [names.fresh(name.lower(), f"made_{name.lower()}") for name in made]
    columns: Schema = tuple(Column(name, "") for name in given)
    return Generate(scope.node, over, columns, outer), given


def default_names(function: exp.Expr) -> tuple[str, ...]:
    name = function_name(function) if isinstance(function, exp.Func) else ""
    if name in DEFAULT_NAMES:
        return DEFAULT_NAMES[name]
    if name == "stack" and isinstance(function.expressions[0], exp.Literal):
        rows = int(function.expressions[0].name)
        return tuple(f"col{n}" for n in range(-(-(len(function.expressions) - 1) // rows)))
    raise unsupported(f"{name.upper() or function.key} without names for its columns", function)


def values_rows(source: exp.Values, names: Names) -> Node:
    """VALUES: the rows of an array of structs, made of nothing."""
    rows = [tuple(row.expressions) if isinstance(row, exp.Tuple) else (row,) for row in source.expressions]
    if any(part.find(exp.Column, exp.Query) for row in rows for part in row):
        raise unsupported("VALUES of other than constants", source)
    columns = [names.fresh(f"col{place + 1}") for place in range(len(rows[0]))]
    structs = [
        exp.Struct(
            expressions=[
                exp.PropertyEQ(this=exp.to_identifier(name, quoted=True), expression=value.copy())
                for name, value in zip(columns, row, strict=True)
            ]
        )
        for row in rows
    ]
    inline = exp.Inline(this=exp.Array(expressions=structs))
    node = Generate(Single(), inline, tuple(Column(name, "") for name in columns))
    return Project(node, tuple(Output(f"col{place + 1}", column(name)) for place, name in enumerate(columns)))
