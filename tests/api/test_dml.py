"""DELETE, UPDATE and upsert mean what Spark means by them, and record exactly what they changed; without Spark."""

from __future__ import annotations

import datetime as dt
import math
import time

import pyarrow as pa
import pytest
from deltalake import DeltaTable

import headwater as hw
from tests.lake.counting import bag, minus


class NoSpark:
    """Fails the test that would start Spark."""

    started = False

    def __getattr__(self, name: str):
        raise AssertionError(f"Spark was asked for {name}")

    def stop(self) -> None:
        pass


@pytest.fixture
def local(tmp_path):
    with hw.connect(tmp_path / "w") as lake:
        lake._spark_lane_ = NoSpark()
        yield lake


def table(lake, *rows: dict, name: str = "t"):
    return lake.create_table(name, list(rows))


def values(found, column: str = "k") -> list:
    return sorted(found.arrow().column(column).to_pylist())


def test_an_update_to_the_values_of_another_row(local):
    t = table(local, {"k": 1, "v": "x"}, {"k": 2, "v": "x"})
    t.update({"k": "2"}, where="v = 'x'")
    assert bag(t.changes(1)) == {(1, "x"): -1, (2, "x"): 1}
    u = table(local, {"k": 1, "v": 1}, {"k": 2, "v": 1}, {"k": 2, "v": 1}, {"k": 3, "v": 2}, name="u")
    u.update({"k": "k+1"}, where="v=1")
    assert bag(u.changes(1)) == minus(bag(u.arrow()), bag(u.arrow(1))) == {(1, 1): -1, (2, 1): -1, (3, 1): 2}


@pytest.mark.parametrize(
    ("condition", "left"),
    [
        ("PMOD(k, 2) = 1", [-2, 4]),
        ("PMOD(-k, 3) = 2", [3]),
        ("k DIV 2 = 1", [-2, 1, 4]),
        ("k <=> NULL", [-2, 1, 3, 4]),
        ("YEAR(d) = 2024", [3, 4]),
        ("ADD_MONTHS(d, 1) = DATE'2024-02-29'", [-2, 3, 4]),
        ("CONCAT(s, NULL) IS NULL AND k > 0", [-2]),
        ("SUBSTRING(s, -2, 2) = 'lo'", [-2, 3, 4]),
        ("S LIKE 'hel%' OR T.K = 4", [-2, 3]),
        ("k IN (1, 3, NULL)", [-2, 4]),
        ("NULL", [-2, 1, 3, 4]),
        ("TRUE", []),
        (None, []),
    ],
)
def test_conditions_are_sparks(local, condition, left):
    t = local.create_table("t", {"k": "bigint", "s": "string", "d": "date"})
    day = dt.date(2024, 1, 31)
    t.append([{"k": 1, "s": "hello", "d": day}, {"k": 3, "s": "x", "d": None}, {"k": 4, "s": None, "d": None}])
    t.append([{"k": -2, "s": "other", "d": day.replace(day=1)}])
    t.delete(condition)
    assert values(t) == left


@pytest.mark.parametrize("condition", ["f > 5", "f >= 6.0D", "ISNAN(f)", "f <> 1.0", "NOT f <= 100"])
def test_nan_is_found_whatever_statistics_say(local, condition):
    t = table(local, {"k": 1, "f": math.nan}, {"k": 2, "f": 1.0})
    t.delete(condition)
    assert values(t) == [2]


def test_values_are_cast_as_spark_stores_them(local):
    types = {"i": "int", "d": "decimal(5,2)", "s": "string", "f": "double"}
    t = local.create_table("t", types)
    t.append([{"i": 7, "d": None, "s": "x", "f": 2.5}])
    t.update({"D": "i + 0.125", "s": "i", "f": "i / 2"}, where="i = 7")
    t.update({"i": "f"}, where="i = 7")
    (row,) = t.arrow().to_pylist()
    assert (row["i"], str(row["d"]), row["s"], row["f"]) == (3, "7.13", "7", 3.5)
    assert t.schema == hw.connect(local.path).table("t").schema


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("k = 77; DROP TABLE t", 7),
        ("k = 77 AS z", 9),
        ("SELECT 1", 6),
        ("k = = 1", 5),
        ("", None),
        ("-- nothing", None),
        ("nope = 1", 1),
        ("k IN (SELECT 1)", 14),
        ("MAX(k) = 1", 1),
        ("ROW_NUMBER() OVER (ORDER BY k) = 1", 1),
        ("EXPLODE(ARRAY(1))", 1),
        ("*", 1),
        ("k", None),
        ("s", None),
        ("(" * 3000 + "k = 1" + ")" * 3000, None),
    ],
)
def test_what_is_not_one_condition_is_refused_with_its_place(local, text, place):
    t = table(local, {"k": 77, "s": "a"})
    for action in (lambda: t.delete(text), lambda: t.update({"k": "1"}, where=text)):
        with pytest.raises(hw.HeadwaterError) as refused:
            action()
        assert refused.value.key == "data.predicate"
        assert (refused.value.position and refused.value.position.column) == place
        assert "DataFusion" not in str(refused.value)
    assert t.version == 1


@pytest.mark.parametrize("value", ["1; 2", "1 AS k", "'text'", "TRUE", "k +", "nope", "MAX(k)", ""])
def test_what_is_not_one_value_is_refused(local, value):
    t = table(local, {"k": 1})
    with pytest.raises(hw.HeadwaterError) as refused:
        t.update({"k": value})
    assert refused.value.key == "data.predicate"
    assert t.version == 1


@pytest.mark.parametrize(
    "action",
    [
        lambda t: t.delete(5),
        lambda t: t.delete(True),
        lambda t: t.update({"k": 5}),
        lambda t: t.update(None),
        lambda t: t.update({}),
        lambda t: t.update("k = 5"),
        lambda t: t.update({"k": "1"}, where=5),
    ],
)
def test_sql_is_text(local, action):
    with pytest.raises(hw.HeadwaterError) as refused:
        action(table(local, {"k": 1}))
    assert refused.value.key == "data.sql_text"


def test_a_column_is_set_once(local):
    t = table(local, {"k": 1})
    with pytest.raises(hw.HeadwaterError, match="set twice"):
        t.update({"k": "1", "K": "2"})


def test_not_null_holds_in_updates(local):
    t = local.create_table("t", {"k": "bigint NOT NULL", "s": "string"})
    t.append([{"k": 1, "s": "a"}])
    with pytest.raises(hw.HeadwaterError) as refused:
        t.update({"k": "NULLIF(k, 1)"})
    assert refused.value.key == "data.null"
    assert t.version == 1


def test_constraints_hold_in_updates_and_upserts(local):
    t = table(local, {"k": 1, "s": "a"}, {"k": 5, "s": None})
    DeltaTable(t.path).alter.add_constraint({"positive": "k > 0"})
    t.update({"s": "'b'"})
    before = t.version
    for action in (lambda: t.update({"k": "k - 1"}), lambda: t.upsert([{"k": -3, "s": "x"}], on="k")):
        with pytest.raises(hw.HeadwaterError) as refused:
            action()
        assert refused.value.key == "data.rule"
        assert "k > 0" in str(refused.value)
    assert t.version == before
    t.delete("k = 5")
    assert values(t) == [1]


def test_an_append_only_table_says_so(local):
    t = table(local, {"k": 1})
    DeltaTable(t.path).alter.set_table_properties({"delta.appendOnly": "true"})
    with pytest.raises(hw.HeadwaterError) as refused:
        t.delete("k = 1")
    assert refused.value.key == "table.write_rule"


def test_upsert(local):
    t = table(local, {"k": 1.0, "v": "a"}, {"k": math.nan, "v": "b"}, {"k": -0.0, "v": "c"}, {"k": None, "v": "d"})
    t.upsert([{"k": 0.0, "v": "zero"}, {"k": math.nan, "v": "nan"}, {"k": 9.0, "v": "new"}], on="k")
    assert sorted(t.arrow().column("v").to_pylist()) == ["a", "d", "nan", "new", "zero"]
    assert bag(t.changes(1)) == minus(bag(t.arrow()), bag(t.arrow(1)))
    with pytest.raises(hw.HeadwaterError, match="more than once"):
        t.upsert([{"k": 0.0, "v": "x"}, {"k": -0.0, "v": "y"}], on=["k"])
    version = t.version
    assert t.upsert([{"k": 9.0, "v": "new"}], on=["k"]) == version  # it is so already


def test_a_list_of_keys_written_with_or(local):
    t = local.create_table("t", pa.table({"k": pa.array(range(5000)), "s": [f"s{n}" for n in range(5000)]}))
    started = time.perf_counter()
    t.delete(" OR ".join(f"(k = {n} AND s = 's{n}')" for n in range(0, 5000, 5)))
    assert t.rows == 4000
    assert time.perf_counter() - started < 30


def test_long_alternatives_without_a_common_key(local):
    t = local.create_table("t", pa.table({"k": pa.array(range(1000))}))
    t.delete(" OR ".join(f"k % 1000 = {n}" for n in range(0, 1000, 4)))
    assert t.rows == 750
    t.delete(" AND ".join(f"k <> {n}" for n in range(200)))
    assert t.rows == 150


def test_the_log_tells_what_was_done(local):
    t = table(local, {"k": 1}, {"k": 2})
    t.update({"k": "k + 1"}, where="k = 2")
    (told,) = DeltaTable(t.path).history(1)
    assert told["operation"] == "UPDATE"
    assert told["operationParameters"] == {"predicate": "k = k + 1 WHERE k = 2"}
    assert told["operationMetrics"]["numUpdatedRows"] == "1"
    assert t.delete("k = 99") == t.version == 2
