"""The table without Spark: every sample is accepted, what is outside is refused by name, the SQL is DuckDB's."""

from __future__ import annotations

import pytest

from headwater.engine.local import parity
from headwater.engine.local.connection import connect
from headwater.engine.local.written import LaneSql
from headwater.errors import HeadwaterError
from headwater.sql.functions import NON_DETERMINISTIC, ROW_MAKERS
from tests.engine.local import inputs


@pytest.mark.parametrize("family", parity.SECTIONS)
def test_every_entry_has_samples_that_duckdb_accepts(family):
    expressions = inputs.Expressions(0)
    connection = connect()
    listed = ", ".join(f'"{name}" {_duckdb(kind)}' for name, kind in inputs.COLUMNS.items())
    connection.execute(f"CREATE TABLE edges ({listed})")
    for entry in parity.SECTIONS[family]:
        assert entry.samples and entry.keys
        for sql in expressions.alone(list(entry.samples), 2):
            made = inputs.written(sql)
            assert made is not None
            connection.execute(f"SELECT {made.sql.sql(dialect=LaneSql)} FROM edges")


def _duckdb(kind: str) -> str:
    from headwater.engine.local.kinds import duckdb_type

    return duckdb_type(kind) or ""


def test_a_key_has_one_rule():
    keys = [key for entry in parity.entries() for key in entry.keys]
    assert len(set(keys)) == len(keys)


@pytest.mark.parametrize(
    ("sql", "part"),
    [
        ("EXP(f)", "EXP(f)"),
        ("i32 + LN(f)", "LN(f)"),
        ("CAST(f AS STRING)", "CAST(f AS STRING)"),
        ("ROUND(f, 2)", "ROUND(f, 2)"),
        ("s RLIKE 'a+'", "RLIKE"),
        ("s LIKE p", "LIKE"),
        (r"s LIKE 'a\\bc'", "LIKE"),
        ("s = i32", "s = i32"),
        ("TRY_CAST(s AS INT)", "TRY_CAST(s AS INT)"),
        ("DATE_FORMAT(t, 'yyyy')", "DATE_FORMAT"),
        ("t - u", "t - u"),
        ("SUBSTRING(s, i64)", "SUBSTRING"),
        ("SUM(f) OVER (ORDER BY row)", "SUM(f) OVER"),
        ("FIRST(s)", "FIRST(s)"),
        ("COUNT(DISTINCT s, p)", "COUNT(DISTINCT s, p)"),
    ],
)
def test_what_is_not_in_the_table_is_refused_by_name(sql, part):
    with pytest.raises(HeadwaterError) as refused:
        parity.write(inputs.parsed(sql), inputs.COLUMNS)
    assert refused.value.key == "lane.expression"
    assert part in str(refused.value)


def test_columns_that_the_lane_does_not_hold_are_refused():
    with pytest.raises(HeadwaterError) as refused:
        parity.write(inputs.parsed("xs"), {"xs": "array<int>"})
    assert refused.value.key == "lane.type"


def test_no_entry_is_a_function_whose_value_depends_on_when_it_is_asked():
    named = {key for entry in parity.entries() for key in entry.keys if isinstance(key, str)}
    assert not named & (NON_DETERMINISTIC - {"unix_timestamp"})
    assert not named & ROW_MAKERS
