"""Sums of doubles over many files: their last bits depend on the order in which Spark adds them."""

from __future__ import annotations

import math
import random
import shutil

import headwater as hw
from tests.api.oracle import check

VALUES = [0.1, 0.2, 0.3, 0.7, 1.1, 1e3, None]
ODD = [*VALUES, math.nan, math.inf, -math.inf, -0.0, 0.0]
VIEWS = {
    "sums": "SELECT k, SUM(x) AS total, AVG(x) AS mean, STDDEV(x) AS spread, COUNT(*) AS n FROM points GROUP BY k",
    "joined": "SELECT name, total FROM names JOIN (SELECT k, SUM(x) AS total FROM points GROUP BY k) t ON key = k",
    "stacked": "SELECT COUNT(*) AS n, SUM(total) AS total FROM (SELECT k, SUM(x) AS total FROM points GROUP BY k)",
    "overall": "SELECT SUM(x) AS total, VAR_POP(x) AS spread FROM points",
}


def fill(lake, rng: random.Random, values=VALUES):
    points = lake.create_table("points", {"k": "int", "x": "double"})
    for _ in range(6):  # six files
        points.append([{"k": rng.randrange(3), "x": rng.choice(values)} for _ in range(40)])
    lake.create_table("names", [{"key": k, "name": f"n{k}"} for k in range(3)])
    return points


def more(points, rng: random.Random, values=VALUES) -> None:
    points.append([{"k": rng.randrange(3), "x": rng.choice(values)} for _ in range(7)])
    points.delete(f"x = 0.1 AND k = {rng.randrange(3)}")


def test_a_group_that_leaves_is_the_one_that_came(lake):
    rng = random.Random(1)
    points = fill(lake, rng)
    views = [lake.create_view(name, sql, policy="strict") for name, sql in VIEWS.items()]
    for _ in range(4):
        more(points, rng)
        for view in views:
            assert view.refresh().strategy == "incremental"
            check(lake, view)


def test_numbers_that_are_none(lake):
    rng = random.Random(2)
    points = fill(lake, rng, ODD)
    views = [
        lake.create_view("sums", VIEWS["sums"], policy="strict"),
        lake.create_view("keys", "SELECT x, COUNT(*) AS n, MIN(k) AS low FROM points GROUP BY x", policy="strict"),
        lake.create_view("different", "SELECT DISTINCT x FROM points", policy="strict"),
        lake.create_view(
            "matched",
            "SELECT p.x, q.k FROM points p JOIN points q ON p.x = q.x AND q.k = 1 AND p.k = 2",
            policy="strict",
        ),
    ]
    for _ in range(3):
        more(points, rng, ODD)
        for view in views:
            assert view.refresh().strategy == "incremental"
            assert view.verify().ok, view.name


def test_lost_pasts(lake):
    """What is built again may have other last bits; the view is then recomputed, and says so, or it was equal."""
    rng = random.Random(3)
    points = fill(lake, rng)
    names = [lake.create_view(name, sql, policy="incremental").name for name, sql in VIEWS.items()]
    for _ in range(2):
        more(points, rng)
        with hw.connect(lake.path, spark=lake.spark) as again:
            for name in names:
                view = again.view(name)
                shutil.rmtree(view._store.root, ignore_errors=True)
                report = view.refresh()
                assert report.strategy == "incremental" or "not in" in report.reason
                check(again, view)
