"""What the types say of equality is what Spark does."""

from __future__ import annotations

import itertools

import pytest

from headwater.algebra.exact_types import keeps_apart

# Values that lie close together or are written in several ways, and what is read as a time.
NUMBERS = {
    "tinyint": "1 2",
    "int": "1 2 2147483647 2147483646 16777217 16777216",
    "bigint": "1 2 9007199254740992 9007199254740993 16777217 16777216",
    "float": "1 16777216 -0.0 0 NaN 0.1",
    "double": "1 16777216 16777217 9007199254740992 -0.0 0 NaN 0.1",
    "decimal(5,2)": "1 1.01 0.10",
    "decimal(20,0)": "1 9007199254740992 9007199254740993",
    "decimal(38,20)": "1 1.00000000000000000001 1.00000000000000000002 0.1",
    "decimal(38,0)": "1 9007199254740992",
}
TIMES = {
    "date": "2020-01-01 2011-12-30 2011-12-31",
    "timestamp": "2020-01-01 2011-12-30 2011-12-31",
    "timestamp_ntz": "2020-01-01 2011-12-30 2011-12-31",
}
OTHERS = {"boolean": "true false", "binary": "1 01"}
TEXTS = {  # that meet a type
    **dict.fromkeys(NUMBERS, "1 01 9007199254740992 9007199254740993"),
    **dict.fromkeys(TIMES, "2020-01-01 2020-1-1 2011-12-30"),
    "boolean": "true t",
    "binary": "1 01",
}
FAMILIES = (NUMBERS, TIMES, *({kind: values} for kind, values in OTHERS.items()))
PAIRS = [
    *(pair for family in FAMILIES for pair in itertools.product(family, repeat=2)),
    *((kind, "string") for family in FAMILIES for kind in family),
    *(("string", kind) for family in FAMILIES for kind in family),
]
SHOWN_TO_MERGE = {("string", "int"), ("bigint", "double"), ("decimal(38,20)", "decimal(38,0)"), ("date", "timestamp")}


def literals(kind: str, meets: str) -> str:
    values = TEXTS[meets] if kind == "string" else next(family[kind] for family in FAMILIES if kind in family)
    return ", ".join(f"(CAST('{value}' AS {kind}))" for value in values.split())


def merged(kind: str, other: str) -> str:
    """How many different values of a type equal one value of the other type together with a second one."""
    x, y = (f"(SELECT {name} FROM VALUES {literals(kind, other)} AS t({name}))" for name in "xy")
    z = f"(SELECT z FROM VALUES {literals(other, kind)} AS t(z))"
    return f"SELECT COUNT_IF(x <> y AND x = z AND y = z) AS n FROM {x}, {y}, {z}"


@pytest.fixture
def apia(spark):
    """A session in a time zone that left out the 30th of December 2011."""
    session = spark.newSession()
    session.conf.set("spark.sql.session.timeZone", "Pacific/Apia")
    return session


def test_what_is_kept_apart_differs_in_spark(apia):
    rows = apia.sql(" UNION ALL ".join(merged(*pair) for pair in PAIRS)).collect()
    found = {pair for pair, row in zip(PAIRS, rows, strict=True) if row.n}
    assert not {pair for pair in found if keeps_apart(*pair)}
    assert found >= SHOWN_TO_MERGE


def test_what_is_not_known_is_merged():
    assert not keeps_apart("", "int")
    assert not keeps_apart("int", "")
    assert not keeps_apart("array<int>", "array<bigint>")
    assert not keeps_apart("string", "string collate utf8_lcase")
