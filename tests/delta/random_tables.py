"""Random tables: a few columns each, of types that a query may mix, under names that collide.

Idea: what a query may do with a column follows from its kind alone: `int` covers all integers, `decimal` all scales.
`shown` columns hold doubles whose last bits depend on the order of a sum: they may only be passed on.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from decimal import Decimal

from hypothesis import strategies as st

from headwater.algebra.nodes import Column, Schema
from tests.delta.databases import DOUBLES, KEYS, STRINGS, VALUES, Rows

Kinds = Mapping[str, str]  # column name to kind

KINDS = ("int", "string", "decimal", "double", "date", "boolean")
NAMES = ("k", "v", "s", "w", "d", "K2")  # drawn from a short list, so that most tables share some
TABLE_NAMES = ("a", "b", "c")
TYPES: Mapping[str, tuple[str, ...]] = {
    "int": ("int", "bigint"),
    "string": ("string",),
    "decimal": ("decimal(6,2)", "decimal(12,3)"),
    "double": ("double",),
    "date": ("date",),
    "boolean": ("boolean",),
}
DRAWN: Mapping[str, st.SearchStrategy] = {
    "int": VALUES,
    "string": st.one_of(STRINGS, st.sampled_from(["é", "x "])),
    "decimal": st.sampled_from([Decimal("0.25"), Decimal("1.50"), Decimal("-2.00"), Decimal("9999.99"), None]),
    "double": st.one_of(DOUBLES, st.sampled_from([0.0, -0.0, float("-inf"), 1e9])),
    "date": st.sampled_from([date(2024, 2, 29), date(2023, 12, 31), date(2024, 3, 1), None]),
    "boolean": st.sampled_from([True, False, None]),
}


def kind_of(type_: str) -> str:
    return next(kind for kind, types in TYPES.items() if type_ in types)


def kinds_of(schema: Schema) -> Kinds:
    return {item.name: kind_of(item.type) for item in schema}


@st.composite
def schemas(draw: st.DrawFn) -> dict[str, Schema]:
    """Three tables; the first column of each is an integer of few values, a key to join by."""
    made = {}
    for table in TABLE_NAMES:
        names = draw(st.lists(st.sampled_from(NAMES[1:]), max_size=4, unique=True))
        kinds = [draw(st.sampled_from(KINDS)) for _ in names]
        types = [draw(st.sampled_from(TYPES[kind])) for kind in ["int", *kinds]]
        made[table] = tuple(Column(name, kind) for name, kind in zip([NAMES[0], *names], types, strict=True))
    return made


def rows_of(tables: Mapping[str, Schema]) -> Rows:
    """A strategy for the rows of each table."""
    found = {}
    for table, columns in tables.items():
        kinds = [kind_of(item.type) for item in columns]
        found[table] = st.tuples(KEYS, *(DRAWN[kind] for kind in kinds[1:]))
    return found
