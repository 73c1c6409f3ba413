"""Which pasts a view stores, for the change that is expected next and within a memory budget.

    plan, statistics, measured rows, expected change  ->  tree of operators  ->  dynamic program  ->  Selection

Idea: the dynamic program gives the least cost of a refresh for every budget; a selection is what it decides for one of
them, beside what recomputing everything would cost. Pasts that no computation gives again (sums of doubles) are stored
before anything is chosen, since without them no refresh is incremental; a budget that cannot hold them means recompute.
Invariant: a selection is data. Its pasts are distinct and stand inputs first, none of them is one that the change rules
could not read, and whichever they are, the view's rows are the same. Its bytes are at most the budget.
Limits: states of equal nodes are solved apart and stored once, so a plan with much in common gets less than it could.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import ceil, inf

from headwater.algebra.nodes import Node
from headwater.delta.pasts import Past
from headwater.state.dynamic_program import UNITS, DynamicProgram, Option, Step
from headwater.state.needed import Stored, irreplaceable, keep_higher_order_views, keep_what_is_needed
from headwater.state.operators import Expected
from headwater.state.problem import NOTHING, Knowledge, Problem, Stowed, all_states
from headwater.state.setting import DELTA, INJECTED, Kept, Setting

__all__ = [
    "Knowledge",
    "Search",
    "Selection",
    "irreplaceable",
    "keep_higher_order_views",
    "keep_what_is_needed",
    "select",
]

INCREMENTAL, RECOMPUTE = "incremental", "full"
# An incremental refresh must be predicted to take less than this share of a full one to be chosen: what is recomputed
# within a change's statement is computed beside the change, and in a statement of less use to the optimizer.
CLEARLY_CHEAPER = 0.8
ROUNDING = 1e-6  # of a unit: so that a budget read from the curve is the whole number of units that it stands for


@dataclass(frozen=True)
class Alternative:
    """An action that was not taken: what a refresh would have cost in its part of the plan, and its state's bytes."""

    action: str
    place: str
    seconds: float  # infinite where the memory does not do
    bytes: float


@dataclass(frozen=True)
class Decision:
    """What is decided for one operator, and against what."""

    node: Node
    operator: str
    asked: str  # delta | full | kept: the output that its parent asks for
    action: str
    place: str
    keeps: tuple[str, ...]  # names of pasts
    seconds: float  # of its part of the plan
    rejected: tuple[Alternative, ...]


Curve = tuple[tuple[float, float], ...]  # (bytes, seconds of a refresh with so many or more), falling


@dataclass(frozen=True)
class Selection:
    """Which pasts are stored, why, and what a refresh is predicted to cost."""

    strategy: str
    refresh: str  # incremental | full
    reason: str
    stored: tuple[Stowed, ...]
    decisions: tuple[Decision, ...]
    seconds: float  # of the next refresh, building what is new included
    recompute_seconds: float
    budget: float
    curve: Curve

    @cached_property
    def pasts(self) -> tuple[Past, ...]:
        return tuple(stowed.past for stowed in self.stored)

    @cached_property
    def bytes(self) -> float:
        return sum(stowed.bytes for stowed in self.stored)

    @property
    def fits(self) -> bool:
        return self.bytes <= self.budget

    def place(self, past: Past) -> str:
        return next(stowed.place for stowed in self.stored if stowed.past == past)


def select(
    plan: Node,
    expected: Expected,
    budget: float = inf,
    knowledge: Knowledge = NOTHING,
    *,
    accelerated: bool = True,
    injected: frozenset[str] = INJECTED,
    strategy: str = "diss",
) -> Selection:
    """The pasts that make the next refresh cheapest within a budget in bytes; recomputing when that is no dearer."""
    return Search(
        plan, expected, budget, knowledge, accelerated=accelerated, injected=injected, strategy=strategy
    ).best()


class Search:
    """One solved program, from which the selection for any budget up to the largest is read.

    A view that is given a share of a lake's budget asks the search whose curve the share was read from: it has the same
    units of memory, so what fitted there fits.
    """

    def __init__(
        self,
        plan: Node,
        expected: Expected,
        budget: float,
        knowledge: Knowledge = NOTHING,
        *,
        accelerated: bool = True,
        injected: frozenset[str] = INJECTED,
        strategy: str = "diss",
    ) -> None:
        self.plan, self.budget, self.knowledge, self.strategy = plan, max(0.0, budget), knowledge, strategy
        self.problem = Problem(plan, expected, knowledge, injected)
        free = max(0.0, self.budget - self.problem.always_bytes)
        self.unit, most = _units(free, self.problem)
        self.solved = DynamicProgram(self.problem.root, self.problem.setting, self.unit, most, accelerated)

    def best(self, budget: float | None = None) -> Selection:
        """The selection for a budget; an incremental refresh must be clearly cheaper than a full one."""
        budget = self.budget if budget is None else budget
        if budget < self.problem.always_bytes:
            return self._full(budget, "the pasts that cannot be recomputed do not fit the budget")
        found = self.incremental(budget)
        if not found.seconds < CLEARLY_CHEAPER * found.recompute_seconds:
            return self._full(budget, "recomputing is predicted to be as cheap")
        return found

    def incremental(self, budget: float | None = None) -> Selection:
        """The same, with an incremental refresh whatever it costs."""
        budget = self.budget if budget is None else budget
        units = int(min(self.solved.most, max(0.0, budget - self.problem.always_bytes) / self.unit + ROUNDING))
        steps = list(self.solved.steps(DELTA, units))
        stored = self.problem.stowed(kept for step in steps for kept in step.chosen.action.keeps)
        return Selection(
            self.strategy,
            INCREMENTAL,
            "the cheapest refresh within the budget",
            stored,
            decisions(steps, stored, self.problem.setting),
            self.solved.seconds(DELTA, units) + self.problem.always_seconds,
            self.problem.recompute_seconds,
            budget,
            self.curve,
        )

    def _full(self, budget: float, reason: str) -> Selection:
        seconds = self.problem.recompute_seconds
        return Selection(self.strategy, RECOMPUTE, reason, (), (), seconds, seconds, budget, self.curve)

    @cached_property
    def curve(self) -> Curve:
        """What a refresh costs by the bytes that it is given, recomputing where that is cheaper."""
        full, base = self.problem.recompute_seconds, self.problem.always_bytes
        points = [(0.0, full)]
        solved = self.solved.curve(self.problem.root, DELTA)
        for at, seconds in zip(solved.at.tolist(), solved.cost.tolist(), strict=True):
            seconds += self.problem.always_seconds
            if seconds < CLEARLY_CHEAPER * full and seconds < points[-1][1] and base + at * self.unit <= self.budget:
                points.append((base + at * self.unit, seconds))
        return tuple(points[1:] if len(points) > 1 and points[1][0] == 0.0 else points)


def _units(free: float, problem: Problem) -> tuple[float, int]:
    """The size of a unit of memory, and how many there are: no finer than a budget's thousandth parts, and no more than
    all states take, rounded up."""
    total, count = all_states(problem.root, problem.setting)
    unit = max(1.0, float(ceil(min(free, total) / UNITS)))
    return unit, int(min(free, total + count * unit) // unit)


def decisions(steps: Iterable[Step], stored: tuple[Stowed, ...], setting: Setting) -> tuple[Decision, ...]:
    """What is decided where there was something to decide."""
    names: Mapping[Stored, str] = {(each.past.node, each.past.form): each.past.name for each in stored}
    return tuple(_decision(step, names, setting) for step in steps if len(step.options) > 1)


def _decision(step: Step, names: Mapping[Stored, str], setting: Setting) -> Decision:
    action = step.chosen.action
    keeps = tuple(names[kept.state.stored] for kept in action.keeps)
    rejected = tuple(_alternatives(step, setting))
    node, kind = step.operator.node, step.operator.kind
    return Decision(node, kind, step.asked, action.name, _place(action.keeps), keeps, step.chosen.seconds, rejected)


def _alternatives(step: Step, setting: Setting) -> Iterator[Alternative]:
    for option in step.options:
        if option is not step.chosen:
            yield Alternative(option.action.name, _place(option.action.keeps), option.seconds, _bytes(option, setting))


def _bytes(option: Option, setting: Setting) -> float:
    return sum(setting.bytes(kept) for kept in option.action.keeps)


def _place(keeps: tuple[Kept, ...]) -> str:
    return ", ".join(dict.fromkeys(kept.place for kept in keeps))
