"""Text to one qualified query: positions of errors, tables read, functions that are refused."""

from __future__ import annotations

import pytest

from headwater.errors import HeadwaterError, Position, Unsupported
from headwater.sql.parse import parse_query, qualified, refuse_non_deterministic, tables_read


@pytest.mark.parametrize(
    ("sql", "key", "position"),
    [
        ("SELECT a FROM WHERE", "sql.syntax", Position(1, 19)),
        ("SELECT a\nFROM t\nWHERE (a > 1", "sql.syntax", Position(3, 12)),
        ("SELECT 'open FROM t", "sql.syntax", None),
        ("", "sql.not_a_query", None),
        ("SELECT 1; SELECT 2", "sql.not_a_query", None),
        ("DELETE FROM t", "sql.not_a_query", None),
        ("CREATE TABLE t (a INT)", "sql.not_a_query", None),
    ],
)
def test_refusals_say_where(sql, key, position):
    with pytest.raises(HeadwaterError) as refused:
        parse_query(sql)
    assert refused.value.key == key
    assert refused.value.position == position


@pytest.mark.parametrize(
    ("sql", "tables"),
    [
        ("SELECT * FROM b JOIN A ON b.k = A.k", ["b", "a"]),
        ("SELECT * FROM a x, (SELECT k FROM b) y", ["a", "b"]),
        ("SELECT * FROM a UNION ALL SELECT * FROM b UNION SELECT * FROM a", ["a", "b"]),
        ("SELECT k FROM a WHERE EXISTS (SELECT 1 FROM b WHERE b.k = a.k)", ["a", "b"]),
        ("WITH x AS (SELECT * FROM a) SELECT * FROM x", ["a"]),
        ("WITH X AS (SELECT * FROM a) SELECT * FROM x", ["a"]),
        ("WITH x AS (SELECT * FROM a), y AS (SELECT * FROM x) SELECT * FROM y", ["a"]),
        # a CTE's own name inside its own query is the table
        ("WITH a AS (SELECT * FROM a) SELECT * FROM a", ["a"]),
        ("WITH a AS (WITH b AS (SELECT * FROM a) SELECT * FROM b) SELECT * FROM a", ["a"]),
        # a CTE is not visible before it is written, nor outside the query that has it
        ("WITH x AS (SELECT * FROM y), y AS (SELECT * FROM a) SELECT * FROM x, y", ["y", "a"]),
        ("SELECT * FROM (WITH x AS (SELECT * FROM a) SELECT * FROM x) t JOIN x ON TRUE", ["a", "x"]),
        ("WITH x AS (SELECT * FROM a) SELECT * FROM (WITH x AS (SELECT * FROM b) SELECT * FROM x) t", ["a", "b"]),
        ("WITH x AS (SELECT * FROM a) SELECT * FROM (WITH y AS (SELECT * FROM x) SELECT * FROM y) t", ["a"]),
        ("WITH x AS (WITH y AS (SELECT * FROM a) SELECT * FROM y) SELECT * FROM x JOIN y ON TRUE", ["a", "y"]),
    ],
)
def test_tables_read(sql, tables):
    assert sorted(tables_read(parse_query(sql))) == sorted(tables)


def test_tables_read_have_a_position():
    assert tables_read(parse_query("SELECT *\n  FROM orders"))["orders"] == Position(2, 8)


@pytest.mark.parametrize(
    ("call", "name"),
    [
        ("CURRENT_DATE", "current_date()"),
        ("CURRENT_DATE()", "current_date()"),
        ("now()", "now()"),
        ("CURRENT_TIMESTAMP", "current_timestamp()"),
        ("rand()", "rand()"),
        ("rand(7)", "rand()"),
        ("randn()", "randn()"),
        ("uuid()", "uuid()"),
        ("current_user()", "current_user()"),
        ("unix_timestamp()", "unix_timestamp()"),
        ("monotonically_increasing_id()", "monotonically_increasing_id()"),
        ("spark_partition_id()", "spark_partition_id()"),
        ("input_file_name()", "input_file_name()"),
        ("shuffle(array(1, 2))", "shuffle()"),
        ("current_timezone()", "current_timezone()"),
        ("localtimestamp()", "localtimestamp()"),
        ("curdate()", "curdate()"),
        ("aes_encrypt('a', 'b')", "aes_encrypt()"),
        ("DATE'today'", "'today'"),
        ("TIMESTAMP 'Now'", "'Now'"),
    ],
)
def test_what_depends_on_more_than_the_tables_is_refused(call, name):
    with pytest.raises(Unsupported) as refused:
        refuse_non_deterministic(parse_query(f"SELECT k, {call} AS x FROM a"))
    assert refused.value.key == "unsupported.function"
    assert refused.value.params["function"] == name


@pytest.mark.parametrize(
    "call",
    [
        "unix_timestamp(s)",
        "to_date(s)",
        "DATE'2024-01-01'",
        "'now'",
        "date_add(d, 1)",
        "round(v)",
        "upper(s)",
        "hash(s)",
    ],
)
def test_other_functions_are_not(call):
    refuse_non_deterministic(parse_query(f"SELECT {call} AS x FROM a"))


def test_qualified_binds_columns_and_stars():
    query = qualified(parse_query("SELECT *, V + 1 AS more FROM a"), {"a": {"k": "int", "v": "int"}})
    assert query.sql(dialect="spark") == "SELECT `a`.`k` AS `k`, `a`.`v` AS `v`, `a`.`v` + 1 AS `more` FROM `a` AS `a`"


@pytest.mark.parametrize("sql", ["SELECT x FROM a", "SELECT k FROM a JOIN a b ON a.k = b.k"])
def test_what_cannot_be_bound_is_a_reason(sql):
    with pytest.raises(Unsupported) as refused:
        qualified(parse_query(sql), {"a": {"k": "int"}})
    assert refused.value.key == "unsupported.syntax"
