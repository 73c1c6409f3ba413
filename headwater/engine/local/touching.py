"""The rows that a DELETE or UPDATE touches, found by DuckDB: the condition and the values in Spark's exact meaning.

Idea: the texts are written by the parity table, as the expressions of a view are, and evaluated over Arrow rows that
the lake hands over, file after file. Only the columns that are named are looked at.
Invariant: what is found, and what it becomes, is what Spark would say; a `lane.*` error says that Spark must be asked.
Complexity: one pass over the rows. A condition of very many alternatives (a list of keys written with OR) is asked a
few at a time, of the rows that none has matched before: DuckDB's time grows with the square of their number.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import duckdb
import numpy as np
import pyarrow as pa
from sqlglot import exp

from headwater.algebra.nodes import Column, Schema
from headwater.engine.assignments import may_assign
from headwater.engine.local import parity
from headwater.engine.local.arrow import from_duckdb, to_duckdb
from headwater.engine.local.casts import converted
from headwater.engine.local.connection import connect
from headwater.engine.local.kinds import VOID
from headwater.engine.local.writing import Writer
from headwater.engine.local.written import LaneSql
from headwater.errors import HeadwaterError
from headwater.lake.rewriting import Touched

ROW, INPUT = "_hw_row", "_hw_rows"
ALTERNATIVES_AT_ONCE = 100


@dataclass(frozen=True)
class Statements:
    """What is asked of rows: the first statement of all, each further one of those not found before."""

    texts: tuple[str, ...]
    values: Schema


class LocalExpressions:
    """Evaluates expressions over rows, on a DuckDB of its own that is opened when first needed."""

    def __init__(self) -> None:
        self._connection: duckdb.DuckDBPyConnection | None = None
        self._lock = threading.Lock()

    def touched(self, statements: Statements, rows: pa.Table) -> Touched:
        data = to_duckdb(rows)
        data = data.append_column(ROW, pa.array(np.arange(rows.num_rows, dtype=np.int64)))
        found = []
        with self._lock:
            for at, text in enumerate(statements.texts):
                if at and not data.num_rows:
                    break
                result = self._asked(text, data)
                found.append(result)
                if at + 1 < len(statements.texts) and result.num_rows:
                    rest = np.ones(data.num_rows, dtype=bool)
                    rest[np.searchsorted(data.column(ROW).to_numpy(), result.column(ROW).to_numpy())] = False
                    data = data.filter(pa.array(rest))
        result = pa.concat_tables(found).sort_by(ROW)
        values = from_duckdb(result.drop_columns([ROW]), statements.values) if statements.values else result
        named = {item.name: values.column(item.name) for item in statements.values}
        return Touched(result.column(ROW).to_numpy(), named)

    def _asked(self, text: str, rows: pa.Table) -> pa.Table:
        if self._connection is None:
            self._connection = connect()
        self._connection.register(INPUT, rows)
        try:
            return self._connection.sql(text).to_arrow_table()
        except (duckdb.Error, pa.ArrowInvalid) as error:
            raise HeadwaterError("lane.failed", why=str(error).split("\n")[0]) from error
        finally:
            self._connection.unregister(INPUT)

    def close(self) -> None:
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None


def statements(
    condition: exp.Expr | None, values: Mapping[str, exp.Expr], types: Mapping[str, str], named: Mapping[str, str]
) -> Statements:
    """The texts for a condition (None: every row) and the values of columns; `named` says how each was written."""
    write = parity.writer(types)
    outputs = {name: _value(write, name, text, types[name], named) for name, text in values.items()}
    asked = [_truth(write, part) for part in _alternatives(condition)] if condition is not None else [None]
    schema = tuple(Column(name, types[name]) for name in values)
    return Statements(tuple(_statement(each, outputs) for each in asked), schema)


def _alternatives(condition: exp.Expr) -> Iterator[exp.Expr]:
    """The condition; one of very many alternatives in parts of a few."""
    parts = list(condition.flatten(unnest=False)) if isinstance(condition, exp.Or) else []
    if len(parts) <= ALTERNATIVES_AT_ONCE:
        yield condition
        return
    for start in range(0, len(parts), ALTERNATIVES_AT_ONCE):
        few = [exp.Paren(this=part.copy()) for part in parts[start : start + ALTERNATIVES_AT_ONCE]]
        yield exp.or_(*few, wrap=False, copy=False)


def _truth(write: Writer, condition: exp.Expr) -> exp.Expr:
    made = write(condition)
    if made.type == VOID:
        made = converted(made, "boolean", condition)
    if made.type != "boolean":
        raise HeadwaterError("data.assignment", what="The condition", type=made.type, wanted="boolean")
    return made.sql


def _value(write: Writer, name: str, value: exp.Expr, kind: str, named: Mapping[str, str]) -> exp.Expr:
    made = write(value)
    if not may_assign(made.type, kind):
        what = f"{named[name]}, for column {name!r},"
        raise HeadwaterError("data.assignment", what=what, type=made.type, wanted=kind)
    return converted(made, kind, value).sql


def _statement(condition: exp.Expr | None, outputs: Mapping[str, exp.Expr]) -> str:
    row = exp.Column(this=exp.to_identifier(ROW, quoted=True))
    listed = [row, *(exp.alias_(made, name, quoted=True) for name, made in outputs.items())]
    made = exp.Select(expressions=listed).from_(exp.Table(this=exp.to_identifier(INPUT, quoted=True)))
    return (made if condition is None else made.where(condition, copy=False)).sql(dialect=LaneSql)
