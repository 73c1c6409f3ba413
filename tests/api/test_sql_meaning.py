"""SQL whose meaning is easily lost on the way through a plan: the view must be what Spark says of the text."""

from __future__ import annotations

import pytest

import headwater as hw

INCREMENTAL = {
    "types meet": "SELECT k, SUM(x) AS s FROM (SELECT k, v AS x FROM a UNION ALL SELECT k, f FROM b) GROUP BY k",
    "one row that nobody reads": "SELECT a.k FROM a CROSS JOIN (SELECT COUNT(*) AS n FROM b) t",
    "quotes": "SELECT k, 'it''s' AS x FROM a WHERE s <> 'it''s' OR s IS NULL",
    "unnamed columns": "SELECT k, v + 1, UPPER(s), COUNT(*) FROM a GROUP BY k, v + 1, s",
    "a flag that is never unknown": "SELECT k, k IN (SELECT k FROM b) AS x FROM a",
    "levels over rows": "SELECT k, COUNT(*) AS n, GROUPING(k) AS g FROM a GROUP BY k WITH CUBE",
    "any of a group": "SELECT k, FIRST(v) AS v FROM a GROUP BY k",
    "collected": "SELECT s, COLLECT_LIST(v) AS l, COLLECT_SET(k) AS c, LISTAGG(s, ',') AS t FROM a GROUP BY s",
    "the most frequent": "SELECT s, MODE(v) AS m, MAX_BY(k, v) AS k FROM a GROUP BY s",
    "ties at the cut": "SELECT k, v FROM a ORDER BY v LIMIT 2",
    "ties in a window": "SELECT k, s, ROW_NUMBER() OVER (PARTITION BY s ORDER BY v) AS n FROM a",
    "rows left out": "SELECT k, s FROM a QUALIFY ROW_NUMBER() OVER (PARTITION BY s ORDER BY v) = 1",
    "middle": "SELECT k, PERCENTILE(v, 0.3) AS p, MEDIAN(v) AS m, PERCENTILE_APPROX(v, 0.5) AS a FROM a GROUP BY k",
    "lambda": "SELECT k, TRANSFORM(ARRAY(v, k), (x, i) -> x + i) AS t FROM a",
    "rows from nothing": "SELECT c, k FROM VALUES (1), (2.5) AS t(c), a",
    "two of one name below": "SELECT * FROM (SELECT k AS x FROM a UNION ALL SELECT 1 AS y FROM b)",
}
RECOMPUTED = {
    "WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM x WHERE n < 3) SELECT n, k FROM x JOIN a ON n = k": (
        "recursive"
    ),
    "SELECT * FROM (SELECT k, v FROM a) PIVOT (SUM(v) FOR k IN (1, 2))": "PIVOT",
    "SELECT k, (SELECT MAX(f) FROM b WHERE b.k < a.k) AS m FROM a": "other conditions than equality",
    # '1' and '01' are two groups of one number
    """WITH x AS (SELECT CASE WHEN f < 2 THEN '1' ELSE '01' END AS t FROM b)
       SELECT k, (SELECT COUNT(*) FROM x WHERE x.t = a.k) AS m FROM a""": "an equality of string with int",
    "SELECT k, LAST_VALUE(v) OVER (ORDER BY k) AS m FROM a": "rows that tie",
    "SELECT MAP('k', k) AS m, COUNT(*) AS n FROM a GROUP BY ALL": "map<",
}


@pytest.fixture(scope="module")
def shop(tmp_path_factory, spark):
    with hw.connect(str(tmp_path_factory.mktemp("meaning")), spark=spark) as lake:
        yield lake


@pytest.fixture(scope="module")
def tables(shop):
    rows = [
        {"k": k, "v": v, "s": s}
        for k, v, s in [(1, 1, "x"), (1, 2, "y"), (2, 2, None), (None, 3, "x"), (3, None, "xy"), (1, 2, "y")]
    ]
    other = [{"k": k, "f": f} for k, f in [(1, 1.0), (1, 2.0), (2, 2.5), (None, 0.5), (4, None)]]
    a = shop.create_table("a", {"k": "int", "v": "int", "s": "string"})
    b = shop.create_table("b", {"k": "int", "f": "double"})
    a.append(rows)
    b.append(other)
    return {"a": (a, rows), "b": (b, other)}


@pytest.fixture(scope="module")
def views(shop, tables):
    """All views at three cursors, refreshed and verified together."""
    made = {
        title: shop.create_view(f"v{n}", sql, policy="strict") for n, (title, sql) in enumerate(INCREMENTAL.items())
    }
    verified = {title: [view.verify()] for title, view in made.items()}
    for step in (0, 1):
        for name, (table, rows) in tables.items():
            table.append(rows[step : step + 3])
            table.delete("k = 2" if step else "v = 2" if name == "a" else "f = 2.0")
        for title, view in made.items():
            view.refresh()
            verified[title].append(view.verify())
    return verified


@pytest.mark.parametrize("title", INCREMENTAL)
def test_maintained(views, title):
    for verification in views[title]:
        assert verification.ok, verification.examples


@pytest.mark.parametrize("sql", RECOMPUTED)
def test_recomputed_for_a_named_reason(shop, tables, sql):
    view = shop.create_view("recomputed", sql, replace=True)
    assert RECOMPUTED[sql].lower() in view.explain().reason.lower()
    table, rows = tables["a"]
    table.append(rows[:1])
    report = view.refresh()
    assert report.strategy == "full"
    assert report.reason == view.explain().reason
    if "map<" not in RECOMPUTED[sql]:
        assert view.verify().ok
