"""What a single change touches: an incremental refresh, whose rows are proportional to the change, not to the tables.

Every table has thousands of rows, so that a scan or a recomputation would show in the rows that were read.
"""

from __future__ import annotations

import pytest

from tests.api.oracle import check

PEOPLE, GROUPS = 30_000, 3_000
MOST_READ = 200  # rows of tables and pasts that a refresh of one row may read
READS_WHOLE = {"a NULL arrives in a NOT IN list", "a NULL leaves a NOT IN list"}  # the view itself is emptied or filled


@pytest.fixture(scope="module")
def crowd(spark, tmp_path_factory):
    import pyarrow as pa

    import headwater as hw

    with hw.connect(str(tmp_path_factory.mktemp("touched") / "w"), spark=spark, lane="spark") as lake:
        ids = range(PEOPLE)
        lake.create_table(
            "people", pa.table({"id": ids, "team": [n % GROUPS for n in ids], "score": [(7 * n) % 10_007 for n in ids]})
        )
        lake.create_table("teams", pa.table({"team": range(GROUPS), "name": [f"team {n}" for n in range(GROUPS)]}))
        lake.create_table("banned", pa.table({"id": pa.array(range(0, PEOPLE, 3), pa.int64())}))
        yield lake


SCENES = {
    "the row that holds a group's maximum goes": (
        "SELECT team, max(score) AS best FROM people GROUP BY team",
        lambda lake: lake.table("people").delete("id = 4321"),
        2,
    ),
    "the first match of a NOT EXISTS comes": (
        "SELECT id, score FROM people WHERE NOT EXISTS (SELECT 1 FROM banned WHERE banned.id = people.id)",
        lambda lake: lake.table("banned").append([{"id": 4}]),
        1,
    ),
    "one more in a NOT IN list": (
        "SELECT id, score FROM people WHERE id NOT IN (SELECT id FROM banned)",
        lambda lake: lake.table("banned").append([{"id": 5}]),
        1,
    ),
    "a NULL arrives in a NOT IN list": (
        "SELECT id, score FROM people WHERE id NOT IN (SELECT id FROM banned)",
        lambda lake: lake.table("banned").append([{"id": None}]),
        None,
    ),
    "a NULL leaves a NOT IN list": (
        "SELECT id, score FROM people WHERE id NOT IN (SELECT id FROM banned)",
        lambda lake: lake.table("banned").delete("id IS NULL"),
        None,
    ),
    "a row of the dimension changes under a left join": (
        "SELECT p.id, t.name FROM people p LEFT JOIN teams t ON p.team = t.team",
        lambda lake: lake.table("teams").update({"name": "'renamed'"}, where="team = 77"),
        2 * PEOPLE // GROUPS,
    ),
    "a row moves between partitions of a window": (
        "SELECT id, team, rank() OVER (PARTITION BY team ORDER BY score DESC) AS place FROM people",
        lambda lake: lake.table("people").update({"team": "5"}, where="id = 1234"),
        4 * PEOPLE // GROUPS,
    ),
    "a late row below a scalar subquery": (
        "SELECT t.team, (SELECT count(*) FROM people p WHERE p.team = t.team) AS n FROM teams t",
        lambda lake: lake.table("people").append([{"id": PEOPLE, "team": 9, "score": 1}]),
        2,
    ),
}


@pytest.mark.parametrize("scene", SCENES)
def test_touches_what_the_change_touches(crowd, scene):
    sql, change, most = SCENES[scene]
    view = crowd.create_view("v", sql, policy="strict", replace=True)
    if scene == "a NULL leaves a NOT IN list":
        assert None in crowd.table("banned").arrow().column("id").to_pylist()
    change(crowd)
    report = view.refresh()
    assert report.strategy == "incremental"
    if scene not in READS_WHOLE:
        assert report.rows_read <= MOST_READ
        assert 0 < report.rows_changed <= most
    check(crowd, view)
    view.drop()
