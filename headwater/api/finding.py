"""What a DELETE or UPDATE touches, as an engine says: the local lane where it can, Spark where it must be asked.

Idea: the lake searches files and rewrites them; it asks here which rows, and what they become. The texts are read once.
What the parity table does not cover is Spark's, and so is what fails in the local lane: an error is always Spark's own.
Invariant: a file is ruled out only by comparisons that its statistics decide exactly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from sqlglot import exp

from headwater.algebra.nodes import Column, Schema
from headwater.delta.first_filters import alternatives
from headwater.engine.local.touching import Statements, statements
from headwater.engine.types import plan_schema
from headwater.errors import HeadwaterError
from headwater.lake.comparisons import Alternative, as_keys
from headwater.lake.data_files import DataFile
from headwater.lake.pruning import files_that_may_pass
from headwater.lake.rewriting import Check, Touched
from headwater.sql.conditions import columns_named, refused, row_expression, shortened

if TYPE_CHECKING:
    from headwater.api.lake import Lake


class Finding:
    """The rows of one table for which a condition holds, and the values that an update gives them."""

    def __init__(
        self, lake: Lake, table: str, schema: pa.Schema, where: str | None, updates: Mapping[str, str] | None = None
    ) -> None:
        self._lake = lake
        self._table = table
        self._where = where
        self._updates = updates or {}
        for name in self._updates:
            if name not in schema.names:
                raise refused(name, table, f"there is no column {name!r}, the table has {', '.join(schema.names)}")
        self._types = {item.name: item.type for item in plan_schema(schema)}
        condition = row_expression(where, table, schema.names) if where is not None else None
        values = {name: row_expression(text, table, schema.names) for name, text in self._updates.items()}
        named = [name for each in (condition, *values.values()) if each is not None for name in columns_named(each)]
        self.columns: Sequence[str] = list(dict.fromkeys(named)) or schema.names[:1]
        self._alternatives = self._compared(condition)
        self._keys = as_keys(self._alternatives)
        self._local = self._statements(condition, values)

    @property
    def shown(self) -> str:
        """What is asked for, as the log tells it."""
        set_ = ", ".join(f"{name} = {value}" for name, value in self._updates.items())
        return shortened(" WHERE ".join(part for part in (set_, self._where or "") if part))

    def candidates(self, files: Sequence[DataFile], schema: pa.Schema) -> Sequence[DataFile]:
        keys = ((self._keys,),) if self._keys is not None else self._alternatives
        return files_that_may_pass(files, keys, schema)

    def _compared(self, condition: exp.Expr | None) -> tuple[Alternative, ...]:
        columns: Schema = tuple(Column(name, kind) for name, kind in self._types.items())
        return alternatives(condition, columns) if condition is not None else ()

    def __call__(self, rows: pa.Table) -> Touched:
        if self._keys is None:
            return self._evaluated(rows)
        column = rows.column(self._keys.column)
        at = np.flatnonzero(pc.is_in(column, value_set=pa.array(self._keys.value, column.type)).to_numpy())
        found = self._evaluated(rows.take(pa.array(at)))
        return Touched(at[found.at], found.values)

    def _evaluated(self, rows: pa.Table) -> Touched:
        if self._local is not None:
            try:
                return self._lake._local.expressions.touched(self._local, rows)
            except HeadwaterError as error:
                if error.key != "lane.failed":
                    raise
                self._local = None  # its word counts, whatever it is
        try:
            return self._lake._lane.touched(rows, self._table, self._where, self._updates, self._types)
        except HeadwaterError as error:
            raise self._named(error) from None

    def _statements(self, condition: exp.Expr | None, values: Mapping[str, exp.Expr]) -> Statements | None:
        """The texts for the local lane; None where it has to be Spark."""
        if self._lake._wanted_lane == "spark" or self._lake._local_reason is not None:
            return None
        try:
            return statements(condition, values, self._types, self._updates)
        except (HeadwaterError, RecursionError) as error:
            if isinstance(error, HeadwaterError) and not error.key.startswith("lane."):
                raise self._named(error) from None
            return None

    def _named(self, error: HeadwaterError) -> HeadwaterError:
        if error.key not in ("data.assignment", "sql.invalid"):
            return error
        why = str(error.params["why"]) if error.key == "sql.invalid" else error.sentence
        text = " WHERE ".join(part for part in (", ".join(self._updates.values()), self._where or "") if part)
        why = why[0].lower() + why[1:] if why.startswith("The ") else why
        return refused(text, self._table, why.rstrip("."))


def check_of(lake: Lake, table: str, schema: pa.Schema, rules: Mapping[str, str]) -> Check | None:
    """Raises for rows that break a rule of the table; a rule that is NULL for a row is broken, as in Delta."""
    if not rules:
        return None
    found = {name: Finding(lake, table, schema, f"NOT COALESCE(({text}), FALSE)") for name, text in rules.items()}

    def check(rows: pa.Table) -> None:
        for name, broken in found.items():
            count = len(broken(rows.select(list(broken.columns))).at)
            if count:
                raise HeadwaterError("data.rule", table=table, why=f"{count} are not {rules[name]} ({name})")

    return check


def as_text(operation: str, table: str, value: Any, example: str) -> str:
    """SQL that was given as text; anything else is refused with an example of what is meant."""
    if not isinstance(value, str):
        raise HeadwaterError("data.sql_text", operation=operation, table=table, value=value, example=example)
    return value
