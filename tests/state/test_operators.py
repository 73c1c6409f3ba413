"""Plans as trees of operators: every node type, the changes that are carried up, and the states that are offered."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
import sqlglot
from sqlglot import exp

from headwater.algebra.nodes import Aggregate, Column, Filter, Join, Node, Output, Project, Scan, TopK, Union
from headwater.algebra.statistics import TableStatistics
from headwater.delta.pasts import PARTIALS, ROWS
from headwater.errors import Unsupported
from headwater.state import operators as op
from headwater.state.actions import RULES, actions
from headwater.state.costs import SPARK
from headwater.state.operators import Measured, Operator, Physical, operators, touched_groups
from headwater.state.setting import Setting
from tests.delta.every_node import COMPILED_ONLY, CONSTANT, OPERATORS, STRANGE, every

KNOWN = {"a": TableStatistics(1_000, {"k": 100.0}), "b": TableStatistics(200, {"bk": 100.0})}


def expect(**inserts: float) -> dict[str, SimpleNamespace]:
    return {table: SimpleNamespace(inserts=rows, deletes=0.0, complete=False) for table, rows in inserts.items()}


def scan(table: str, *names: str) -> Scan:
    return Scan(table, tuple(Column(name, "int") for name in names), names)


def sql(text: str) -> exp.Expr:
    return sqlglot.parse_one(text, read="spark")


A, B = scan("a", "k", "v"), scan("b", "bk", "w")
COUNTED = Aggregate(A, ("k",), (Output("n", sql("COUNT(*)"), "bigint"),))
LARGEST = Aggregate(A, ("k",), (Output("n", sql("MAX(v)"), "int"),))
DOUBLES = Scan("a", (Column("k", "int"), Column("x", "double")), ("k", "x"))
SUMMED = Aggregate(DOUBLES, ("k",), (Output("s", sql("SUM(x)"), "double"),))
FIRST = TopK(A, ("k",), (sql("v"),), 3)
JOINED = Join(A, B, "inner", sql("k = bk"))


BARE = Physical(materialize=False)


def made(plan: Node, physical: Physical = BARE, **inserts: float) -> Operator:
    return operators(plan, KNOWN, expect(**inserts), physical=physical)


@every(OPERATORS | CONSTANT)
def test_every_node_type_is_an_operator_with_actions(node):
    root = operators(node, {}, expect(a=10.0))
    for operator in root.walk():
        assert operator.kind in RULES
        assert actions(operator, Setting(SPARK))
    nothing = operators(node, {}, {})
    assert all(operator.rows.change == 0 for operator in nothing.walk())


@pytest.mark.parametrize("node", [STRANGE, COMPILED_ONLY["Relation"]])
def test_an_unknown_node_is_refused_by_name(node):
    with pytest.raises(Unsupported) as refused:
        operators(node, {}, {})
    assert refused.value.key == "unsupported.node"
    assert refused.value.params["node"] == node.label


@pytest.mark.parametrize(
    ("plan", "inserts", "change"),
    [
        (A, {"a": 50.0}, 50),
        (A, {"b": 50.0}, 0),
        (Filter(A, sql("k = 1")), {"a": 50.0}, 0.5),  # one in a hundred
        (Union((A, B)), {"a": 50.0, "b": 10.0}, 60),
        (JOINED, {"a": 10.0}, 20),  # each row of a meets two of b
        (JOINED, {"b": 10.0}, 100),  # each row of b meets ten of a
        (JOINED, {"a": 10.0, "b": 10.0}, 120),
        (COUNTED, {"a": 1.0}, 2),  # a group's row goes and comes again
        (COUNTED, {"a": 1e6}, 200),
        (FIRST, {"a": 1.0}, 6),
    ],
)
def test_changes_are_carried_up(plan, inserts, change):
    assert made(plan, **inserts).rows.change == pytest.approx(change)


def test_a_match_that_comes_takes_a_row_of_an_anti_join():
    plan = Join(A, B, "anti", sql("k = bk"))
    assert made(plan, b=10.0).rows.inserts == 0
    assert made(plan, b=10.0).rows.deletes > 0
    assert made(plan, a=10.0).rows.inserts > 0


def test_measured_rows_stand_before_estimated_ones():
    plan = Project(Filter(A, sql("k = 1")), (Output("x", sql("v"), "int"),))
    measured = Measured({plan.child: 900.0}, {(plan, ROWS): 12_345.0})
    root = operators(plan, KNOWN, expect(a=10.0), measured)
    assert root.rows.now == 900
    assert root.rows.change == pytest.approx(9)
    assert root.own[0].measured == 12_345


@pytest.mark.parametrize(
    ("plan", "kind", "states"),
    [
        (JOINED, op.HASH_JOIN, [(A, ROWS, ("k",)), (B, ROWS, ("bk",))]),
        (Join(A, B, "inner", sql("k < bk")), op.NESTED_LOOP_JOIN, []),
        (COUNTED, op.AGGREGATE, [(COUNTED, PARTIALS, ("k",))]),
        (LARGEST, op.AGGREGATE, [(A, ROWS, ("k",))]),
        (
            TopK(A, ("k",), (sql("v"),), 3),
            op.SORT,
            [(TopK(A, ("k",), (sql("v"),), 3), ROWS, ("k",)), (A, ROWS, ("k",))],
        ),
        (Aggregate(A, (), LARGEST.calls), op.AGGREGATE, []),  # read whole: the table's own files will do
        (
            Aggregate(Union((A, B)), ("k",), LARGEST.calls),
            op.AGGREGATE,
            [(A, ROWS, ("k",)), (B, ROWS, ("bk",))],  # a union is looked up in its inputs
        ),
    ],
)
def test_states(plan, kind, states):
    root = made(plan)
    assert root.kind == kind
    assert [(state.node, state.form, state.key) for state in root.states] == states


def test_a_materialize_stands_above_what_is_pipelined():
    plan = Aggregate(Filter(JOINED, sql("v > 1")), ("k",), COUNTED.calls)
    kinds = [operator.kind for operator in operators(plan, KNOWN, {}).walk()]
    assert kinds == [
        op.SCAN, op.MATERIALIZE, op.SCAN, op.MATERIALIZE, op.HASH_JOIN, op.MATERIALIZE, op.PIPELINED, op.MATERIALIZE,
        op.AGGREGATE,
    ]  # fmt: skip


def test_a_merge_join_reads_sorted_sides():
    root = made(JOINED, Physical(merged=frozenset((JOINED,)), materialize=False))
    assert [operator.kind for operator in root.walk()] == [op.SCAN, op.SORT, op.SCAN, op.SORT, op.MERGE_JOIN]
    assert [child.inputs[0][0].key for child in root.children] == [("k",), ("bk",)]


def test_sums_of_doubles_are_stored_in_any_case():
    assert [(state.node, state.form) for state in made(SUMMED).always] == [(SUMMED, ROWS)]
    assert made(LARGEST).always == ()


def test_a_users_aggregate_is_computed_again_unless_hinted():
    own = exp.AnonymousAggFunc(this="most_seen", expressions=[sql("v")])
    plan = Aggregate(A, ("k",), (Output("m", own, "int"),))
    assert made(plan).kind == op.UDF_AGGREGATE
    assert made(plan, Physical(incremental=frozenset(("most_seen",)))).kind == op.AGGREGATE


def test_a_past_can_be_read_from_the_groups_below():
    over = Filter(COUNTED, sql("n > 3"))
    root = made(Join(B, over, "inner", sql("bk = k")))
    assert root.in_groups == (False, True)


def test_equal_nodes_are_one_operator():
    root = operators(Union((A, A)), {}, {})
    assert len({id(child) for child in root.children[0].children}) == 1


def test_a_plan_may_be_deep():
    plan: Node = A
    for _ in range(150):
        plan = Filter(plan, sql("v > 1"))
    assert len(list(operators(plan, KNOWN, {}).walk())) == 302


@pytest.mark.parametrize(
    ("groups", "rows", "touched"), [(10, 0, 0), (1, 5, 1), (1, 0.5, 0.5), (100, 1, 1), (100, 1e9, 100), (0, 7, 0)]
)
def test_touched_groups(groups, rows, touched):
    assert touched_groups(groups, rows) == pytest.approx(touched)
