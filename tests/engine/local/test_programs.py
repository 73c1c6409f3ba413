"""The programs of refreshes as the local lane writes them, over random tiny databases: each change rule, each operator.

The harness of `tests/delta` compares every plan node after every step with its full form and with the user's own SQL;
here its statements are the lane's, and types are those that the parity table gives. A query that the lane refuses must
be one of those named below.
"""

from __future__ import annotations

import os
import random
from zlib import crc32

import pytest

from headwater.engine.local.connection import SETTINGS
from headwater.engine.local.statements import duckdb_sql, localized
from headwater.errors import HeadwaterError
from headwater.sql.build import build
from headwater.sql.parse import parse_query, qualified
from tests.delta import harness

STEPS = int(os.environ.get("HEADWATER_EXAMPLES", "3"))
KEYS, VALUES, STRINGS = [1, 2, 3, None], [0, 1, 2, 3, -4, None], ["x", "y", "Xy", "", None]
DECIMALS, DOUBLES = ["0.25", "1.50", "-2.00", "9999.99", None], [0.1, 0.2, 0.3, -1.5, float("nan"), None]
MOST_REFUSED = 0.35  # the share of the queries that may be Spark's alone


def typed(self, sql: str):
    """The columns of a Spark query, by the rules of the parity table."""
    types = {name: {item.name: item.type for item in columns} for name, columns in self.tables.items()}
    return localized(build(qualified(parse_query(sql), types), self.tables)).schema


def lane_sql(plan, names) -> str:
    def leaf_name(leaf) -> str:
        name = getattr(leaf, "table", None) or leaf.name
        return names.get(name, name)

    return duckdb_sql(plan, leaf_name)


@pytest.fixture
def in_the_lane(monkeypatch):
    monkeypatch.setattr(harness, "duckdb_sql", lane_sql)
    monkeypatch.setattr(harness.Database, "analyse", typed)
    made = harness.Database.__init__

    def with_settings(self, *args) -> None:
        made(self, *args)
        for name, value in SETTINGS.items():
            self.connection.execute(f"SET {name} = {value}")

    monkeypatch.setattr(harness.Database, "__init__", with_settings)


REFUSED: dict[str, str] = {}


@pytest.mark.parametrize(("title", "sql"), harness.queries().items(), ids=harness.queries().keys())
def test_every_step_is_exact(in_the_lane, title, sql):
    rng = random.Random(crc32(title.encode()))
    try:
        view = harness.Subject(sql)
        variant = view.variants[crc32(sql.encode()) % len(view.variants)]
        view.start({name: rows(name, rng, 5) for name in view.reads}, variant)
        for _ in range(STEPS):
            view.step({name: change(view.contents[name], name, rng) for name in view.reads if rng.random() < 0.7})
    except HeadwaterError as error:
        if not error.key.startswith("lane."):
            raise
        REFUSED[title] = str(error)
        pytest.skip(str(error))


def test_most_queries_are_not_refused():
    assert len(REFUSED) <= MOST_REFUSED * len(harness.queries()), REFUSED


def row(name: str, rng: random.Random) -> tuple:
    from decimal import Decimal

    if name in ("a", "b"):
        return rng.choice(KEYS), rng.choice(VALUES), rng.choice(STRINGS)
    decimal = rng.choice(DECIMALS)
    return rng.choice(KEYS), rng.choice(KEYS), decimal and Decimal(decimal), rng.choice(DOUBLES)


def rows(name: str, rng: random.Random, count: int):
    from collections import Counter

    return Counter(row(name, rng) for _ in range(count))


def change(held, name: str, rng: random.Random) -> list:
    """Some rows that come and some of those that are there that go."""
    came = [(*row(name, rng), 1) for _ in range(rng.randrange(3))]
    there = list(held.elements())
    gone = rng.sample(there, min(len(there), rng.randrange(3)))
    return came + [(*each, -1) for each in gone]
