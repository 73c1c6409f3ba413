"""Window functions, with the order of NULLs and the frame spelled out.

Spark puts NULLs first in an ascending order and last in a descending one, and frames an ordered window up to the peers
of the current row; both are written down. Sums and averages of doubles are left out: over frames, DuckDB adds them up
in another order than Spark does.
"""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from headwater.engine.local.aggregates import same_zero
from headwater.engine.local.casts import converted, plain
from headwater.engine.local.kinds import FRACTIONS
from headwater.engine.local.writing import Typed, Writer, arguments, key_of, refuse

RANKS = {"rank": "int", "dense_rank": "int", "row_number": "int", "percent_rank": "double", "cume_dist": "double"}
FRAMED = (exp.Sum, exp.Count, exp.Avg, exp.Min, exp.Max)


def window(write: Writer, at: exp.Expr) -> Typed:
    """function OVER (PARTITION BY ... ORDER BY ... frame)."""
    function = at.this
    if isinstance(function, (exp.IgnoreNulls, exp.RespectNulls, exp.Filter)) or at.args.get("alias"):
        raise refuse(at, "with these options")
    operands: list[exp.Expr] = []
    parts = [*_partition(write, at, operands), *_order(write, at, operands)]
    if isinstance(function, FRAMED):
        parts.append(_frame(at))
    elif at.args.get("spec") is not None:
        raise refuse(at, "a frame")
    over = replace(write, over=f" OVER ({' '.join(parts)})", window=tuple(operands))
    if isinstance(function, FRAMED):
        return _aggregate(over, function, at)
    return _function(over, function, at)


def _aggregate(over: Writer, function: exp.Expr, at: exp.Expr) -> Typed:
    made = over(function)
    if isinstance(function.this, exp.Distinct):
        raise refuse(at, "DISTINCT")
    if made.type in FRACTIONS and isinstance(function, (exp.Sum, exp.Avg)):
        raise refuse(at, "its last bits depend on the order of addition")
    return made


def _function(over: Writer, function: exp.Expr, at: exp.Expr) -> Typed:
    name = _name(function)
    if name in RANKS and not arguments(function):
        return plain(over.aggregate(f"{name}()", RANKS[name]), RANKS[name])
    if name in ("lag", "lead"):
        return _shifted(over, function, name, at)
    if name == "ntile":
        (part,) = (replace(over, over="", window=())(each) for each in arguments(function))
        if part.literal is None or part.literal < 1:
            raise refuse(at, "the number of buckets must be a literal")
        return plain(over.aggregate("ntile({0})", "", part), "int")
    raise refuse(at, "this function over a window")


def _name(function: exp.Expr) -> str:
    key = key_of(function)
    return key if isinstance(key, str) else key.sql_name().lower()  # type: ignore[attr-defined]


def _shifted(over: Writer, function: exp.Expr, name: str, at: exp.Expr) -> Typed:
    given = arguments(function)
    if isinstance(function, (exp.Lag, exp.Lead)):
        given = [each for each in (function.this, function.args.get("offset"), function.args.get("default")) if each]
    parts = [over(each) for each in given]
    if not 1 <= len(parts) <= 3 or (len(parts) > 1 and (parts[1].literal is None or parts[1].literal < 0)):
        raise refuse(at, "the offset must be a literal")
    if len(parts) == 3:
        parts[2] = converted(parts[2], parts[0].type, at)
    places = ", ".join(f"{{{i}}}" for i in range(len(parts)))
    return over.aggregate(f"{name}({places})", parts[0].type, *parts)


def _place(part: Typed, operands: list[exp.Expr]) -> str:
    operands.append(part.sql)
    return f"{{w{len(operands) - 1}}}"


def _partition(write: Writer, at: exp.Expr, operands: list[exp.Expr]) -> list[str]:
    keys = at.args.get("partition_by") or []
    return ["PARTITION BY " + ", ".join(_place(same_zero(write(key)), operands) for key in keys)] if keys else []


def _order(write: Writer, at: exp.Expr, operands: list[exp.Expr]) -> list[str]:
    order = at.args.get("order")
    return ["ORDER BY " + ", ".join(ordered(write, each, operands) for each in order.expressions)] if order else []


def ordered(write: Writer, key: exp.Expr, operands: list[exp.Expr]) -> str:
    """One key of an ORDER BY."""
    if not isinstance(key, exp.Ordered):
        key = exp.Ordered(this=key)
    descending = bool(key.args.get("desc"))
    first = key.args.get("nulls_first")
    first = not descending if first is None else first
    direction = f"{'DESC' if descending else 'ASC'} NULLS {'FIRST' if first else 'LAST'}"
    return f"{_place(write(key.this), operands)} {direction}"


def _frame(at: exp.Expr) -> str:
    spec = at.args.get("spec")
    if spec is None:
        return ""
    kind = str(spec.args.get("kind")).upper()
    if spec.args.get("exclude") or kind not in ("ROWS", "RANGE"):
        raise refuse(at, "this frame")
    start, end = (_edge(spec.args.get(side), spec.args.get(f"{side}_side"), at, kind) for side in ("start", "end"))
    return f"{kind} BETWEEN {start} AND {end}"


def _edge(bound: object, side: str | None, at: exp.Expr, kind: str) -> str:
    if bound is None or bound == "CURRENT ROW":
        return "CURRENT ROW"
    if bound == "UNBOUNDED":
        return f"UNBOUNDED {side}"
    if isinstance(bound, exp.Literal) and bound.name.isdigit() and kind == "ROWS":
        return f"{bound.name} {side}"
    raise refuse(at, "this frame")
