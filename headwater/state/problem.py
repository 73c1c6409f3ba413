"""A view's selection as a problem: its operators, what is stored in any case, and what recomputing would cost.

Idea: `Knowledge` is all that a caller knows besides the plan, the expected change and the budget. A `Problem` derives
from it what every strategy needs, so that strategies differ in what they choose and in nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property

from headwater.algebra.nodes import Node
from headwater.algebra.statistics import Statistics
from headwater.delta.pasts import Past
from headwater.state.costs import DISK, SPARK, Costs
from headwater.state.dynamic_program import DynamicProgram
from headwater.state.needed import Stored, pasts_of
from headwater.state.operators import (
    AS_PLANNED,
    NOTHING_MEASURED,
    Expected,
    Measured,
    Operator,
    Physical,
    State,
    operators,
)
from headwater.state.setting import FULL, INJECTED, Kept, Setting, appended, standing, taken


@dataclass(frozen=True)
class Knowledge:
    """What is known besides the plan, the expected change and the budget."""

    statistics: Statistics = field(default_factory=dict)
    measured: Measured = NOTHING_MEASURED
    costs: Costs = SPARK  # of the lane that is expected to refresh the view
    full_costs: Costs = SPARK  # of the lane that recomputes it
    places: tuple[str, ...] = (DISK,)
    held: tuple[Past, ...] = ()  # pasts that stand: they need not be built
    refreshes: float = 1.0  # that share the cost of building a state; one is the paper's
    full_seconds: float | None = None  # what recomputing the view has taken, once it has been measured
    physical: Physical = AS_PLANNED


NOTHING = Knowledge()


@dataclass(frozen=True)
class Stowed:
    """A stored past, where it lives, and what it takes there."""

    past: Past
    place: str
    rows: float
    bytes: float


class Problem:
    """The operators of a plan, in the setting of one selection."""

    def __init__(
        self, plan: Node, expected: Expected, knowledge: Knowledge, injected: frozenset[str] = INJECTED
    ) -> None:
        self.plan, self.expected, self.knowledge = plan, expected, knowledge
        self.root = operators(plan, knowledge.statistics, expected, knowledge.measured, knowledge.physical)
        self.always = {state.stored: state for operator in self.root.walk() for state in operator.always}
        self.setting = Setting(
            knowledge.costs,
            knowledge.places,
            standing(knowledge.held),
            frozenset(self.always),
            refreshes=knowledge.refreshes,
            injected=injected,
        )

    @property
    def always_place(self) -> str:
        return self.knowledge.places[0]

    @cached_property
    def always_bytes(self) -> float:
        place = self.knowledge.costs.place(self.always_place)
        return sum(taken(state, place) for state in self.always.values())

    @cached_property
    def always_seconds(self) -> float:
        """Of bringing up to date what is stored in any case."""
        place = self.knowledge.costs.place(self.always_place)
        return sum(appended(state, place) for state in self.always.values())

    @cached_property
    def recompute_seconds(self) -> float:
        """Of evaluating the whole view without any past: measured, else predicted by the same formulas."""
        if self.knowledge.full_seconds is not None:
            return self.knowledge.full_seconds
        costs = self.knowledge.full_costs
        bare = Setting(costs, self.knowledge.places, only=frozenset())
        return DynamicProgram(self.root, bare, 1.0, 0).seconds(FULL) + costs.statement

    def settled(self, stored: Iterable[Stored]) -> Setting:
        """The setting in which what is stored is settled, and only the cost of it is asked for."""
        return replace(self.setting, only=frozenset((*stored, *self.always)))

    def stowed(self, kept: Iterable[Kept]) -> tuple[Stowed, ...]:
        """What is stored: each past once, by the key that has columns, inputs first."""
        found: dict[Stored, tuple[State, str]] = {
            state.stored: (state, self.always_place) for state in self.always.values()
        }
        keys = [(*stored, state.key) for stored, (state, _) in found.items()]
        for each in kept:
            found.setdefault(each.state.stored, (each.state, each.place))
            keys.append((*each.state.stored, each.state.key))
        # What may have any key keeps the one that it stands by.
        keys += [(past.node, past.form, past.key) for past in self.knowledge.held if (past.node, past.form) in found]
        stored = []
        for past in pasts_of(self.plan, keys, self.knowledge.statistics):
            state, place = found[past.node, past.form]
            size = taken(state, self.knowledge.costs.place(place))
            stored.append(Stowed(past, place, state.rows.now, size))
        return tuple(stored)


def all_states(root: Operator, setting: Setting) -> tuple[float, int]:
    """The bytes of every state of the tree that a plan stands for, in its largest place, and their number."""
    sums: dict[int, tuple[float, int]] = {}
    for operator in root.walk():
        below = [sums[id(child)] for child in operator.children]
        sizes = [max(setting.bytes(Kept(state, place)) for place in setting.places) for state in operator.states]
        sums[id(operator)] = (sum(sizes) + sum(s for s, _ in below), len(sizes) + sum(n for _, n in below))
    return sums[id(root)]
