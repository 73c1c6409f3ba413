"""Query to plan: what is refused says what and where; output names and order are the query's."""

from __future__ import annotations

import pytest

from headwater.algebra.nodes import Column
from headwater.errors import Position, Unsupported
from headwater.sql.build import build
from headwater.sql.parse import parse_query, qualified

TABLES = {
    "a": (Column("k", "int"), Column("v", "int"), Column("s", "string"), Column("xs", "array<int>")),
    "b": (Column("K", "int"), Column("W", "int")),
}


def plan(sql: str):
    types = {name: {item.name: item.type for item in columns} for name, columns in TABLES.items()}
    return build(qualified(parse_query(sql), types), TABLES)


@pytest.mark.parametrize(
    ("sql", "what"),
    [
        ("SELECT k FROM a LIMIT 1 + 2", "LIMIT by an expression"),
        ("SELECT DISTINCT k FROM a ORDER BY v LIMIT 3", "DISTINCT in the order of what is not selected"),
        ("SELECT k FROM a UNION SELECT K FROM b ORDER BY v LIMIT 3", "An order by what is not selected"),
        ("SELECT k, (SELECT MAX(W) FROM b WHERE b.K < a.k) AS m FROM a", "other conditions than equality"),
        ("SELECT k FROM a WHERE v IN (SELECT MAX(W) FROM b WHERE b.K = a.k)", "IN over a correlated aggregate"),
        (
            "SELECT a.k FROM a LEFT JOIN b ON a.k = b.K AND a.v IN (SELECT W FROM b)",
            "A subquery in the condition of a left join",
        ),
        ("SELECT k FROM a RIGHT JOIN LATERAL (SELECT W FROM b WHERE b.K = a.k) t", "A right lateral join"),
        ("SELECT EXPLODE(xs) + 1 AS x FROM a", "EXPLODE in this place"),
        ("SELECT INLINE(ARRAY(STRUCT(k, v))) FROM a", "INLINE without names for its columns"),
        ("SELECT WINDOW(s, '1 day') AS x FROM a", "WINDOW"),
        ("SELECT k FROM a VERSION AS OF 3", "VERSION"),
        ("SELECT k FROM a TABLESAMPLE (10 PERCENT)", "SAMPLE"),
        ("SELECT k FROM a HAVING k > 1", "HAVING without an aggregate"),
        ("SELECT v FROM a GROUP BY k", "The column v, neither grouped nor aggregated,"),
        ("WITH RECURSIVE x AS (SELECT 1 AS n FROM a UNION ALL SELECT n + 1 FROM x) SELECT n FROM x", "A recursive CTE"),
        ("SELECT * FROM a PIVOT (SUM(v) FOR k IN (1, 2))", "PIVOT"),
        ("SELECT id FROM RANGE(10)", ""),
        ("SELECT k FROM a UNION ALL BY NAME SELECT k FROM b", "BY NAME"),
    ],
)
def test_what_has_no_operator_is_named(sql, what):
    with pytest.raises(Unsupported) as refused:
        plan(sql)
    assert refused.value.key == "unsupported.syntax"
    assert what in refused.value.params["what"]


@pytest.mark.parametrize(
    ("sql", "position"),
    [
        ("SELECT k,\n  EXPLODE(xs) + 1 AS f\nFROM a", Position(2, 3)),
        ("SELECT k\nFROM a\nWHERE v < (SELECT MAX(W) FROM b WHERE\n b.K < a.k)", Position(3, 19)),
    ],
)
def test_refusals_have_a_position(sql, position):
    with pytest.raises(Unsupported) as refused:
        plan(sql)
    assert refused.value.position == position


@pytest.mark.parametrize(
    ("sql", "names"),
    [
        ("SELECT v, k FROM a", ("v", "k")),
        ("SELECT s AS `a b`, v + 1 AS V1 FROM a", ("a b", "v1")),
        ("SELECT k, W FROM b", ("k", "w")),
        ("SELECT a.k, b.k AS bk FROM a JOIN b ON a.k = b.k", ("k", "bk")),
        ("SELECT x.k, y.k AS yk, z.k AS zk FROM a x, a y, a z", ("k", "yk", "zk")),
        ("SELECT k, COUNT(*) AS n FROM a GROUP BY k", ("k", "n")),
        ("SELECT k FROM a UNION ALL SELECT W FROM b", ("k",)),
        ("WITH x(p) AS (SELECT k FROM a) SELECT p FROM x", ("p",)),
    ],
)
def test_names_are_the_querys(sql, names):
    assert tuple(name.lower() for name in plan(sql).names) == names


def test_order_by_alone_says_nothing_about_a_bag():
    assert plan("SELECT k FROM a ORDER BY k").names == ("k",)


def test_a_cte_read_twice_is_one_node():
    made = plan("WITH x AS (SELECT k, COUNT(*) AS n FROM a GROUP BY k) SELECT p.k, q.n FROM x p JOIN x q ON p.k = q.n")
    groups = [node for node in made.walk() if type(node).__name__ == "Aggregate"]
    assert len(groups) == 2
    assert len(set(groups)) == 1


def test_regression_several_rows_for_one_number_are_an_error():
    """The texts '1' and '01' are both 1, so a join of different numbers with different texts has rows of one number."""
    joined = "SELECT x.k FROM (SELECT DISTINCT k FROM a) x JOIN (SELECT DISTINCT {0} AS y FROM a) ON x.k = y"
    query = f"SELECT ({joined} WHERE x.k = a.k) AS n FROM a"
    assert ["RAISE_ERROR" in repr(plan(query.format(name))) for name in ("s", "v")] == [True, False]
