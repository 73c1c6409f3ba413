"""Maps pass through incremental views: equal where their entries are, in whatever order they were written."""

from __future__ import annotations

import random

import pytest

import headwater as hw
from headwater.refresh import runner

PASSED_ON = {
    "rows": "SELECT id, m FROM t",
    "filtered": "SELECT id + 1 AS n, m FROM t WHERE m['a'] > 1 OR id = 2",
    "together": "SELECT id, m FROM t UNION ALL SELECT k, NULL FROM u UNION ALL SELECT id, map('a', id) FROM t",
    "joined": "SELECT t.id, t.m, u.k FROM t JOIN u ON t.id = u.k",
    "crossed": "SELECT t.m, u.k FROM t JOIN u ON t.id < u.k",
    "taken_apart": "SELECT id, explode(m) AS (name, value) FROM t",
    "read inside": "SELECT ms[0]['a'] AS a FROM (SELECT array(m) AS ms FROM t WHERE id > 1)",
    "read": "SELECT u.k, sum(m['a']) AS a FROM t JOIN u ON t.id = u.k GROUP BY u.k",
}
REFUSED = {
    "left": "SELECT t.m, u.k FROM t LEFT JOIN u ON t.id = u.k",
    "anti": "SELECT id, m FROM t WHERE id NOT IN (SELECT k FROM u)",
    "window": "SELECT m, row_number() OVER (PARTITION BY id ORDER BY m['a'], m['b']) AS n FROM t",
    "nested": "SELECT id, array(m) AS ms FROM t",
    "nested in a join": "SELECT k, ms[0]['a'] AS a FROM (SELECT id, array(m) AS ms FROM t) JOIN u ON ms[0]['a'] = k",
}


def row(rng: random.Random) -> dict:
    entries = [("a", rng.choice([1, 2, None])), ("b", rng.choice([1, None]))][: rng.choice([0, 1, 2, 2])]
    rng.shuffle(entries)
    return {"id": rng.randrange(4), "m": rng.choice([entries, entries, entries, None])}


@pytest.fixture
def mapped(lake):
    rng = random.Random(7)
    lake.create_table("t", {"id": "int", "m": "map<string,int>"}).append([row(rng) for _ in range(20)])
    lake.create_table("u", [{"k": k} for k in (1, 2, 2, 5)])
    return lake


@pytest.mark.parametrize("large", [False, True], ids=["on the driver", "on Spark"])
@pytest.mark.parametrize("name", PASSED_ON)
def test_maps_pass_through(mapped, name, large, monkeypatch):
    if large:
        monkeypatch.setattr(runner, "LARGE_CHANGE_ROWS", 0)
        monkeypatch.setattr(runner, "COLLECTED_ROWS", 0)
    rng = random.Random(3)
    view = mapped.create_view("v", PASSED_ON[name], policy="strict")
    for step in range(5):
        mapped.table("t").append([row(rng) for _ in range(5)])
        if step % 2:
            mapped.table("t").delete(f"id = {rng.randrange(4)}")
            mapped.table("u").append([{"k": rng.randrange(4)}])
        assert view.refresh().strategy == "incremental"
        found = view.verify()
        assert found.ok, found.examples


@pytest.mark.parametrize("name", REFUSED)
def test_what_would_compare_maps_is_recomputed_for_a_reason(mapped, name):
    with pytest.raises(hw.HeadwaterError) as refused:
        mapped.create_view("v", REFUSED[name], policy="strict")
    assert refused.value.key == "view.strict"
    assert "map" in str(refused.value).lower()
    view = mapped.create_view("v", REFUSED[name])
    mapped.table("t").append([{"id": 1, "m": [("z", 1)]}])
    assert view.refresh().strategy == "full"
    assert view.verify().ok
