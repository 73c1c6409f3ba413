"""Comparisons, three-valued logic, CASE and its relatives.

Both engines agree on NULL, on NaN (equal to itself, greater than any number), on -0.0 = 0.0 and on the order of texts
by their bytes; what differs is which type two operands meet in. A text meets a date only where it is a literal.
"""

from __future__ import annotations

from dataclasses import replace
from functools import reduce

from sqlglot import exp

from headwater.algebra.expressions import conjuncts, disjuncts
from headwater.engine.local import kinds
from headwater.engine.local.arithmetic import operand_kinds
from headwater.engine.local.casts import converted, literal_time
from headwater.engine.local.writing import Typed, Writer, arguments, first, form, infix, refuse
from headwater.engine.local.written import written

FEW_PARTS = 32  # of a chain of AND or OR

COMPARED: dict[type[exp.Expr], str] = {
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
    exp.NullSafeEQ: "IS NOT DISTINCT FROM",
    exp.NullSafeNEQ: "IS DISTINCT FROM",
}


def met(parts: list[Typed], at: exp.Expr) -> list[Typed]:
    """Parts in the one type that CASE, IN and the like bring them to."""
    write = Writer({}, {})
    parts = _dated(parts)
    kind = write.common(parts, at)
    return [converted(part, kind, at) for part in parts]


def _dated(parts: list[Typed]) -> list[Typed]:
    """Literals of text beside dates are dates."""
    times = [part.type for part in parts if part.type in kinds.TIMES]
    if not times:
        return parts
    return [(literal_time(p.constant, times[0]) or p) if p.constant is not None else p for p in parts]


def equal(a: Typed, b: Typed, at: exp.Expr, operator: str = "=") -> Typed:
    """A comparison of two operands, in the type that Spark compares them in."""
    a, b = _dated([a, b])
    if kinds.is_numeric(a.type) and kinds.is_numeric(b.type):
        left, right = operand_kinds(a, b, at)
        both = kinds.wider(left, right)
        if both is None:
            raise refuse(at, f"{left} meets {right}")
    else:
        both = Writer({}, {}).common([a, b], at)
    if both == kinds.VOID:
        both = "int"
    return infix(operator, "boolean", converted(a, both, at), converted(b, both, at), total=True)


def compare(write: Writer, both: exp.Expr) -> Typed:
    if isinstance(both.this, exp.Tuple) or isinstance(both.expression, (exp.Tuple, exp.Any, exp.All, exp.Query)):
        raise refuse(both, "a comparison of lists")
    return equal(write(both.this), write(both.expression), both, COMPARED[type(both)])


def equal_null(write: Writer, call: exp.Expr) -> Typed:
    a, b = write.all(call, 2)
    return equal(a, b, call, "IS NOT DISTINCT FROM")


def between(write: Writer, call: exp.Expr) -> Typed:
    if call.args.get("symmetric"):
        raise refuse(call, "SYMMETRIC")
    value = write(call.this)
    low = equal(value, write(call.args["low"]), call, ">=")
    high = equal(value, write(call.args["high"]), call, "<=")
    return first(form("({0} AND {1})", "boolean", low, high, total=True), value)


def is_in(write: Writer, call: exp.Expr) -> Typed:
    listed = call.expressions
    if not listed or call.args.get("query") or call.args.get("unnest"):
        raise refuse(call, "IN over anything but a list")
    value, *options = met([write(call.this), *(write(each) for each in listed)], call)
    places = ", ".join(f"{{{i + 1}}}" for i in range(len(options)))
    return first(form(f"({{0}} IN ({places}))", "boolean", value, *options, total=True), *options)


# -- logic


def _truth(write: Writer, part: exp.Expr, at: exp.Expr) -> Typed:
    found = write(part)
    if found.type == kinds.VOID:
        return converted(found, "boolean", at)
    if found.type != "boolean":
        raise refuse(at, f"a condition of type {found.type}")
    return found


def predicate(write: Writer, condition: exp.Expr) -> Typed:
    """What rows are kept by, in no order: neither engine promises one, and a join needs its equalities bare."""
    parts = [_truth(write, part, condition) for part in conjuncts(condition)]
    return reduce(lambda made, part: infix("AND", "boolean", made, part, total=True), parts)


def both_hold(write: Writer, both: exp.Expr) -> Typed:
    return _in_order(write, both, "AND")


def either_holds(write: Writer, both: exp.Expr) -> Typed:
    return _in_order(write, both, "OR")


def _in_order(write: Writer, both: exp.Expr, word: str) -> Typed:
    """Spark evaluates a part unless those before it decide; DuckDB also leaves out what is decided by those after.

    Where no part can fail, the order does not matter, and a chain of many is written as one: each level of nesting
    would copy and descend all below it.
    """
    parts = [_truth(write, part, both) for part in (conjuncts(both) if word == "AND" else disjuncts(both))]
    if not any(part.fails for part in parts):
        joined = f" {word} ".join(f"{{{place}}}" for place in range(len(parts)))
        return form(f"({joined})", "boolean", *parts, total=True)
    if len(parts) > FEW_PARTS:
        raise refuse(both, f"{len(parts)} parts of which some may fail")
    made = parts.pop()
    for part in reversed(parts):
        made = first(infix(word, "boolean", part, made, total=True), part)
    return made


def negation(write: Writer, call: exp.Expr) -> Typed:
    return form("(NOT {0})", "boolean", _truth(write, call.this, call), total=True)


def is_(write: Writer, call: exp.Expr) -> Typed:
    part = write(call.this)
    if isinstance(call.expression, exp.Null):
        return _presence("({0} IS NULL)", part)
    if isinstance(call.expression, exp.Boolean) and part.type == "boolean":
        word = "TRUE" if call.expression.this else "FALSE"
        return form(f"({{0}} IS NOT DISTINCT FROM {word})", "boolean", part, total=True)
    raise refuse(call, "IS over this")


def is_null(write: Writer, call: exp.Expr) -> Typed:
    (part,) = write.all(call, 1)
    return _presence("({0} IS NULL)", part)


def is_not_null(write: Writer, call: exp.Expr) -> Typed:
    (part,) = write.all(call, 1)
    return _presence("({0} IS NOT NULL)", part)


def _presence(template: str, part: Typed) -> Typed:
    """DuckDB does not compute a sum of columns without NULLs to find out that it is none."""
    return first(form(template, "boolean", part, total=True), part)


# -- choices


def case(write: Writer, call: exp.Expr) -> Typed:
    subject = write(call.this) if call.this is not None else None
    tests = []
    for branch in call.args["ifs"]:
        tests.append(equal(subject, write(branch.this), call) if subject else _truth(write, branch.this, call))
    default = call.args.get("default")
    results = [write(branch.args["true"]) for branch in call.args["ifs"]]
    return choice(tests, [*results, write(default) if default is not None else null()], call)


def if_(write: Writer, call: exp.Expr) -> Typed:
    otherwise = call.args.get("false")
    results = [write(call.args["true"]), write(otherwise) if otherwise is not None else null()]
    return choice([_truth(write, call.this, call)], results, call)


def choice(tests: list[Typed], results: list[Typed], at: exp.Expr) -> Typed:
    """The first result whose test holds; the last one where none does."""
    results = met(results, at)
    kind = results[0].type
    if kind == kinds.VOID:
        raise refuse(at, "a choice between NULLs")
    made = exp.Case(
        ifs=[exp.If(this=test.sql, true=result.sql) for test, result in zip(tests, results, strict=False)],
        default=results[-1].sql,
    )
    parts = (*tests, *results)
    return Typed(exp.Paren(this=made), kind, fails=any(p.fails for p in parts), null=any(p.null for p in parts))


def null(write: Writer | None = None, call: exp.Expr | None = None) -> Typed:
    return Typed(written("NULL"), kinds.VOID, fails=False, null=True)


def raised(write: Writer, call: exp.Expr) -> Typed:
    (message,) = write.all(call, 1)
    if message.constant is None:
        raise refuse(call, "the message must be a literal")
    return replace(form("error({0})", kinds.VOID, message), raises=True)


def boolean(write: Writer, call: exp.Expr) -> Typed:
    return Typed(written("TRUE" if call.this else "FALSE"), "boolean", fails=False)


def coalesce(write: Writer, call: exp.Expr) -> Typed:
    return _over_all("coalesce", write, call)


def greatest(write: Writer, call: exp.Expr) -> Typed:
    return _over_all("greatest", write, call)


def least(write: Writer, call: exp.Expr) -> Typed:
    return _over_all("least", write, call)


def _over_all(function: str, write: Writer, call: exp.Expr) -> Typed:
    parts = met([write(each) for each in arguments(call)], call)
    if parts[0].type == kinds.VOID or len(parts) > 9:
        raise refuse(call, "of nothing but NULLs, or of more than nine")
    places = ", ".join(f"{{{i}}}" for i in range(len(parts)))
    made = written(f"{function}({places})", *(part.sql for part in parts))
    return Typed(made, parts[0].type, fails=any(p.fails for p in parts), null=any(p.null for p in parts))


def null_if(write: Writer, call: exp.Expr) -> Typed:
    a, b = write.all(call, 2)
    return choice([equal(a, b, call)], [null(), a], call)


def second_if_not_null(write: Writer, call: exp.Expr) -> Typed:
    tested, present, absent = write.all(call, 3)
    return choice([_presence("({0} IS NOT NULL)", tested)], [present, absent], call)
