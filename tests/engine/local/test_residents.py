"""Copies hold exactly the rows of the version that is asked for, whatever they held before, within the budget."""

from __future__ import annotations

import random
from collections import Counter

import pyarrow as pa
import pytest

from headwater.engine.local.arrow import to_duckdb
from headwater.engine.local.residents import Residents, default_budget
from headwater.errors import HeadwaterError
from headwater.lake.delta_table import DeltaFolder
from tests.lake.counting import delete

SCHEMA = pa.schema([("k", pa.int64()), ("s", pa.string()), ("at", pa.timestamp("us", "UTC"))])


def rows(*keys: int) -> pa.Table:
    made = [{"k": key, "s": f"s{key}" * 20, "at": 1_700_000_000_000_000 + key} for key in keys]
    return pa.Table.from_pylist(made, SCHEMA)


def folder(path, versions: int = 6, seed: int = 0) -> DeltaFolder:
    """A table with appended, deleted and updated rows; every version differs."""
    made, rng = DeltaFolder.create(path, SCHEMA), random.Random(seed)
    for number in range(versions):
        made.append(rows(*range(number * 10, number * 10 + 10)))
        if rng.random() < 0.5:
            delete(made, f"k % 10 = {number}")
    return made


def held(residents: Residents, table: DeltaFolder, version: int, columns=("k", "s", "at")) -> Counter:
    with residents.together():
        name = residents.hold(table, version, columns)
        listed = ", ".join(f'"{column}"' for column in columns)
        found = residents.connection.sql(f'SELECT {listed} FROM "{name}"').to_arrow_table()
    return bag(found)


def bag(table: pa.Table) -> Counter:
    return Counter(tuple(row.values()) for row in table.to_pylist())


def expected(table: DeltaFolder, version: int, columns=("k", "s", "at")) -> Counter:
    return bag(to_duckdb(table.read(version, columns)))


@pytest.mark.parametrize("warm", [False, True])
def test_a_copy_moves_between_versions(tmp_path, warm):
    table, rng = folder(tmp_path / "t"), random.Random(1)
    residents = Residents(warm_path=str(tmp_path / "warm.duckdb") if warm else None)
    for _ in range(25):
        version = rng.randrange(1, table.version + 1)
        assert held(residents, table, version) == expected(table, version)
    assert residents.loads == 1
    residents.close()


def test_columns_that_were_not_held_are_loaded(tmp_path):
    table, residents = folder(tmp_path / "t"), Residents()
    assert held(residents, table, 3, ("k",)) == expected(table, 3, ("k",))
    assert held(residents, table, 4, ("s",)) == expected(table, 4, ("s",))
    assert set(residents.of(table.path).columns) == {"k", "s"}
    assert held(residents, table, 5, ("k",)) == expected(table, 5, ("k",))
    assert residents.loads == 2


def test_what_was_not_used_lately_gives_way(tmp_path):
    tables = [folder(tmp_path / f"t{number}") for number in range(3)]
    size = Residents()
    held(size, tables[0], tables[0].version)
    residents = Residents(budget=int(2.5 * size.bytes))
    for table in (*tables, tables[1], tables[0]):
        assert held(residents, table, table.version) == expected(table, table.version)
        assert residents.bytes <= residents.budget
    assert [residents.of(table.path) is not None for table in tables] == [True, True, False]


def test_copies_that_are_in_use_stay(tmp_path):
    tables = [folder(tmp_path / f"t{number}") for number in range(2)]
    size = Residents()
    held(size, tables[0], tables[0].version)
    residents = Residents(budget=int(1.5 * size.bytes))
    with pytest.raises(HeadwaterError) as refused, residents.together():
        for table in tables:
            residents.hold(table, table.version, ("k", "s", "at"))
    assert refused.value.key == "lane.budget"
    assert held(residents, tables[0], 2) == expected(tables[0], 2)


def test_more_than_the_budget_is_refused_by_name(tmp_path):
    table, residents = folder(tmp_path / "t"), Residents(budget=100)
    for _ in range(2):
        with pytest.raises(HeadwaterError, match="driver_budget"):
            held(residents, table, 3)
        assert residents.bytes == 0


def test_a_folder_that_was_made_anew_is_another(tmp_path):
    import shutil

    residents = Residents()
    table = folder(tmp_path / "t")
    held(residents, table, 3)
    shutil.rmtree(tmp_path / "t")
    again = folder(tmp_path / "t", seed=9)
    assert held(residents, again, 3) == expected(again, 3)


def test_two_lakes_of_one_process_do_not_share_a_warm_copy(tmp_path):
    table, path = folder(tmp_path / "t"), str(tmp_path / "warm.duckdb")
    first, second = Residents(warm_path=path), Residents(warm_path=path)
    for version in (2, 4, 3):
        assert held(first, table, version) == expected(table, version)
        assert held(second, table, version + 1) == expected(table, version + 1)
    first.close()
    second.close()


def test_a_table_that_is_damaged_while_it_is_held_is_loaded_anew(tmp_path):
    table, residents = folder(tmp_path / "t"), Residents()
    held(residents, table, 3)
    residents.connection.execute(f'DROP TABLE "{residents.of(table.path).table}"')
    assert held(residents, table, 4) == expected(table, 4)


def test_the_default_budget_is_a_share_of_the_machine():
    assert 2**20 < default_budget() < 2**45
