"""Hypothesis strategies: tiny tables and steps of DML over them, written so that a failure shrinks to a few rows.

A step is described by actions that always apply (delete the i-th row there is, modulo their number), so that any
shrunken list of actions is still a valid step.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from hypothesis import strategies as st

from tests.delta.harness import Bag, Row

KEYS = st.sampled_from([1, 2, 3, None])
VALUES = st.sampled_from([0, 1, 2, 3, -4, None])
STRINGS = st.sampled_from(["x", "y", "Xy", "", None])
DECIMALS = st.sampled_from([Decimal("0.25"), Decimal("1.50"), Decimal("-2.00"), Decimal("9999.99"), None])
DOUBLES = st.sampled_from([0.1, 0.2, 0.3, -1.5, float("nan"), float("inf"), None])

Rows = Mapping[str, st.SearchStrategy[Row]]  # how to draw a row, for each table

ROWS: Rows = {
    "a": st.tuples(KEYS, VALUES, STRINGS),
    "b": st.tuples(KEYS, VALUES, STRINGS),
    "c": st.tuples(KEYS, KEYS, DECIMALS, DOUBLES),
}


@dataclass(frozen=True)
class Insert:
    row: Row
    copies: int = 1

    def on(self, bag: Bag) -> list[Row]:
        return [(*self.row, self.copies)]


@dataclass(frozen=True)
class Delete:
    at: int

    def on(self, bag: Bag) -> list[Row]:
        held = list(bag.elements())
        return [(*held[self.at % len(held)], -1)] if held else []


@dataclass(frozen=True)
class Update:
    """One row takes the values of another: it may move between groups, or stay as it is."""

    at: int
    row: Row

    def on(self, bag: Bag) -> list[Row]:
        return [*gone, (*self.row, 1)] if (gone := Delete(self.at).on(bag)) else []


@dataclass(frozen=True)
class DeleteAll:
    def on(self, bag: Bag) -> list[Row]:
        return [(*row, -weight) for row, weight in bag.items()]


Action = Insert | Delete | Update | DeleteAll


@dataclass(frozen=True)
class Dml:
    """What happens to one table in one step; its change may name a row twice, or once with the sum of its weights."""

    actions: list[Action]
    consolidated: bool = False

    def change(self, bag: Bag) -> list[Row]:
        standing, change = Counter(bag), []
        for action in self.actions:
            moved = action.on(standing)
            change += moved
            for *values, weight in moved:
                standing[tuple(values)] += weight
            standing = Counter({row: weight for row, weight in standing.items() if weight > 0})
        return summed(change) if self.consolidated else change


def summed(change: list[Row]) -> list[Row]:
    totals: Bag = Counter()
    for *values, weight in change:
        totals[tuple(values)] += weight
    return [(*row, weight) for row, weight in totals.items() if weight]


def dml(row: st.SearchStrategy[Row]) -> st.SearchStrategy[Dml]:
    action = st.one_of(
        st.builds(Insert, row, st.sampled_from([1, 1, 2])),
        st.builds(Delete, st.integers(0, 5)),
        st.builds(Update, st.integers(0, 5), row),
        st.builds(DeleteAll),
    )
    return st.builds(Dml, st.lists(action, min_size=1, max_size=4), st.booleans())


Step = dict[str, Dml]


def contents(tables: list[str], most: int = 5, rows: Rows = ROWS) -> st.SearchStrategy[dict[str, list[Row]]]:
    return st.fixed_dictionaries({name: st.lists(rows[name], max_size=most) for name in tables})


def steps(tables: list[str], most: int = 3, rows: Rows = ROWS) -> st.SearchStrategy[list[Step]]:
    """Several tables at once, or one after the other."""
    one = st.fixed_dictionaries({}, optional={name: dml(rows[name]) for name in tables})
    return st.lists(one, min_size=1, max_size=most)
