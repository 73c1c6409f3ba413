"""Scalar expressions: sqlglot trees over plain column names, treated as immutable values.

Invariant: inside a plan every column reference is an unqualified, quoted `exp.Column`; a node's output names are
unique, so a name alone identifies a column. Nothing here mutates an expression it was given.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache

from sqlglot import exp
from sqlglot.errors import ParseError


def column(name: str) -> exp.Column:
    """A reference to an output column of the child node."""
    return exp.Column(this=exp.to_identifier(name, quoted=True))


def cast(expression: exp.Expr, kind: str) -> exp.Expr:
    """The expression in a type, given as Spark's `simpleString` writes it."""
    return exp.Cast(this=expression.copy(), to=_type(kind).copy())


@cache
def _type(kind: str) -> exp.DataType:
    """What sqlglot does not read as Spark does (VOID, TIME, collations) stays as it is written."""
    try:
        parsed = exp.DataType.build(kind, dialect="spark")
    except ParseError:
        parsed = None
    if parsed is None or parsed.sql(dialect="spark").lower().replace(" ", "") != kind.lower().replace(" ", ""):
        return exp.DataType(this=exp.DataType.Type.USERDEFINED, kind=kind)
    return parsed


def columns_of(expression: exp.Expr) -> frozenset[str]:
    """The names of all columns an expression reads."""
    return frozenset(found.name for found in expression.find_all(exp.Column))


def rename(expression: exp.Expr, names: Mapping[str, str]) -> exp.Expr:
    """The expression with its column references renamed."""
    return substitute(expression, {old: column(new) for old, new in names.items()})


def substitute(expression: exp.Expr, values: Mapping[str, exp.Expr]) -> exp.Expr:
    """The expression with columns replaced by expressions (parenthesised where precedence could matter)."""

    def replace(part: exp.Expr) -> exp.Expr:
        if isinstance(part, exp.Column) and part.name in values:
            value = values[part.name].copy()
            return value if is_atom(value) else exp.Paren(this=value)
        return part

    return expression.copy().transform(replace)


ATOMS = (exp.Column, exp.Literal, exp.Paren, exp.Func, exp.Cast, exp.Null, exp.Boolean)
INFIX = (exp.Binary, exp.Unary, exp.Predicate)  # AND, OR and RLIKE are functions to sqlglot, too


def is_atom(expression: exp.Expr) -> bool:
    """True when the expression can stand anywhere without parentheses."""
    return isinstance(expression, ATOMS) and (isinstance(expression, exp.Paren) or not isinstance(expression, INFIX))


def conjuncts(predicate: exp.Expr | None) -> Iterator[exp.Expr]:
    """The parts of a condition that must all hold; parentheses around them are dropped."""
    if predicate is None:
        return
    bare = predicate.unnest()
    if isinstance(bare, exp.And):
        yield from conjuncts(bare.this)
        yield from conjuncts(bare.expression)
    else:
        yield bare


def disjuncts(predicate: exp.Expr) -> Iterator[exp.Expr]:
    """The alternatives of a condition, of which one must hold."""
    bare = predicate.unnest()
    if isinstance(bare, exp.Or):
        yield from disjuncts(bare.this)
        yield from disjuncts(bare.expression)
    else:
        yield bare


def conjunction(parts: Iterable[exp.Expr]) -> exp.Expr | None:
    """AND of the parts, each kept whole; None when there are none."""
    kept = [_grouped(part) for part in parts]
    return exp.and_(*kept, wrap=False) if kept else None


def disjunction(parts: Iterable[exp.Expr]) -> exp.Expr:
    """OR of the parts, each kept whole."""
    return exp.or_(*[_grouped(part) for part in parts], wrap=False)


def _grouped(part: exp.Expr) -> exp.Expr:
    copied = part.copy()
    return exp.Paren(this=copied) if isinstance(copied, (exp.Or, exp.And)) else copied


def equality(part: exp.Expr) -> tuple[str, str] | None:
    """The two column names of a plain `a = b`; None for any other condition."""
    if isinstance(part, exp.EQ) and isinstance(part.this, exp.Column) and isinstance(part.expression, exp.Column):
        return part.this.name, part.expression.name
    return None


def text(expression: exp.Expr) -> str:
    """Readable SQL, for EXPLAIN: identifiers are left bare."""
    bare = expression.copy()
    for identifier in bare.find_all(exp.Identifier):
        identifier.set("quoted", False)
    return bare.sql(dialect="spark")
