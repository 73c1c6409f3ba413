"""What the actions' formulas are computed in: the costs, where pasts may live, and what is stored already.

Idea: an action chooses states; the setting says what choosing one costs besides memory: building it, spread over the
refreshes that it is expected to serve, and appending to it what the next change brings. A past that stands is not built
again; one that is `given` (no computation gives it again, so it is stored whatever is chosen) costs nothing more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from headwater.delta.pasts import Past
from headwater.state.costs import DISK, Costs, PlaceCosts, looked_up
from headwater.state.needed import Stored
from headwater.state.operators import Operator, State, States

DELTA, FULL, KEPT = "delta", "full", "kept"  # what an operator is asked for; `kept`: its change, with its past at hand
INJECTED = frozenset(("materialize", "left"))  # what the batch would not build: materialized inputs, left hash tables


@dataclass(frozen=True)
class Kept:
    """A state that is stored, and where."""

    state: State
    place: str


@dataclass(frozen=True)
class Holding:
    """How a child's past is at hand: in states of its own, or in the groups of an aggregate below the child."""

    keeps: tuple[Kept, ...]
    asks: str  # of the child
    seconds: float  # of building and of bringing up to date
    place: PlaceCosts
    rows: float
    keyed: bool

    def look_up(self, keys: float) -> float:
        return looked_up(self.place, keys, self.rows, self.keyed)

    def scan(self) -> float:
        return self.place.scan * self.rows


@dataclass(frozen=True)
class Setting:
    """All that is the same for every operator of one selection."""

    costs: Costs
    places: tuple[str, ...] = (DISK,)
    held: frozenset[tuple[Stored, frozenset[str]]] = frozenset()  # pasts that stand, with their keys
    given: frozenset[Stored] = frozenset()
    only: frozenset[Stored] | None = None  # when what is stored is settled: nothing else is
    refreshes: float = 1.0  # that share the cost of building a state
    injected: frozenset[str] = INJECTED

    def allows(self, states: Iterable[State]) -> bool:
        return self.only is None or all(state.stored in self.only for state in states)

    def bytes(self, kept: Kept) -> float:
        """What a state takes of the budget: nothing where it is accounted for elsewhere."""
        if kept.state.stored in self.given or self.only is not None:
            return 0.0
        return taken(kept.state, self.costs.place(kept.place))

    def keeping(self, states: States, place: str, by_batch: bool) -> float:
        """Seconds of building states and of appending the next change to them."""
        new = [state for state in states if state.stored not in self.given]
        share = self.costs.kept_share if by_batch else 1.0
        where = self.costs.place(place)
        built = sum(state.rows.now * where.write for state in new if not self.stands(state))
        return share * built / self.refreshes + sum(appended(state, where) for state in new)

    def stands(self, state: State) -> bool:
        return any(
            stored == state.stored and (not state.key or key == frozenset(state.key)) for stored, key in self.held
        )

    def placed(self, states: States) -> Iterator[tuple[tuple[Kept, ...], str]]:
        """The states in each place that they may live in."""
        if not self.allows(states):
            return
        for place in self.places:
            yield tuple(Kept(state, place) for state in states), place

    def holdings(self, operator: Operator, child: int, by_batch: bool) -> Iterator[Holding]:
        """Every way to have a child's past at hand."""
        states, below = operator.inputs[child], operator.children[child]
        for keeps, place in self.placed(states) if states else ():
            seconds = self.keeping(states, place, by_batch)
            keyed = all(state.key for state in states)
            rows = sum(state.rows.now for state in states)
            yield Holding(keeps, DELTA, seconds, self.costs.place(place), rows, keyed)
        if operator.in_groups[child]:
            yield Holding((), KEPT, 0.0, self.costs.place(self.places[0]), below.rows.now, True)


def taken(state: State, place: PlaceCosts) -> float:
    """The bytes that a state takes: what was measured, else what its rows come to."""
    return state.bytes * place.density if state.measured is None else state.measured


def appended(state: State, place: PlaceCosts) -> float:
    """Seconds of bringing a state up to date: inserts and deletes apart, nothing where nothing comes."""
    if not state.rows.change:
        return 0.0
    return place.append + place.insert * state.rows.inserts + place.delete * state.rows.deletes


def standing(pasts: Iterable[Past]) -> frozenset[tuple[Stored, frozenset[str]]]:
    return frozenset(((past.node, past.form), frozenset(past.key)) for past in pasts)
