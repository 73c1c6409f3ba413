"""What the next change of each base table will be: the values, and when two of them call for different plans.

Idea: a plan is chosen for the change that is expected next. An expectation is a number of inserts and deletes per
table, whether the table is complete, and where this is known from; planner and EXPLAIN read the same values.
Invariant: numbers are finite and not negative; a complete table expects no rows. An expectation that proves wrong costs
time or memory, never a row.
Complexity: the number of tables.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

# Where an expectation is known from, in order of precedence (see `predictors`).
DECLARED = "declared"
LATENESS = "lateness"
LONG_TAIL = "long tail"
RATE = "rate"
DEFAULT = "default"
ARRIVED = "arrived"  # not expected but counted: the change that is there now

DIFFERENT_FACTOR = (
    4.0  # a change 30 times off still gets the right pasts (the paper's figure 5); replanning costs little
)
NEGLIGIBLE_ROWS = 64.0  # changes below this cost the floor of a refresh, whichever is larger
SOME_ROWS = 1.0  # from here on a table is expected to change;
HARDLY_ANY_ROWS = 0.25  # from here down it is not; in between it stays what it was planned as


@dataclass(frozen=True)
class Expected:
    """A table's next change. `why` is the reason in words; it does not make two expectations different."""

    inserts: float
    deletes: float
    complete: bool
    source: str
    why: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        if not all(math.isfinite(rows) and rows >= 0 for rows in (self.inserts, self.deletes)):
            raise ValueError(f"a change of {self.inserts} inserts and {self.deletes} deletes cannot be")
        if self.complete and (self.inserts or self.deletes):
            raise ValueError("a complete table expects no rows")

    @property
    def rows(self) -> float:
        return self.inserts + self.deletes

    def __str__(self) -> str:
        return f"{self._numbers()} ({self.source}{f': {self.why}' if self.why else ''})"

    def _numbers(self) -> str:
        if self.complete:
            return "complete, no change"
        if not self.rows:
            return "no change"
        parts = ((self.inserts, "insert"), (self.deletes, "delete"))
        return ", ".join(counted(rows, what) for rows, what in parts if rows)


class ExpectedChange(Mapping[str, Expected]):
    """The expected change of every table that a view reads; immutable."""

    def __init__(self, tables: Mapping[str, Expected]) -> None:
        self._tables = dict(tables)

    def __getitem__(self, table: str) -> Expected:
        return self._tables[table]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tables)

    def __len__(self) -> int:
        return len(self._tables)

    def __hash__(self) -> int:
        return hash(frozenset(self._tables.items()))

    def __repr__(self) -> str:
        return f"ExpectedChange({self._tables!r})"

    @property
    def changing(self) -> frozenset[str]:
        """The tables that are expected to change."""
        return frozenset(table for table, expected in self.items() if expected.rows >= SOME_ROWS)

    def sentence(self, table: str) -> str:
        """What is expected of a table, and where that is known from."""
        return f"{table}: {self[table]}"

    def as_dict(self) -> dict[str, Any]:
        return {table: asdict(expected) for table, expected in self.items()}


NOTHING_EXPECTED = ExpectedChange({})


def arrived(counts: Mapping[str, tuple[int, int]]) -> ExpectedChange:
    """A change that is there, in the form of an expectation."""
    return ExpectedChange(
        {name: Expected(inserts, deletes, False, ARRIVED) for name, (inserts, deletes) in counts.items()}
    )


def differs(predicted_next: Mapping[str, Expected], current: Mapping[str, Expected]) -> bool:
    """Whether a plan made for `current` should be made again for `predicted_next`.

    `current` is what the plan in force was made for, not the last prediction: so a slow drift adds up until it counts,
    and a prediction that sways around a threshold does not.
    """
    if predicted_next.keys() != current.keys():
        return True
    return any(_differs(predicted_next[table], planned) for table, planned in current.items())


def _differs(predicted: Expected, planned: Expected) -> bool:
    if predicted.complete != planned.complete:
        return True
    kinds = ((predicted.inserts, planned.inserts), (predicted.deletes, planned.deletes))
    return any(_far_apart(*pair) or _comes_or_goes(*pair) for pair in kinds)


def _far_apart(first: float, second: float) -> bool:
    low, high = sorted((first, second))
    return high + NEGLIGIBLE_ROWS > DIFFERENT_FACTOR * (low + NEGLIGIBLE_ROWS)


def _comes_or_goes(predicted: float, planned: float) -> bool:
    return predicted <= HARDLY_ANY_ROWS if planned >= SOME_ROWS else predicted >= SOME_ROWS


def counted(rows: float, what: str) -> str:
    """A number of rows in words: a fraction of a row is less than one."""
    if 0 < rows < SOME_ROWS:
        return f"less than one {what}"
    return f"{rows:,.0f} {what}{'' if round(rows) == 1 else 's'}"
