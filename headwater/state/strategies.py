"""The ways to choose what a view stores, behind one interface: DISS, its restricted forms, and its baselines.

    diss          the dynamic program: least cost of the next refresh within the budget
    none          nothing; every refresh recomputes (the paper's ReBatch)
    needed        whatever the change rules read, for any change and whatever it takes
    all           every higher-order view (DBToaster), likewise
    recycler      a cache by benefit, which knows the past and not the next change
    pipelined     DISS without injected operators: only what the batch builds anyway may be kept
    materialize   DISS that may inject Materialize, but builds no left hash tables

Idea: a strategy chooses pasts and nothing else; what its choice costs is predicted by the same actions for all of them,
with what is stored settled. So strategies can be compared before they run.
Invariant: every strategy stores what no computation gives again, or recomputes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from math import inf

from headwater.algebra.nodes import Node
from headwater.algebra.statistics import estimate
from headwater.errors import HeadwaterError
from headwater.state.costs import DISK
from headwater.state.dynamic_program import DynamicProgram
from headwater.state.needed import Stored, keep_higher_order_views, keep_what_is_needed
from headwater.state.operators import Expected, State, width_of
from headwater.state.problem import NOTHING, Knowledge, Problem, Stowed
from headwater.state.recycler import cached
from headwater.state.selection import INCREMENTAL, RECOMPUTE, Selection, decisions, select
from headwater.state.setting import DELTA, Kept

Strategy = Callable[[Node, Expected, float, Knowledge], Selection]

NOTHING_INJECTED: frozenset[str] = frozenset()
MATERIALIZE_ONLY = frozenset(("materialize",))


def none(plan: Node, expected: Expected, budget: float = inf, knowledge: Knowledge = NOTHING) -> Selection:
    """Recompute, whatever it costs."""
    seconds = Problem(plan, expected, knowledge).recompute_seconds
    return Selection("none", RECOMPUTE, "nothing is stored", (), (), seconds, seconds, budget, ((0.0, seconds),))


def needed(plan: Node, expected: Expected, budget: float = inf, knowledge: Knowledge = NOTHING) -> Selection:
    """All that the change rules read; it does not ask whether it fits (`Selection.fits`)."""
    problem = Problem(plan, expected, knowledge)
    states = {state.stored: state for operator in problem.root.walk() for state in operator.states}
    pasts = keep_what_is_needed(plan, knowledge.statistics)
    wanted = [states[past.node, past.form] for past in pasts if (past.node, past.form) in states]
    return settled("needed", "all that the change rules read", problem, wanted, budget)


def everything(plan: Node, expected: Expected, budget: float = inf, knowledge: Knowledge = NOTHING) -> Selection:
    """Every higher-order view. Its cost is taken for that of what is needed: the formulas know no such views."""
    found = needed(plan, expected, budget, knowledge)
    disk = knowledge.costs.place(DISK)
    known = {stowed.past: stowed for stowed in found.stored}
    stored = []
    for past in keep_higher_order_views(plan, knowledge.statistics):
        rows = estimate(past.node, knowledge.statistics).rows
        size = knowledge.measured.bytes.get((past.node, past.form), rows * width_of(past.schema) * disk.density)
        stored.append(known.get(past) or Stowed(past, DISK, rows, size))
    return replace(found, strategy="all", reason="every higher-order view", stored=tuple(stored))


def recycler(plan: Node, expected: Expected, budget: float = inf, knowledge: Knowledge = NOTHING) -> Selection:
    """What the cache holds; chosen without the expected change, and costed with it."""
    problem, blind = Problem(plan, expected, knowledge), Problem(plan, {}, knowledge)
    if budget < problem.always_bytes:
        return replace(none(plan, expected, budget, knowledge), strategy="recycler")
    kept = {state.stored for state in cached(blind.root, blind.setting, budget - problem.always_bytes)}
    states = {state.stored: state for operator in problem.root.walk() for state in operator.states}
    return settled("recycler", "the states of the highest benefit", problem, (states[each] for each in kept), budget)


def settled(name: str, reason: str, problem: Problem, states: Iterable[State], budget: float) -> Selection:
    """The selection that stores these states and those that are stored in any case."""
    place = problem.always_place
    kept = [Kept(state, place) for state in states]
    stored = problem.stowed(kept)
    setting = problem.settled(each.state.stored for each in kept)
    solved = DynamicProgram(problem.root, setting, 1.0, 0)
    steps = list(solved.steps(DELTA))
    read: set[Stored] = {each.state.stored for step in steps for each in step.chosen.action.keeps}
    unread = (each.state for each in kept if each.state.stored not in read)
    idle = sum(setting.keeping((state,), place, by_batch=False) for state in unread)
    seconds = solved.seconds() + idle + problem.always_seconds
    size = sum(each.bytes for each in stored)
    full = problem.recompute_seconds
    curve = ((0.0, full), (size, seconds)) if size and seconds < full else ((0.0, full if size else seconds),)
    return Selection(
        name,
        INCREMENTAL,
        reason,
        stored,
        decisions(steps, stored, setting),
        seconds,
        problem.recompute_seconds,
        budget,
        curve,
    )


STRATEGIES: Mapping[str, Strategy] = {
    "diss": select,
    "none": none,
    "needed": needed,
    "all": everything,
    "recycler": recycler,
    "pipelined": partial(select, injected=NOTHING_INJECTED, strategy="pipelined"),
    "materialize": partial(select, injected=MATERIALIZE_ONLY, strategy="materialize"),
}


def strategy(name: str) -> Strategy:
    """By the name that a view's `state` has."""
    if name not in STRATEGIES:
        known = ", ".join(STRATEGIES)
        raise HeadwaterError("view.option", option="state", value=name, expected=f"use one of {known}")
    return STRATEGIES[name]
