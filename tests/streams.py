"""Streams of small changes to every table of a database: inserts, updates and deletes through the public API.

Idea: a new row is an old one with some columns set anew; values are those that the column had at the start, so that
they stay what queries ask for and a small table does not drift to one value. Foreign keys are drawn from the table
they point to, too, or from its deleted rows, so that some dangle. Deleted rows come back, unchanged, in later
batches, most of those of a dimension. Tables that must keep an inner logic (a calendar) bring a maker of rows.
Invariant: keys stay unique and are never NULL; every table sees an insert, an update and a delete in every batch; the
number of rows of a table hardly moves; the same seed gives the same stream.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Any

import pyarrow as pa

Row = dict[str, Any]
Key = tuple[Any, ...]

CROSSED = 0.3  # share of a new row's columns that are set anew
NULLS = 0.1  # share of NULLs among values that are set
POINTED = 0.5  # share of new foreign keys drawn from the table they point to, not from their own column
UPSERTED = 0.3  # share of batches in which a table also sees an upsert
REMEMBERED = 20  # deleted rows of a table that may come back


@dataclass(frozen=True)
class Rules:
    """How a table changes: `rows` of each kind a batch, `fixed` columns are never updated or NULL.

    A new row's key comes from `make`, or from a `parent` (its table, and its column per key column), or counts up in
    the column `counter`, or else is a new combination of the key columns' values.
    """

    key: tuple[str, ...]
    counter: str | None = None
    parent: tuple[str, Mapping[str, str]] | None = None
    fixed: frozenset[str] = frozenset()
    references: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    make: Callable[[list[Row]], Row | None] | None = None
    rows: int = 1
    returned: float = 0.8  # share of inserts that bring a deleted row back


class Stream:
    """Disturbs the tables of a lake, a batch at a time."""

    def __init__(self, lake: Any, rules: Mapping[str, Rules], seed: int) -> None:
        self._lake = lake
        self._rules = rules
        self._rng = random.Random(seed)
        self._gone: dict[str, list[Row]] = {name: [] for name in rules}
        self._last: dict[str, int] = {}
        self._now: dict[str, list[Row]] = {}  # rows of tables, forgotten when they change
        self._first = {name: self._rows(name) for name in rules}

    def batch(self) -> None:
        for name in self._rules:
            self._disturb(name)

    def _disturb(self, name: str) -> None:
        rules, table = self._rules[name], self._lake.table(name)
        rows = self._rows(name)
        deleted = self._rng.sample(rows, min(rules.rows, len(rows) - 1))
        new: list[Row] = []
        for _ in range(rules.rows):
            row = self._insert(name, [*rows, *new])
            new += [row] if row is not None else []
        self._remember(name, deleted, new)
        table.delete(" OR ".join(f"({self._is(name, row)})" for row in deleted))
        kept = [row for row in rows if row not in deleted]
        for row in self._rng.sample(kept, min(rules.rows, len(kept))):
            column = self._rng.choice([column for column in row if column not in rules.fixed])
            value = literal(self._value(name, column))
            table.update({column: value}, where=self._is(name, row))
        if new:
            table.append(pa.Table.from_pylist(new, table.schema))
        if self._rng.random() < UPSERTED:
            changed = self._crossed(name, self._rng.choice(kept))
            table.upsert(pa.Table.from_pylist([changed], table.schema), on=list(rules.key))
        del self._now[name]

    # -- rows

    def _rows(self, name: str) -> list[Row]:
        if name not in self._now:
            order = [(column, "ascending") for column in self._rules[name].key]
            self._now[name] = self._lake.table(name).arrow().sort_by(order).to_pylist()
        return self._now[name]

    def _key(self, name: str, row: Row) -> Key:
        return tuple(row[column] for column in self._rules[name].key)

    def _is(self, name: str, row: Row) -> str:
        return " AND ".join(f"{column} = {literal(row[column])}" for column in self._rules[name].key)

    def _remember(self, name: str, deleted: list[Row], new: list[Row]) -> None:
        back = {self._key(name, row) for row in new}
        gone = [row for row in self._gone[name] if self._key(name, row) not in back]
        self._gone[name] = [*gone, *deleted][-REMEMBERED:]

    def _insert(self, name: str, rows: list[Row]) -> Row | None:
        """A row whose key no other has: one that was deleted, or a new one; None if there is no free key."""
        if self._gone[name] and self._rng.random() < self._rules[name].returned:
            return self._gone[name].pop(self._rng.randrange(len(self._gone[name])))
        rules = self._rules[name]
        if rules.make is not None:
            return rules.make([*rows, *self._gone[name]])
        key = self._free_key(name, rows)
        return None if key is None else self._crossed(name, self._rng.choice(rows)) | key

    def _free_key(self, name: str, rows: list[Row]) -> Row | None:
        rules = self._rules[name]
        if rules.counter is not None:
            highest = max(row[rules.counter] for row in [*rows, *self._gone[name]])
            self._last[name] = 1 + max(highest, self._last.get(name, 0))
            others = self._rng.choice(rows)
            return {column: others[column] for column in rules.key} | {rules.counter: self._last[name]}
        taken = {self._key(name, row) for row in [*rows, *self._gone[name]]}
        parents = self._rows(rules.parent[0]) if rules.parent is not None else []
        for _ in range(20):
            if rules.parent is not None:
                parent = self._rng.choice(parents)
                found = {column: parent[rules.parent[1][column]] for column in rules.key}
            else:
                found = {column: self._rng.choice(rows)[column] for column in rules.key}
            if tuple(found.values()) not in taken:
                return found
        return None

    def _crossed(self, name: str, row: Row) -> Row:
        fixed = self._rules[name].fixed | set(self._rules[name].key)
        return {
            column: self._value(name, column) if column not in fixed and self._rng.random() < CROSSED else value
            for column, value in row.items()
        }

    def _value(self, name: str, column: str) -> Any:
        """A value for a column: NULL, a key of the table it points to, or what some row had at the start."""
        if self._rng.random() < NULLS:
            return None
        target = self._rules[name].references.get(column)
        if target is not None and self._rng.random() < POINTED:
            table, key = target
            return self._rng.choice([*self._rows(table), *self._gone[table]])[key]
        return self._rng.choice(self._first[name])[column]


def literal(value: Any) -> str:
    """A value as SQL."""
    if value is None:
        return "NULL"
    if isinstance(value, (int, Decimal)):
        return str(value)
    if isinstance(value, date):
        return f"DATE '{value.isoformat()}'"
    assert isinstance(value, str)
    return "'" + value.replace("'", "''") + "'"
