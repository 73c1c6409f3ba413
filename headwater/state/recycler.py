"""A cache of states by benefit: the baseline that does not look ahead.

    benefit of a state = seconds of computing it from what is cached  x  how often it is read  /  its bytes

Idea: states pass by in the order in which the batch makes them, inputs first. One that finds room is cached; one that
does not takes the place of cached states if those have, together and on average, a lower benefit, the lowest first.
Invariant: what is cached fits the budget. Benefits know how large the tables are and nothing of what will change.
Complexity: quadratic in the number of states, since a benefit depends on what else is cached.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from headwater.delta.pasts import PARTIALS, ROWS
from headwater.state.actions import actions
from headwater.state.costs import PlaceCosts
from headwater.state.needed import Stored
from headwater.state.operators import Operator, State
from headwater.state.setting import KEPT, Setting, taken


@dataclass(frozen=True)
class Candidate:
    """A state that could be cached, and how many operators read it."""

    state: State
    bytes: float
    uses: int


def cached(root: Operator, setting: Setting, budget: float) -> tuple[State, ...]:
    """The states that the cache holds after the batch. The operators are those of a plan without expected changes."""
    place = setting.costs.place(setting.places[0])
    kept: dict[Stored, Candidate] = {}
    for candidate in candidates(root, place):
        if candidate.state.stored in setting.given:
            continue
        evicted = _to_evict(candidate, kept, root, setting, budget)
        if evicted is not None:
            kept = {stored: each for stored, each in kept.items() if stored not in evicted}
            kept[candidate.state.stored] = candidate
    return tuple(candidate.state for candidate in kept.values())


def candidates(root: Operator, place: PlaceCosts) -> tuple[Candidate, ...]:
    """Every state that an operator could read, inputs first."""
    found: dict[Stored, State] = {}
    uses: dict[Stored, int] = {}
    for operator in root.walk():
        for state in operator.states:
            known = found.setdefault(state.stored, state)
            if state.key and not known.key:
                found[state.stored] = state
            uses[state.stored] = uses.get(state.stored, 0) + 1
    return tuple(Candidate(state, taken(state, place), uses[stored]) for stored, state in found.items())


def _to_evict(
    new: Candidate, kept: Mapping[Stored, Candidate], root: Operator, setting: Setting, budget: float
) -> Collection[Stored] | None:
    """Which states make room; none at all where there is room, None where it is not worth it."""
    missing = new.bytes + sum(each.bytes for each in kept.values()) - budget
    if missing <= 0:
        return ()
    worth = benefits((new, *kept.values()), root, setting, kept)
    going: list[Stored] = []
    for stored in sorted(kept, key=lambda each: worth[each]):
        going.append(stored)
        missing -= kept[stored].bytes
        if missing <= 0:
            average = sum(worth[each] for each in going) / len(going)
            return going if average < worth[new.state.stored] else None
    return None


def benefits(
    wanted: Collection[Candidate], root: Operator, setting: Setting, kept: Collection[Stored]
) -> dict[Stored, float]:
    """What each state is worth: its own computing is counted as if it were not there."""
    making = seconds_of_making(root, setting, kept)
    return {each.state.stored: making[each.state.stored] * each.uses / max(1.0, each.bytes) for each in wanted}


def seconds_of_making(root: Operator, setting: Setting, kept: Collection[Stored]) -> dict[Stored, float]:
    """Of each state, from the base tables and from what is cached."""
    scan = setting.costs.place(setting.places[0]).scan
    full: dict[int, float] = {}
    made: dict[Stored, float] = {}
    for operator in root.walk():
        again = _bare(operator, setting) + sum(full[id(child)] for child in operator.children)
        at_hand = any((operator.node, form) in kept for form in (ROWS, PARTIALS))
        full[id(operator)] = min(again, scan * operator.rows.now) if at_hand else again
        made |= {state.stored: again for state in operator.own}
        for child, states in zip(operator.children, operator.inputs, strict=False):
            for state in states:
                made.setdefault(state.stored, full[id(child)])
    return made


def _bare(operator: Operator, setting: Setting) -> float:
    """An operator's own seconds when nothing is kept."""
    without = (action.full for action in actions(operator, setting) if not action.keeps)
    return max(way.seconds for way in without if KEPT not in way.asks)
