"""Random operator trees, and the twin that tries every combination of actions.

Idea: the trees are built from operators directly, with any sizes and changes, so that every kind stands above every
other; the exhaustive twin knows the actions and nothing of curves, budgets by unit or divisions.
"""

from __future__ import annotations

from itertools import count, product
from math import ceil

from hypothesis import strategies as st

from headwater.algebra.nodes import Column, Node, Scan
from headwater.delta.pasts import ROWS
from headwater.state import operators as op
from headwater.state.actions import Action, actions
from headwater.state.costs import DISK, LOCAL, PROCESS, SPARK
from headwater.state.operators import Operator, Rows, State
from headwater.state.setting import DELTA, FULL, INJECTED, KEPT, Setting

NAMES = count()
JOINS = (op.HASH_JOIN, op.HASH_JOIN, op.NESTED_LOOP_JOIN, op.MERGE_JOIN)
UNARY = (op.PIPELINED, op.MATERIALIZE, op.MATERIALIZE, op.SORT, op.AGGREGATE, op.UDF_AGGREGATE)
SIZES = st.sampled_from([0.0, 10.0, 1e3, 2e4, 1e5, 1e6])


def table(name: str) -> Node:
    return Scan(name, (Column("k", "int"),), ("k",))


@st.composite
def rows(draw, changes: bool = True) -> Rows:
    now = draw(SIZES)
    moved = draw(st.sampled_from([0.0, 0.0, 0.001, 0.1, 1.0])) if changes else 0.0
    taken = draw(st.sampled_from([0.0, 0.5, 1.0]))
    return Rows(now, now * moved * (1 - taken), now * moved * taken)


@st.composite
def states(draw, of: Rows, most: int = 1) -> tuple[State, ...]:
    number = draw(st.integers(1, most))
    keys = st.sampled_from([(), ("k",)])
    return tuple(
        State(table(f"t{next(NAMES)}"), ROWS, draw(keys), of, draw(st.integers(0, 60)) * 1000.0) for _ in range(number)
    )


@st.composite
def trees(draw, most: int = 4) -> Operator:
    """A tree of up to so many operators that decide something."""
    if most <= 1 or draw(st.integers(0, 5)) == 0:
        return Operator(op.SCAN, table(f"t{next(NAMES)}"), (), draw(rows()))
    if most >= 3 and draw(st.booleans()):
        left = draw(st.integers(1, most - 2))
        children = (draw(trees(left)), draw(trees(most - 1 - left)))
        return draw(joins(children))
    return draw(unary(draw(trees(most - 1))))


@st.composite
def joins(draw, children: tuple[Operator, Operator]) -> Operator:
    kind = draw(st.sampled_from(JOINS))
    changes = any(child.rows.change for child in children)
    itself = draw(st.sampled_from([(False, False), (False, True), (True, False), (True, True)]))
    made = Operator(kind, table(f"t{next(NAMES)}"), children, draw(rows(changes)), reads_itself=itself)
    if kind != op.HASH_JOIN:
        return made
    inputs = tuple(draw(st.one_of(st.just(()), states(child.rows))) for child in children)
    groups = tuple(any(each.kind == op.AGGREGATE for each in _chain(child)) for child in children)
    return Operator(kind, made.node, children, made.rows, inputs=inputs, in_groups=groups, reads_itself=itself)


def _chain(operator: Operator):
    while operator.kind in (op.PIPELINED, op.MATERIALIZE):
        operator = operator.children[0]
    yield operator


@st.composite
def unary(draw, child: Operator) -> Operator:
    kind = draw(st.sampled_from(UNARY))
    node, of = table(f"t{next(NAMES)}"), child.rows
    if kind == op.PIPELINED:
        return Operator(kind, node, (child,), draw(rows(bool(of.change))))
    if kind == op.MATERIALIZE:
        return Operator(kind, node, (child,), of, own=draw(states(of)))
    touched = draw(st.sampled_from([0.0, 0.5, 1.0])) * of.now if of.change else 0.0
    result = draw(rows(bool(of.change)))
    own = draw(states(result)) if draw(st.booleans()) and kind != op.UDF_AGGREGATE else ()
    inputs = () if own and kind == op.AGGREGATE else (draw(st.one_of(st.just(()), states(of, 2))),)
    in_groups = (draw(st.booleans()) and next(_chain(child)).kind == op.AGGREGATE,) if inputs else ()
    return Operator(
        kind, node, (child,), result, own, inputs, in_groups, touched=touched, groups=min(touched, result.now)
    )


@st.composite
def settings_of(draw) -> Setting:
    return Setting(
        draw(st.sampled_from([SPARK, LOCAL])),
        places=draw(st.sampled_from([(DISK,), (DISK, PROCESS)])),
        refreshes=draw(st.sampled_from([1.0, 10.0, 1e6])),
        injected=draw(st.sampled_from([INJECTED, INJECTED, frozenset(("materialize",)), frozenset()])),
    )


Whole = tuple[int, float]  # units, seconds
ASKED = (DELTA, FULL, KEPT)


def every_combination(operator: Operator, asked: str, setting: Setting, unit: float) -> list[Whole]:
    """What every combination of actions in a tree takes and costs, one by one."""
    found = []
    for action in actions(operator, setting):
        way = action.way(asked)
        if way is None:
            continue
        below = [
            every_combination(child, wanted, setting, unit)
            for child, wanted in zip(operator.children, way.asks, strict=True)
        ]
        size = size_of(action, setting, unit)
        for parts in product(*below):
            found.append((size + sum(each for each, _ in parts), way.seconds + sum(cost for _, cost in parts)))
    return found


def by_size(operator: Operator, asked: str, setting: Setting, unit: float, most: int) -> list[Whole]:
    """The same for plans that have millions of combinations: of those of one size only the cheapest goes upwards, and
    none that is too large."""
    solved: dict[tuple[int, str], dict[int, float]] = {}
    for each in operator.walk():
        for wanted in ASKED:
            found = solved.setdefault((id(each), wanted), {})
            for action in actions(each, setting):
                way = action.way(wanted)
                if way is None:
                    continue
                sums = {size_of(action, setting, unit): way.seconds}
                for child, asks in zip(each.children, way.asks, strict=True):
                    sums = _added(sums, solved[id(child), asks], most)
                for size, cost in sums.items():
                    found[size] = min(cost, found.get(size, cost))
    return list(solved[id(operator), asked].items())


def _added(sums: dict[int, float], below: dict[int, float], most: int) -> dict[int, float]:
    found: dict[int, float] = {}
    for (one, first), (other, second) in product(sums.items(), below.items()):
        if one + other <= most:
            found[one + other] = min(first + second, found.get(one + other, first + second))
    return found


def size_of(action: Action, setting: Setting, unit: float) -> int:
    return sum(ceil(setting.bytes(kept) / unit) for kept in action.keeps)


def cheapest(found: list[Whole], units: int) -> float:
    return min((cost for size, cost in found if size <= units), default=float("inf"))
