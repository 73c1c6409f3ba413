"""A node of every type and kind, for tests that walk all of them through a table of rules."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
import sqlglot

from headwater.algebra.nodes import (
    JOIN_KINDS,
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
    Single,
    TopK,
    Unfold,
    Union,
    Window,
)
from headwater.delta.signed import WEIGHT


def expression(sql: str):
    return sqlglot.parse_one(sql, read="spark")


def scan(table: str, *names: str) -> Scan:
    return Scan(table, tuple(Column(name, "int") for name in names), names)


def call(sql: str) -> tuple[Output, ...]:
    return (Output("n", expression(sql), "bigint"),)


A, B = scan("a", "k", "v"), scan("b", "bk", "w")
OPERATORS: dict[str, Node] = {
    "Scan": A,
    "Filter": Filter(A, expression("v > 1")),
    "Project": Project(A, (Output("x", expression("v + 1"), "int"),)),
    **{f"Join {kind}": Join(A, B, kind, expression("k = bk AND v < w")) for kind in JOIN_KINDS},
    "Join cross": Join(A, B, "inner"),
    "Aggregate linear": Aggregate(A, ("k",), call("COUNT(*)")),
    "Aggregate linear global": Aggregate(A, (), call("COUNT(*)")),
    "Aggregate": Aggregate(A, ("k",), call("MAX(v)")),
    "Aggregate global": Aggregate(A, (), call("MAX(v)")),
    "Distinct": Distinct(A),
    "Union": Union((A, B)),
    "Unfold": Unfold(A, "side", (0, 1)),
    "Generate": Generate(A, expression("EXPLODE(ARRAY(k, v))"), (Column("x", "int"),)),
    "Window": Window(A, ("k",), call("SUM(v) OVER (PARTITION BY k)")),
    "Window global": Window(A, (), call("RANK() OVER (ORDER BY v)")),
    "TopK": TopK(A, (), (expression("v"),), 3),
    "TopK per key": TopK(A, ("k",), (expression("v"),), 3, 1),
}
CONSTANT: dict[str, Node] = {"Single": Project(Single(), (Output("x", expression("1"), "int"),))}
COMPILED_ONLY: dict[str, Node] = {
    "Relation": Relation("past", (Column("k", "int"), Column(WEIGHT, "bigint"))),
    "Repeat": Repeat(Relation("past", (Column("k", "int"), Column(WEIGHT, "bigint")))),
}
EVERYTHING = OPERATORS | COMPILED_ONLY | CONSTANT


@dataclass(frozen=True, eq=False)
class Strange(Node):
    """A node that no table knows."""

    child: Node

    @property
    def schema(self):
        return self.child.schema

    @property
    def label(self) -> str:
        return "Strange thing"


STRANGE = Strange(A)


def every(nodes: dict[str, Node]):
    return pytest.mark.parametrize("node", nodes.values(), ids=nodes.keys())
