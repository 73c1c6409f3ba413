"""UNION, INTERSECT and EXCEPT.

    INTERSECT, EXCEPT:   both sides together, each row marked with its side  ->  per row how often on the left and right
                         ->  kept if ...  (ALL: as often as the difference or the smaller of both says)

Idea: with counts per row both are aggregates that add up, so a change touches only its own rows.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from headwater.algebra.expressions import cast, column
from headwater.algebra.nodes import Aggregate, Column, Distinct, Filter, Generate, Node, Output, Project, Union, plain
from headwater.sql.scope import Names, unsupported


def combined(query: exp.SetOperation, side: Callable[[exp.Expr], Node], names: Names) -> Node:
    if query.args.get("by_name"):
        raise unsupported(f"{query.key.upper()} BY NAME", query)
    left, right = side(query.left), side(query.right)
    if len(left.names) != len(right.names):
        raise unsupported("A set operation over different numbers of columns", query)
    if isinstance(query, exp.Union):
        both = Union((left, right))
        return Distinct(both) if query.args.get("distinct") else both
    return counted(left, right, isinstance(query, exp.Except), not query.args.get("distinct"), names)


def counted(left: Node, right: Node, is_except: bool, keep_all: bool, names: Names) -> Node:
    on_left, on_right = names.fresh("on_left"), names.fresh("on_right")
    sides = (_marked(left, on_left, on_right, 1), _marked(right, on_left, on_right, 0))
    sums = tuple(Output(name, exp.Sum(this=column(name))) for name in (on_left, on_right))
    groups = Aggregate(Union(sides), left.names, sums)
    if not keep_all:
        other = exp.EQ if is_except else exp.GT
        there = exp.GT(this=column(on_left), expression=_number(0))
        kept = Filter(groups, exp.and_(there, other(this=column(on_right), expression=_number(0))))
        return Project(kept, plain(left.names))
    difference = exp.Sub(this=column(on_left), expression=column(on_right))
    both = exp.func("LEAST", column(on_left), column(on_right))
    times = cast(exp.func("GREATEST", difference, _number(0)) if is_except else both, "int")
    copies = exp.Explode(this=exp.Anonymous(this="ARRAY_REPEAT", expressions=[exp.Literal.number(0), times]))
    copy = Column(names.fresh("copy"), "int")
    return Project(Generate(groups, copies, (copy,)), plain(left.names))


def _marked(node: Node, on_left: str, on_right: str, left: int) -> Node:
    return Project(
        node, (*plain(node.names), Output(on_left, _number(left), "int"), Output(on_right, _number(1 - left), "int"))
    )


def _number(value: int) -> exp.Expr:
    return exp.Literal.number(value)
