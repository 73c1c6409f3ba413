"""What a view stores: chosen for the change that is expected next, kept in the view's own log, within its budget.

    expected change, budget, what was measured  ->  state.strategies  ->  Keeping  ->  the view's log  ->  every process

Idea: a strategy chooses pasts; what it chose, and for which change, stands in the newest commit of the view. It is
chosen again when the next change is expected to differ from the one it was chosen for, or when what is held outgrows
the budget.
Invariant: what is stored decides what a refresh costs, never what it gives; so a choice that another process has not
heard of yet, or a past that was released under its feet, costs a rebuild.
Limits: the choice holds for one view; a budget for a whole lake (`state.division`) is not wired yet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from math import inf
from typing import Any

from headwater.delta.pasts import ROWS, Past
from headwater.refresh.definition import Definition
from headwater.state.costs import LANES, SPARK
from headwater.state.expectation import Expected, ExpectedChange, differs
from headwater.state.needed import keep_what_is_needed, possible_pasts
from headwater.state.operators import Measured
from headwater.state.problem import Knowledge
from headwater.state.selection import RECOMPUTE, Search, Selection
from headwater.state.store import PastStore
from headwater.state.strategies import strategy

LASTING_REFRESHES = 100.0  # a view lives long: so many refreshes share the cost of building a past
PLANNED = "planned"
INDIFFERENT = ("needed", "all", "none")  # strategies that choose the same whatever is expected


@dataclass(frozen=True)
class Kept:
    """What is to be stored, as the view's log keeps it: pasts by name with their keys, why, and for which change."""

    refresh: str  # incremental | full
    reason: str
    pasts: tuple[tuple[str, tuple[str, ...]], ...]
    planned_for: tuple[tuple[str, float, float, bool], ...]  # table, inserts, deletes, complete
    seconds: float  # predicted for a refresh
    curve: tuple[tuple[float, float], ...]  # bytes, seconds of a refresh with so many
    state: str = "needed"  # the strategy that chose them,
    budget: float | None = None  # within so many bytes

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, kept: Mapping[str, Any]) -> Kept:
        return cls(
            kept["refresh"],
            kept["reason"],
            tuple((name, tuple(key)) for name, key in kept["pasts"]),
            tuple((table, float(i), float(d), bool(c)) for table, i, d, c in kept["planned_for"]),
            float(kept["seconds"]),
            tuple((float(size), float(seconds)) for size, seconds in kept["curve"]),
            kept["state"],
            kept["budget"],
        )

    @property
    def limit(self) -> float:
        return inf if self.budget is None else self.budget

    @property
    def why(self) -> str:
        """The reason as a sentence."""
        return f"{self.reason[:1].upper()}{self.reason[1:]}."

    @property
    def expected(self) -> ExpectedChange:
        """The change that the pasts were chosen for."""
        return ExpectedChange({t: Expected(i, d, c, PLANNED) for t, i, d, c in self.planned_for})


@dataclass(frozen=True)
class Keeping:
    """The pasts that a view is to store, and what its log says of them."""

    pasts: tuple[Past, ...]
    kept: Kept


@dataclass(frozen=True)
class Means:
    """What a choice may use: bytes, the lane that will refresh, and what recomputing has taken."""

    budget: float = inf
    lane: str = SPARK.lane
    full_seconds: float | None = None


class Keeper:
    """Chooses what one view stores."""

    def __init__(self, definition: Definition, store: PastStore, held: Callable[[Past], int]) -> None:
        """`held`: the bytes that a past takes, in all its places."""
        self._definition, self._store, self._held = definition, store, held
        self._read: dict[Kept | None, tuple[Past, ...]] = {}

    def in_force(self, kept: Kept | None) -> tuple[Past, ...]:
        """The pasts that a view's log names; all that are needed where it does not say."""
        if kept not in self._read:
            self._read = {kept: self._of_log(kept)}
        return self._read[kept]

    def _of_log(self, kept: Kept | None) -> tuple[Past, ...]:
        plan = self._definition.plan
        if plan is None:
            return ()
        if kept is None:
            return keep_what_is_needed(plan, self._definition.statistics)
        known = possible_pasts(plan, self._definition.higher_order)
        return tuple(replace(known[name], key=key) for name, key in kept.pasts if name in known)

    def next(self, kept: Kept | None, expect: Callable[[], ExpectedChange], means: Means) -> Keeping:
        """What is in force, unless the next change is expected to differ from the one that it was chosen for."""
        now, state = self.in_force(kept), self._definition.state
        if kept is not None and (kept.state, kept.limit) == (state, means.budget):
            if state in INDIFFERENT:
                return Keeping(now, kept)
            expected = expect()
            return self.choose(expected, means, now) if differs(expected, kept.expected) else Keeping(now, kept)
        return self.choose(expect(), means, now)

    def choose(self, expected: ExpectedChange, means: Means, now: tuple[Past, ...] = ()) -> Keeping:
        """The pasts for an expected change; `now` are those that stand."""
        plan = self._definition.plan
        if plan is None:
            reason = self._definition.reason or "It has no plan."
            state, budget = self._definition.state, None if means.budget == inf else means.budget
            return Keeping((), Kept(RECOMPUTE, reason, (), _planned(expected), 0.0, (), state, budget))
        selection = self._select(expected, means, now)
        return Keeping(selection.pasts, kept_of(replace(selection, budget=means.budget), expected))

    def _select(self, expected: ExpectedChange, means: Means, now: tuple[Past, ...]) -> Selection:
        definition = self._definition
        assert definition.plan is not None
        known = self._knowledge(expected, means, now)
        chosen = strategy(definition.state)(definition.plan, expected, means.budget, known)
        recomputed_anyway = definition.policy == "auto" and (means.budget < inf or definition.state == "none")
        if chosen.refresh == RECOMPUTE and not recomputed_anyway:
            budget = 0.0 if definition.state == "none" else means.budget
            search = Search(definition.plan, expected, budget, known, strategy=definition.state)
            return search.incremental(max(budget, search.problem.always_bytes))
        return chosen

    def _knowledge(self, expected: ExpectedChange, means: Means, now: tuple[Past, ...]) -> Knowledge:
        standing = [past for past in now if self._store.folder(past) is not None]
        rows = {past.node: float(self._store.size(past)[0]) for past in standing if past.form == ROWS}
        sizes = {(past.node, past.form): float(self._held(past)) for past in standing}
        return Knowledge(
            statistics=self._definition.statistics,
            measured=Measured(rows, sizes),
            costs=LANES[means.lane],
            held=tuple(standing),
            refreshes=LASTING_REFRESHES,
            full_seconds=means.full_seconds,
        )

    # -- within the budget

    def held(self, pasts: Iterable[Past]) -> int:
        """The bytes that pasts take, measured."""
        return sum(self._held(past) for past in pasts if self._store.folder(past) is not None)

    def within(self, keeping: Keeping, means: Means) -> Keeping:
        """The same, less what does not fit the budget as it was measured: the least useful pasts first."""
        size = self.held(keeping.pasts)
        if size <= means.budget:
            return keeping
        again = self.choose(keeping.kept.expected, means, keeping.pasts)
        pasts = tuple(past for past in again.pasts if past in keeping.pasts)  # nothing new is built in an emergency
        while pasts and self.held(pasts) > means.budget:
            pasts = tuple(past for past in pasts if past != max(pasts, key=self._held))
        names = {past.name for past in pasts}
        released = [past.name for past in keeping.pasts if past.name not in names]
        reason = f"{', '.join(released)} released: {size:,} bytes held, {means.budget:,.0f} allowed"
        return Keeping(pasts, replace(again.kept, reason=reason, pasts=_named(pasts)))


def kept_of(selection: Selection, expected: ExpectedChange) -> Kept:
    return Kept(
        selection.refresh,
        selection.reason,
        _named(selection.pasts),
        _planned(expected),
        selection.seconds,
        tuple(selection.curve),
        selection.strategy,
        None if selection.budget == inf else selection.budget,
    )


def _named(pasts: Iterable[Past]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    return tuple((past.name, past.key) for past in pasts)


def _planned(expected: ExpectedChange) -> tuple[tuple[str, float, float, bool], ...]:
    return tuple((table, each.inserts, each.deletes, each.complete) for table, each in sorted(expected.items()))
