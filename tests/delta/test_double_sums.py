"""Sums of doubles depend on the order of the rows, which no engine promises.

So the row of a group that leaves a view must be the one that came, to the last bit, and not one computed again.
"""

from __future__ import annotations

import random

import pytest

from tests.delta.harness import Subject, queries

DOUBLES = {title: sql for title, sql in queries().items() if "double" in title or "spread" in title}
QUERIES = {title: sql for title, sql in DOUBLES.items() if "SUM(f)" in sql or "AVG(f)" in sql or "STDDEV" in sql}


def row(rng: random.Random, table: str) -> tuple:
    if table == "c":
        return (rng.choice([1, 2]), 1, None, rng.choice([0.1, 0.2, 0.3, 0.7, 1.1, 1e3]))
    return (rng.choice([1, 2]), rng.randrange(100), "x")


@pytest.mark.parametrize("which", range(5), ids=["needed", "unpruned", "folded", "whole", "nothing"])
@pytest.mark.parametrize("sql", QUERIES.values(), ids=QUERIES.keys())
def test_the_order_of_a_sum_does_not_matter(sql, which):
    rng = random.Random(1)
    view = Subject(sql)
    view.start({name: [row(rng, name) for _ in range(12)] for name in view.reads}, view.variants[which])
    for _ in range(6):
        changes = {}
        for name in view.reads:
            gone = rng.choice(list(view.contents[name].elements()))
            changes[name] = [(*gone, -1), (*row(rng, name), 1), (*row(rng, name), 1)]
        view.step(changes)
