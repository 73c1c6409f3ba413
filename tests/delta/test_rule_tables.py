"""Every node type through every table of rules: each is either handled or refused by name."""

from __future__ import annotations

import pytest

from headwater.algebra.expressions import column
from headwater.algebra.nodes import (
    Aggregate,
    Column,
    Distinct,
    Filter,
    Join,
    Node,
    Output,
    Project,
    Relation,
    Scan,
    Union,
)
from headwater.algebra.rewrites import REWRITES
from headwater.algebra.statistics import estimate
from headwater.delta.empty import without
from headwater.delta.pasts import Pasts, recomputed
from headwater.delta.program import ProgramBuilder
from headwater.delta.rules import incremental
from headwater.delta.signed import WEIGHT, bag
from headwater.engine.compiler import compile_plan
from headwater.engine.typing import annotate
from headwater.errors import Unsupported
from headwater.refresh.explain import operators, rule
from headwater.state.selection import keep_what_is_needed
from tests.delta.every_node import (
    COMPILED_ONLY,
    EVERYTHING,
    OPERATORS,
    STRANGE,
    A,
    B,
    Strange,
    call,
    every,
    expression,
)


def test_no_node_type_is_forgotten():
    known = {each for each in Node.__subclasses__() if each is not Strange}
    assert known == {type(each) for node in EVERYTHING.values() for each in node.walk()}


def statement(plan: Node) -> str:
    return compile_plan(plan, lambda leaf: leaf.table if isinstance(leaf, Scan) else leaf.name).sql(dialect="spark")


@every(EVERYTHING)
def test_compiler(node):
    assert statement(node).startswith(("SELECT", "WITH"))


@every(OPERATORS)
def test_incremental(node):
    change = ProgramBuilder(node, (), frozenset(node.tables)).change(node)
    assert change is not None
    assert set(change.names) == {*node.names, WEIGHT}
    assert statement(change)


@every(OPERATORS)
def test_nothing_changes_when_no_table_does(node):
    builder = ProgramBuilder(node, (), frozenset())
    assert builder.change(node) is None
    program = builder.build()
    assert (program.stages, program.upkeep, program.segments) == ((), (), {})


@every(OPERATORS)
def test_recomputed(node):
    past = recomputed(node, Pasts(()))
    assert past.names == (*node.names, WEIGHT)
    assert statement(bag(past))


@every(OPERATORS)
def test_state_and_program(node):
    stored = keep_what_is_needed(node)
    program = ProgramBuilder(node, stored, frozenset(node.tables)).build()
    assert program.stages[-1].name == "view_change"
    assert program.stages[-1].plan.names == (*node.names, WEIGHT)
    assert set(program.segments) == {past.name for past in stored}
    for stage in (*program.stages, *program.upkeep):
        assert all(item.type for item in stage.plan.schema), f"{stage.name} has untyped columns"


@every(OPERATORS)
def test_explain(node):
    assert rule(node) != "-"
    lines = operators(node, keep_what_is_needed(node), {}, {})
    assert lines[0].label == node.label
    assert len(lines) == len(list(node.walk()))


@every(OPERATORS)
@pytest.mark.parametrize("rewrite", {rule.name: rule for rule in REWRITES}.values(), ids=lambda rule: rule.name)
def test_rewrites(node, rewrite):
    assert rewrite.apply(node, {}).schema == node.schema
    filtered = Filter(node, expression(f"{node.names[0]} > 1"))
    assert rewrite.apply(filtered, {}).schema == node.schema


@every(OPERATORS)
def test_estimates(node):
    assert estimate(node, {}).rows >= 1


@every(OPERATORS)
def test_typing(node):
    assert annotate(node, lambda sql: pytest.fail("everything has its type"), {}) == node


@every(EVERYTHING)
def test_without_what_is_not_empty(node):
    assert without(node, {"other"}) == node


@pytest.mark.parametrize(
    ("plan", "left"),
    [
        (COMPILED_ONLY["Relation"], None),
        (COMPILED_ONLY["Repeat"], None),
        (Filter(COMPILED_ONLY["Relation"], expression("k > 1")), None),
        (Union((COMPILED_ONLY["Relation"], COMPILED_ONLY["Relation"])), None),
        (Union((COMPILED_ONLY["Relation"], B)), Project(B, (Output("k", column("bk")), Output(WEIGHT, column("w"))))),
        (Union((B, COMPILED_ONLY["Relation"])), B),
        (Join(A, Relation("past", (Column("x", "int"),)), "inner"), None),
        (Join(A, Relation("past", (Column("x", "int"),)), "semi"), None),
        (Join(A, Relation("past", (Column("x", "int"),)), "anti"), A),
        (Distinct(COMPILED_ONLY["Relation"]), None),
        (Aggregate(COMPILED_ONLY["Relation"], ("k",), call("COUNT(*)")), None),
    ],
)
def test_without_what_is_empty(plan, left):
    assert without(plan, {"past"}) == left


@pytest.mark.parametrize("kind", ["left", "right", "full"])
def test_outer_joins_keep_their_rows_without_the_other_side(kind):
    plan = Join(A, Relation("past", (Column("x", "int"),)), kind)
    assert without(plan, {"past"}) == plan


def test_a_global_aggregate_has_a_row_over_nothing():
    plan = Aggregate(COMPILED_ONLY["Relation"], (), call("COUNT(*)"))
    assert without(plan, {"past"}) == plan


@pytest.mark.parametrize(
    "table",
    [lambda node: compile_plan(node, lambda leaf: leaf.table), lambda node: incremental(node, None)],
    ids=["compiler", "incremental"],
)
def test_an_unknown_node_is_refused_by_name(table):
    with pytest.raises(Unsupported) as refused:
        table(STRANGE)
    assert refused.value.key == "unsupported.node"
    assert "Strange thing" in str(refused.value)
