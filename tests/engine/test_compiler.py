"""Plan to one statement: what it looks like (goldens), and what must hold for any plan."""

from __future__ import annotations

from pathlib import Path

import pytest
import sqlglot

from headwater.algebra.expressions import cast, column
from headwater.algebra.nodes import Column, Filter, Join, Output, Project, Relation, Repeat, Scan, Union
from headwater.delta.program import ProgramBuilder
from headwater.engine.compiler import compile_plan
from headwater.engine.typing import annotate
from headwater.refresh.definition import plan_of
from headwater.state.selection import keep_what_is_needed
from tests.delta.harness import TABLES, Database
from tests.goldens import check

GOLDENS = Path(__file__).with_name("goldens")
PROGRAMS = {
    "join": "SELECT a.s, w FROM a JOIN b ON a.k = b.k WHERE v > 1",
    "left_join": "SELECT a.s, w FROM a LEFT JOIN b ON a.k = b.k",
    "aggregate": "SELECT k, COUNT(*) AS n, SUM(v) AS total FROM a GROUP BY k",
    "touched_groups": "SELECT k, MAX(v) AS high FROM a GROUP BY k",
}


@pytest.fixture(scope="module")
def database() -> Database:
    return Database()


def statement(plan, **options) -> str:
    return compile_plan(plan, lambda leaf: leaf.table if isinstance(leaf, Scan) else leaf.name, **options).sql(
        dialect="spark", pretty=True
    )


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name, database, update_goldens):
    """Everything that a refresh runs when every table has changed."""
    sql = PROGRAMS[name]
    plan = plan_of(sql, TABLES, database.analyse(sql), {}, database.analyse, {})
    program = ProgramBuilder(plan, keep_what_is_needed(plan), plan.tables).build()
    parts = [f"{sql}\n", f"-- the full form\n{statement(plan)}\n"]
    for stage in (*program.stages, *program.upkeep):
        parts.append(f"-- {stage.name}: {stage.purpose} of {stage.node.label}\n{statement(stage.plan)}\n")
    check(GOLDENS / f"{name}.sql", "\n".join(parts), update_goldens)


def relation(name: str, *columns: str, small: bool = False) -> Relation:
    return Relation(name, tuple(Column(each, "int") for each in columns), small)


def expression(sql: str):
    return sqlglot.parse_one(sql, read="spark")


def test_identifiers_are_quoted():
    plan = Project(relation("do", "select", "a b"), (Output("from", column("select")), Output("x", column("a b"))))
    assert statement(plan) == "SELECT\n  `select` AS `from`,\n  `a b` AS `x`\nFROM `do`"


def test_a_shared_node_is_written_once():
    shared = Union((relation("a", "k"), relation("b", "k")))
    renamed = Project(shared, (Output("j", column("k")),))
    text = statement(Join(shared, renamed, "inner", expression("k = j")))
    assert text.count("UNION ALL") == 1


def test_a_computed_column_that_is_used_twice_is_computed_once():
    computed = Project(relation("a", "k"), (Output("h", expression("EXPENSIVE(k)")),))
    twice = Project(computed, (Output("x", column("h")), Output("y", expression("h + 1"))))
    assert statement(twice).count("EXPENSIVE") == 1


@pytest.mark.parametrize(
    ("kind", "small", "hinted"),
    [
        ("inner", (False, True), "r"),
        ("inner", (True, False), "l"),
        ("left", (False, True), "r"),
        ("left", (True, False), None),
        ("right", (True, False), "l"),
        ("right", (False, True), None),
        ("semi", (False, True), "r"),
        ("semi", (True, False), None),
        ("anti", (False, True), "r"),
        ("full", (True, True), None),
        ("inner", (False, False), None),
    ],
)
def test_only_a_small_side_that_may_be_sent_everywhere_is_broadcast(kind, small, hinted):
    left, right = relation("l", "x", small=small[0]), relation("r", "y", small=small[1])
    join = Join(left, right, kind, expression("x = y"))
    text = statement(join)
    assert (f"BROADCAST(`{hinted}`)" in text) if hinted else ("BROADCAST" not in text)
    assert "BROADCAST" not in statement(join, hints=False)


def test_repeat_unfolds_weights():
    rows = Repeat(Relation("r", (Column("k", "int"), Column("_hw_weight", "bigint"))))
    text = " ".join(statement(Filter(rows, expression("k > 1"))).split())
    assert "LATERAL VIEW EXPLODE(ARRAY_REPEAT(1, CAST(ABS(`_hw_weight`) AS INT)))" in text


# -- types


def test_every_computed_column_is_typed_once(database):
    asked: list[str] = []

    def analyse(sql: str):
        asked.append(sql)
        return database.analyse(sql)

    scan = Scan("a", TABLES["a"], ("k", "v", "s"))
    plan = Project(
        Project(scan, (Output("x", expression("v + 1")), Output("s", column("s")))), (Output("y", column("x")),)
    )
    known: dict = {}
    typed = annotate(plan, analyse, known)
    assert [item.type for item in typed.walk().__next__().schema] == ["int"]
    assert len(asked) == 1
    assert annotate(plan, lambda sql: pytest.fail("it is known"), known) == typed


def test_inputs_of_a_union_are_cast_to_common_types(database):
    a, c = Scan("a", TABLES["a"], ("k", "v", "s")), Scan("c", TABLES["c"], ("k", "j", "d", "f"))
    union = Union((Project(a, (Output("x", column("v")),)), Project(c, (Output("y", column("f")),))))
    typed = annotate(union, database.analyse, {})
    assert [each.schema[0].type for each in typed.inputs] == ["double", "double"]
    assert typed.names == ("x",)
    same = Union((Project(a, (Output("x", column("v")),)), Project(a, (Output("x", column("k")),))))
    assert annotate(same, lambda sql: pytest.fail("nothing to ask"), {}).inputs[0].schema == same.inputs[0].schema


@pytest.mark.parametrize(
    "kind",
    [
        "void",
        "time(6)",
        "string collate UNICODE_CI",
        "timestamp_ntz",
        "struct<a:int,b:string>",
        "map<string,int>",
        "decimal(12,2)",
    ],
)
def test_casts_name_the_type_as_spark_does(kind):
    text = cast(column("x"), kind).sql(dialect="spark")
    assert text.lower().replace(" ", "") == f"cast(`x` as {kind})".lower().replace(" ", "")
