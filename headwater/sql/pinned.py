"""One answer where SQL allows several: ties are broken, and collections put in order, always in the same way.

    ... ORDER BY price LIMIT 10            ... ORDER BY price, 1, 2, 3 LIMIT 10          (the selected columns)
    ROW_NUMBER() OVER (ORDER BY day)       ROW_NUMBER() OVER (ORDER BY day, id, price)   (the columns that are read)
    COLLECT_LIST(x), COLLECT_SET(x)        SORT_ARRAY(...)
    LISTAGG(x, ',')                        LISTAGG(x, ',') WITHIN GROUP (ORDER BY x)
    FIRST(x), ANY_VALUE(x); LAST(x)        MIN(x); MAX(x)
    MODE(x)                                MODE(x, TRUE)
    MIN_BY(x, y), MAX_BY(x, y)             MIN_BY(x, (y, x))

Idea: a view can be kept, and verified, only if its text has one answer. Each of these texts is replaced by one whose
only answer is among those that the user's text allows; plan, full recompute and verification all read the pinned text.
Invariant: a text that has one answer already is not touched. Rows that tie on all columns that are read are equal
for the query, so the answer as a bag does not depend on their order.
Limits: LAST_VALUE, NTH_VALUE and COLLECT_LIST over a frame of peers have no such text: they are refused by name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sqlglot import exp

from headwater.sql.aggregates import aggregate_calls, is_windowed, whole_call
from headwater.sql.grouping import grouping_sets
from headwater.sql.parse import function_name
from headwater.sql.scope import unsupported

ORDER_FREE = frozenset(("rank", "dense_rank", "percent_rank", "cume_dist"))  # equal for rows that tie
BY_PLACE = frozenset(("row_number", "ntile", "lag", "lead"))  # need an order, have no frame
FRAMED_BY_PLACE = frozenset(("last_value", "last", "nth_value"))
COLLECTED = frozenset(("collect_list", "array_agg"))
FIRST_OF_FRAME = frozenset(("first_value", "first", "any_value")) | COLLECTED


def pinned(query: exp.Query) -> exp.Query:
    """The qualified query with one answer; the query itself where it has one."""
    made = query.copy()
    for select in list(made.find_all(exp.Select)):
        for call in list(_own(select, exp.Window)):
            _pin_window(call, select)
    for function in list(made.find_all(exp.Func)):
        rewrite = AGGREGATES.get(function_name(function))
        if rewrite is not None and not is_windowed(function):
            rewrite(function)
    for part in list(made.find_all(exp.Query)):
        if part.args.get("limit") or part.args.get("offset"):
            _pin_limit(part)
    return made


def _own(select: exp.Select, kind: type[exp.Expr]) -> Iterator[exp.Expr]:
    """The parts of a SELECT that no inner query contains."""
    return (part for part in select.find_all(kind) if part.find_ancestor(exp.Query) is select)


# -- windows


def _pin_window(call: exp.Expr, select: exp.Select) -> None:
    name, order, spec = _called(call), call.args.get("order"), call.args.get("spec")
    if name == "collect_set":
        call.replace(exp.Anonymous(this="SORT_ARRAY", expressions=[call.copy()]))
        return
    if order is None and call.args.get("alias") is None:
        _pin_unordered(call, name, select)
        return
    if name in COLLECTED and not (spec is not None and (spec.args.get("kind") or "").upper() == "ROWS"):
        raise unsupported(f"{name.upper()} over rows that tie in the order", call)
    by_rows = spec is not None and (spec.args.get("kind") or "").upper() == "ROWS" and not _is_whole(spec)
    if name in ORDER_FREE or not (by_rows or name in BY_PLACE | FRAMED_BY_PLACE | FIRST_OF_FRAME):
        return
    if name in FRAMED_BY_PLACE and not by_rows and not (spec is not None and _is_whole(spec)):
        raise unsupported(f"{name.upper()} over rows that tie in the order", call)
    if order is None:
        raise unsupported("A named window whose rows may tie in the order", call)
    _append(order, _tie_breaks(select))


def _pin_unordered(call: exp.Expr, name: str, select: exp.Select) -> None:
    """An order for what depends on one; the frame is the whole partition still."""
    spec = call.args.get("spec")
    if spec is None and name not in FIRST_OF_FRAME | FRAMED_BY_PLACE:
        return
    call.set("order", exp.Order(expressions=[]))
    _append(call.args["order"], _tie_breaks(select))
    if spec is None:
        sides = {"start": "UNBOUNDED", "start_side": "PRECEDING", "end": "UNBOUNDED", "end_side": "FOLLOWING"}
        call.set("spec", exp.WindowSpec(kind="ROWS", **sides))


def _called(call: exp.Expr) -> str:
    function = call.this
    while isinstance(function, (exp.IgnoreNulls, exp.RespectNulls, exp.Filter)):
        function = function.this
    return function_name(function) if isinstance(function, exp.Func) else ""


def _is_whole(spec: exp.Expr) -> bool:
    sides = (spec.args.get("start"), spec.args.get("end"))
    return all(str(side).upper() == "UNBOUNDED" for side in sides)


def _tie_breaks(select: exp.Select) -> list[exp.Expr]:
    """What tells rows apart as far as the SELECT can see: its groups' keys, or the columns that it reads."""
    group = select.args.get("group")
    calls = aggregate_calls(list(select.expressions))
    if group is not None or calls:
        sets = grouping_sets(group, [item.unalias() for item in select.expressions])
        return _different([*(key for keys in sets for key in keys), *calls])
    sources = {name.lower() for name in _source_names(select)}
    columns = [column for item in select.expressions for column in item.find_all(exp.Column)]
    return _different([column for column in columns if column.table.lower() in sources])


def _source_names(select: exp.Select) -> Iterator[str]:
    from_ = select.args.get("from_")
    parts = [*([from_.this] if from_ is not None else []), *(join.this for join in select.args.get("joins") or [])]
    for part in [*parts, *(select.args.get("laterals") or [])]:
        yield part.alias_or_name


def _different(parts: list[exp.Expr]) -> list[exp.Expr]:
    return list(dict.fromkeys(parts))


def _append(order: exp.Expr, terms: list[exp.Expr]) -> None:
    have = {ordered.this for ordered in order.expressions}
    for term in terms:
        if term not in have:
            order.append("expressions", exp.Ordered(this=term.copy(), desc=False, nulls_first=True))


# -- LIMIT


def _pin_limit(query: exp.Expr) -> None:
    """Every selected column, by its position, after the order that the query asks for."""
    selects = query.selects if isinstance(query, exp.Query) else []
    order = query.args.get("order")
    if order is None:
        order = exp.Order(expressions=[])
        query.set("order", order)
    named = {_ordered_name(ordered) for ordered in order.expressions}
    for place, item in enumerate(selects, start=1):
        if item.alias_or_name.lower() not in named:
            term = exp.Literal.number(place)
            order.append("expressions", exp.Ordered(this=term, desc=False, nulls_first=True))


def _ordered_name(ordered: exp.Expr) -> str | None:
    term = ordered.this
    return term.name.lower() if isinstance(term, exp.Column) and not term.table else None


# -- aggregates


def _sorted_array(function: exp.Expr) -> None:
    call = whole_call(function)
    if not (isinstance(call.parent, exp.Func) and function_name(call.parent) in ("sort_array", "array_sort")):
        call.replace(exp.Anonymous(this="SORT_ARRAY", expressions=[call.copy()]))


def _within_group(function: exp.Expr) -> None:
    if isinstance(function.parent, exp.WithinGroup):
        return
    listed = function.expressions[0]
    by = listed.expressions[0] if isinstance(listed, exp.Distinct) else listed
    order = exp.Order(expressions=[exp.Ordered(this=by.copy(), desc=False, nulls_first=True)])
    function.replace(exp.WithinGroup(this=function.copy(), expression=order))


def _extreme(kind: type[exp.Expr]) -> Callable[[exp.Expr], None]:
    def rewrite(function: exp.Expr) -> None:
        call = function
        while isinstance(call.parent, (exp.IgnoreNulls, exp.RespectNulls)):
            call = call.parent
        call.replace(kind(this=_first_argument(function).copy()))

    return rewrite


def _first_argument(function: exp.Expr) -> exp.Expr:
    return function.this if isinstance(function.this, exp.Expr) else function.expressions[0]


def _lowest_mode(function: exp.Expr) -> None:
    if function.expressions and not isinstance(function.parent, exp.WithinGroup) and len(function.expressions) == 1:
        function.append("expressions", exp.true())


def _by_both(function: exp.Expr) -> None:
    value, by, *rest = function.expressions
    both = exp.Struct(expressions=[by.copy(), value.copy()])
    missing = exp.Is(this=exp.Paren(this=by.copy()), expression=exp.Null())
    function.set("expressions", [value, exp.If(this=missing, true=exp.Null(), false=both), *rest])


AGGREGATES: dict[str, Callable[[exp.Expr], None]] = {
    "collect_list": _sorted_array,
    "array_agg": _sorted_array,
    "collect_set": _sorted_array,
    "listagg": _within_group,
    "string_agg": _within_group,
    "first": _extreme(exp.Min),
    "first_value": _extreme(exp.Min),
    "any_value": _extreme(exp.Min),
    "last": _extreme(exp.Max),
    "last_value": _extreme(exp.Max),
    "mode": _lowest_mode,
    "min_by": _by_both,
    "max_by": _by_both,
}
