"""The paper's dynamic program: for every operator, the least cost of its change and of its full output by memory.

    D(m) = min over actions that fit of   own seconds + min over m_1 + ... + m_k = m - |state| of the children's costs

Idea: children first, every operator's costs become step functions of memory (`curves`); what an action asks of its
children is one curve, shared by all actions that ask the same. Decisions are not remembered but found again, for the
one budget that is asked for, on the way down from the root.
Twins: `accelerated` bisects each curve and tries only the points at which a child's cost falls; the plain form asks for
every budget and every division of it, O(N M^2) for N operators and M units.
Invariant: the curve of the plan equals the least over all combinations of actions; neither twin rounds a cost.
Limits: a plan that is a graph is solved as the tree it stands for: a state that two places share is paid for in both,
and counted once only afterwards. Memory comes in whole units, sizes rounded up.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from math import ceil, inf

import numpy as np

from headwater.state.actions import Action, actions
from headwater.state.curves import (
    FREE,
    Curve,
    Seconds,
    Tabulate,
    Units,
    best_split,
    bisected,
    split,
    split_everywhere,
    tabulated,
)
from headwater.state.operators import Operator
from headwater.state.setting import DELTA, FULL, KEPT, Kept, Setting

UNITS = 4096  # into which a budget is divided: states differ by more than a part in thousands
ASKED = (DELTA, FULL, KEPT)
Wanted = tuple[tuple[int, str], ...]  # subtrees, and what is asked of each


@dataclass(frozen=True)
class Option:
    """An action with the memory that it takes, and what the whole of the operator's subtree would cost with it."""

    action: Action
    units: int
    seconds: float  # infinite where the memory does not do


@dataclass(frozen=True)
class Step:
    """What is decided for one place of the tree: the output that it is asked for, its options, and the one taken."""

    operator: Operator
    asked: str
    units: int
    options: tuple[Option, ...]
    chosen: Option


class DynamicProgram:
    """The solved curves of every operator below a root."""

    def __init__(self, root: Operator, setting: Setting, unit: float, most: int, accelerated: bool = True) -> None:
        self.root, self.setting, self.unit, self.most = root, setting, unit, most
        self._tabulate: Tabulate = bisected if accelerated else tabulated
        self._split = split if accelerated else split_everywhere
        self._actions: dict[int, tuple[tuple[Action, int], ...]] = {}
        self._curves: dict[tuple[int, str], Curve] = {}
        self._shared: dict[Wanted, Curve] = {}
        for operator in root.walk():
            self._solve(operator)

    def curve(self, operator: Operator, asked: str) -> Curve:
        return self._curves[id(operator), asked]

    def seconds(self, asked: str = DELTA, units: int | None = None) -> float:
        return self.curve(self.root, asked).value(self.most if units is None else units)

    def units_of(self, keeps: tuple[Kept, ...]) -> int:
        return sum(ceil(self.setting.bytes(kept) / self.unit) for kept in keeps)

    # -- upwards

    def _solve(self, operator: Operator) -> None:
        """All that is asked of an operator, for every budget."""
        sized = ((action, self.units_of(action.keeps)) for action in actions(operator, self.setting))
        self._actions[id(operator)] = tuple(sized)
        for asked in ASKED:
            self._curves[id(operator), asked] = self._tabulate(partial(self._least, operator, asked), self.most)

    def _least(self, operator: Operator, asked: str, units: Units) -> Seconds:
        found = np.full(len(units), inf)
        for action, size in self._actions[id(operator)]:
            way = action.way(asked)
            if way is not None and size <= self.most:
                found = np.minimum(found, way.seconds + self._below(operator, way.asks)(units - size))
        return found

    def _below(self, operator: Operator, asks: tuple[str, ...]) -> Curve:
        """What the children cost together."""
        return self._together(_wanted(operator, asks))

    def _together(self, wanted: Wanted) -> Curve:
        """Several subtrees that share the memory; they join one by one, each division is in two."""
        if not wanted:
            return FREE
        total = self._curves[wanted[0]]
        for count in range(2, len(wanted) + 1):
            total = self._divided(wanted[:count], total)
        return total

    def _divided(self, wanted: Wanted, first: Curve) -> Curve:
        if wanted not in self._shared:
            last = self._curves[wanted[-1]]
            self._shared[wanted] = self._tabulate(lambda units: self._split(first, last, units), self.most)
        return self._shared[wanted]

    # -- downwards

    def steps(self, asked: str = DELTA, units: int | None = None) -> Iterator[Step]:
        """What is decided within a budget, for every place of the tree, parents first."""
        most = self.most if units is None else min(units, self.most)
        waiting = [(self.root, asked, self.curve(self.root, asked).least(most))]
        while waiting:
            operator, wanted, budget = waiting.pop()
            step = self._step(operator, wanted, budget)
            yield step
            waiting.extend(self._children(step))

    def _step(self, operator: Operator, asked: str, units: int) -> Step:
        options = tuple(
            Option(action, size, self._with(operator, action, size, asked, units))
            for action, size in self._actions[id(operator)]
        )
        chosen = min(options, key=lambda option: (option.seconds, option.units))
        return Step(operator, asked, units, options, chosen)

    def _with(self, operator: Operator, action: Action, size: int, asked: str, units: int) -> float:
        way = action.way(asked)
        return inf if way is None else way.seconds + self._below(operator, way.asks).value(units - size)

    def _children(self, step: Step) -> Iterator[tuple[Operator, str, int]]:
        """What the chosen action asks of each child, and the memory that each makes use of."""
        way = step.chosen.action.way(step.asked)
        assert way is not None
        children, wanted = step.operator.children, _wanted(step.operator, way.asks)
        left = step.units - step.chosen.units
        for last in range(len(wanted) - 1, 0, -1):
            left, own = best_split(self._together(wanted[:last]), self._curves[wanted[last]], left)
            yield children[last], way.asks[last], own
        if wanted:
            yield children[0], way.asks[0], self._curves[wanted[0]].least(left)


def _wanted(operator: Operator, asks: tuple[str, ...]) -> Wanted:
    return tuple((id(child), each) for child, each in zip(operator.children, asks, strict=True))
