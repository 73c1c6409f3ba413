"""verify() on values that Spark does not compare by itself: maps, and doubles inside other values."""

from __future__ import annotations

import pytest

MAPS = [
    {"id": 1, "m": [("a", None), ("b", 2)]},
    {"id": 1, "m": [("b", 2), ("a", None)]},
    {"id": 2, "m": []},
    {"id": 3, "m": None},
]


@pytest.fixture
def mapped(lake):
    lake.create_table("t", {"id": "int", "m": "map<string,int>"}).append(MAPS)
    return lake


@pytest.mark.parametrize(
    "column",
    [
        "m",
        "array(m, NULL) AS ms",
        "named_struct('m', m, 'id', id) AS s",
        "map(id, m) AS mm",
        "map(coalesce(m['b'], 0), array(m)) AS x",
    ],
)
def test_maps_are_compared_by_their_entries(mapped, column):
    view = mapped.create_view("v", f"SELECT id, {column} FROM t")
    assert view.verify().ok
    mapped.table("t").append([{"id": 4, "m": [("c", None)]}])
    assert view.verify().ok
    view.refresh()
    assert view.verify().ok


def test_maps_that_differ_are_found(mapped):
    view = mapped.create_view("v", "SELECT id, m FROM t")
    view._folder.append(view.arrow().slice(0, 1))
    standing = view._folder.metadata_of_latest("headwater")
    assert standing is not None
    kept = view._folder.version
    view._folder.commit((), metadata={"headwater": standing[1]}, expected=kept)
    found = view.verify()
    assert not found.ok
    assert (found.missing, found.extra) == (0, 1)


@pytest.mark.parametrize(
    "value",
    [
        "sum(f)",
        "named_struct('s', sum(f))",
        "array(sum(f), NULL)",
        "map('s', sum(f))",
        "named_struct('a', array(named_struct('x', sum(f))))",
    ],
)
def test_doubles_inside_other_values_may_differ_by_rounding(lake, value):
    lake.create_table("t", [{"k": k, "f": f} for k in range(4) for f in (-1e16, 1.0, 1.0)])
    view = lake.create_view("v", f"SELECT k, {value} AS s FROM t GROUP BY k")
    assert view.verify().ok
    lake.table("t").append([{"k": k, "f": f} for k in range(4) for f in (0.1, 0.2)])
    view.refresh()
    assert view.verify().ok
