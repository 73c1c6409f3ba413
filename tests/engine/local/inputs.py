"""The rows that expressions are compared over, and random expressions from the parity table's samples."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal

import pyarrow as pa
from sqlglot import exp

from headwater.algebra.expressions import column
from headwater.engine.local import parity
from headwater.engine.local.kinds import FRACTIONS, INTEGERS, is_decimal
from headwater.engine.local.writing import Typed
from headwater.engine.types import arrow_type
from headwater.errors import HeadwaterError
from headwater.sql.parse import parse_query

COLUMNS = {
    "i8": "tinyint", "i16": "smallint", "i32": "int", "j32": "int", "i64": "bigint", "j64": "bigint",
    "d": "decimal(12,2)", "e": "decimal(5,3)", "h": "decimal(18,0)", "m": "decimal(38,6)", "w": "decimal(25,10)",
    "f": "double", "g": "double", "s": "string", "p": "string", "b": "boolean", "q": "boolean",
    "t": "date", "u": "date", "c": "timestamp", "v": "timestamp", "row": "int",
}  # fmt: skip
ROWS = 64
NAN, INF = float("nan"), float("inf")


def _integers(bits: int) -> list[int]:
    top = 2 ** (bits - 1)
    return [0, 1, -1, 2, 3, -7, 10, 100, top - 1, -top, top // 2, -top // 3]


def _decimals(precision: int, scale: int) -> list[Decimal]:
    unit = Decimal(1).scaleb(-scale)
    digits = [
        0,
        1,
        -1,
        5,
        -5,
        15,
        25,
        -35,
        45,
        10**scale,
        -(10**scale),
        7 * 10**scale,
        10**precision - 1,
        1 - 10**precision,
    ]
    middle = [10 ** (precision // 2) + 5, -(10 ** (precision // 2)) - 15, 123456789 % 10**precision]
    context = [Decimal(n) * 1 for n in (*digits, *middle)]
    return [Decimal((n.as_tuple().sign, n.as_tuple().digits, -scale)) for n in context if unit]


EDGES = {
    "tinyint": _integers(8), "smallint": _integers(16), "int": _integers(32), "bigint": [*_integers(64), 2**53 + 1],
    "decimal(12,2)": _decimals(12, 2), "decimal(5,3)": _decimals(5, 3), "decimal(18,0)": _decimals(18, 0),
    "decimal(38,6)": _decimals(38, 6), "decimal(25,10)": _decimals(25, 10),
    "double": [0.0, -0.0, 1.0, -1.5, 0.1, 2.5, -2.5, 1e16, -1e16, 1e308, 5e-324, NAN, INF, -INF, 2147483647.5, -2147483648.9,
               9.223372036854775807e18, -9.3e18, 1 / 3, 127.9, 1e-7],
    "string": ["", " ", "a", "abc", "Abc,d", "b", "a_b%", "  é\\x  ", "é", "e\u0301", "😀x", "ß", "İ", "12", " 12 ", "+7", "-0", "1.5", "1e3",
               ".5", "5.", "1_000", "nan", "NaN", "-Infinity", "inf", "1.5d", "0x1A", "true", "F", " yes ", "2024-02-29", "2024-2-9",
               "2023-02-29", "2024-01-31 10:00:00", "2024-01-31T", "999", "2024", "300", "\t9\n", "99999999999", "aXbXc", "ab" * 40, "a\0b", "tést a "],
    "boolean": [True, False],
    "date": [date(1, 1, 1), date(1582, 10, 4), date(1582, 10, 15), date(1900, 2, 28), date(1969, 12, 31), date(1970, 1, 1), date(2000, 2, 29),
             date(2020, 12, 31), date(2021, 1, 3), date(2023, 12, 31), date(2024, 1, 31), date(2024, 2, 29), date(9999, 12, 31)],
    "timestamp": [datetime(1, 1, 1, tzinfo=UTC), datetime(1969, 12, 31, 23, 59, 59, 500_000, tzinfo=UTC), datetime(1970, 1, 1, tzinfo=UTC),
                  datetime(2000, 2, 29, 12, 34, 56, 123_456, tzinfo=UTC), datetime(2023, 3, 26, 1, 30, tzinfo=UTC), datetime(2024, 1, 31, 5, tzinfo=UTC),
                  datetime(2024, 2, 29, 23, 59, 59, 999_999, tzinfo=UTC), datetime(1883, 11, 18, 12, 3, 58, tzinfo=UTC), datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)],
}  # fmt: skip
NULLS = 0.05  # the share of the operands of nested expressions that are a NULL written down
_SMALL = 0.35  # the share of small integers, so that operations without overflow are common


def rows(seed: int = 0) -> pa.Table:
    """Random rows of edge values, some NULL."""
    draw = random.Random(seed)
    made = {}
    for name, kind in COLUMNS.items():
        values = [_value(kind, draw) for _ in range(ROWS)] if name != "row" else list(range(ROWS))
        made[name] = pa.array(values, arrow_type(kind))
    return pa.table(made)


def _value(kind: str, draw: random.Random) -> object:
    if draw.random() < 0.1:
        return None
    if kind in INTEGERS and draw.random() < _SMALL:
        return draw.randint(-12, 40)
    if kind == "double" and draw.random() < _SMALL:
        return round(draw.uniform(-1e6, 1e6), draw.randint(0, 6))
    if is_decimal(kind) and draw.random() < _SMALL:
        precision, scale = map(int, kind[8:-1].split(","))
        return Decimal(draw.randint(-(10 ** min(precision, 9)) + 1, 10 ** min(precision, 9) - 1)).scaleb(-scale)
    return draw.choice(EDGES[kind])


# -- expressions

_LETTERS = {
    "i": lambda kind: kind in INTEGERS,
    "k": lambda kind: kind in INTEGERS[:3],
    "d": is_decimal,
    "f": lambda kind: kind == "double",
    "n": lambda kind: kind in INTEGERS or is_decimal(kind) or kind == "double",
    "s": lambda kind: kind == "string",
    "b": lambda kind: kind == "boolean",
    "t": lambda kind: kind == "date",
    "c": lambda kind: kind == "timestamp",
    "D": lambda kind: kind in ("date", "timestamp"),
    "x": lambda kind: True,
}
_OPERAND = re.compile(r"\{(\w)\}")
SCALAR = [
    sample
    for name, listed in parity.SECTIONS.items()
    if name not in ("Aggregates", "Window functions")
    for entry in listed
    for sample in entry.samples
]


# Spark computes the operands of these below the projection, out of reach of what catches errors row by row: they are
# compared over columns, and not over operands that may raise.
BELOW = ("BETWEEN", "NULLIF", "NULL_IF")
NESTED = [sample for sample in SCALAR if not any(word in sample for word in BELOW)]


def parsed(sql: str) -> exp.Expr:
    """An expression as it stands in a plan: read by the views' dialect, columns quoted and bare."""
    item = parse_query(f"SELECT {sql} AS x FROM edges").expressions[0].unalias()
    return item.transform(lambda part: column(part.name) if isinstance(part, exp.Column) else part)


def written(sql: str) -> Typed | None:
    """The expression for DuckDB, or None when the lane refuses it."""
    try:
        return parity.write(parsed(sql), COLUMNS)
    except HeadwaterError as error:
        assert error.key in ("lane.expression", "lane.type"), error
        return None


class Expressions:
    """Random expressions, nested to a depth; each is one that the lane accepts."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        self.by_type: dict[str, list[str]] = {}
        for sample in SCALAR:
            for _ in range(3):
                found = written(self.filled(sample, 0))
                if found is not None and found.type != "void" and sample in NESTED:
                    self.by_type.setdefault(found.type, []).append(sample)

    def filled(self, sample: str, depth: int) -> str:
        return _OPERAND.sub(lambda place: self.operand(place[1], depth), sample)

    def operand(self, letter: str, depth: int) -> str:
        fits = _LETTERS[letter]
        if depth > 0 and self.draw.random() < NULLS:
            return f"CAST(NULL AS {self.draw.choice([kind for kind in COLUMNS.values() if fits(kind)])})"
        if depth > 0 and self.draw.random() < 0.6:
            kinds = sorted(kind for kind in self.by_type if fits(kind))
            if kinds:
                return f"({self.filled(self.draw.choice(self.by_type[self.draw.choice(kinds)]), depth - 1)})"
        return self.draw.choice([name for name, kind in COLUMNS.items() if fits(kind)])

    def alone(self, samples: list[str], times: int) -> Iterator[str]:
        """Each sample over columns."""
        for sample in samples:
            yield from self._accepted(sample, 0, times)

    def nested(self, depth: int) -> Iterator[str]:
        """Random samples over random samples, without end."""
        while True:
            yield from self._accepted(self.draw.choice(NESTED), depth, 1)

    def _accepted(self, sample: str, depth: int, times: int) -> Iterator[str]:
        found = 0
        for _ in range(20 * times):
            sql = self.filled(sample, depth)
            if written(sql) is not None and len(sql) < 600:
                yield sql
                found += 1
            if found == times or ("{" not in sample and found):
                return
        if depth == 0 and not found:
            raise AssertionError(f"the lane accepts no form of the sample {sample!r}")


def is_fraction(kind: str) -> bool:
    return kind in FRACTIONS
