"""A view replaced by one that means something else: nothing is lost, whatever fails; readers see one or the other.

Without a JVM: DuckDB takes Spark's place.
"""

from __future__ import annotations

import datetime as dt
import os
import signal
import subprocess
import sys
import textwrap
from collections import Counter

import polars
import pytest
from deltalake import DeltaTable

import headwater as hw
from headwater.api import replacing
from headwater.api.view import NEW, REPLACED
from headwater.lake import storage
from headwater.lake.catalog import Catalog
from headwater.lake.delta_table import DeltaFolder
from headwater.lake.history import History
from headwater.lake.vacuum import ORPHAN_AGE
from headwater.refresh import runner
from headwater.refresh.runner import Runner
from headwater.refresh.standing import standing_of
from headwater.state.store import PastStore
from tests.engine.local.without_spark import connect, rows_of

TABLES = {
    "orders": [{"id": i, "customer": i % 3, "amount": i} for i in range(30)],
    "customers": [{"cid": i, "name": f"n{i}"} for i in range(3)],
}
OLD = "SELECT name, COUNT(*) AS n FROM orders JOIN customers ON customer = cid AND amount > 3 GROUP BY name"
NEW_COLUMNS = """SELECT cid, name, MAX(amount) AS most, COUNT(*) AS n FROM orders JOIN customers ON customer = cid
                 GROUP BY cid, name"""
SAME_COLUMNS = "SELECT name, COUNT(*) AS n FROM orders JOIN customers ON customer = cid GROUP BY name"


@pytest.fixture
def lake(tmp_path):
    with connect(tmp_path / "lake") as lake:
        for name, rows in TABLES.items():
            lake.create_table(name, rows)
        yield lake


@pytest.fixture
def view(lake):
    return lake.create_view("totals", OLD, policy="incremental")


@pytest.fixture
def elsewhere(lake):
    """What another process sees."""
    with connect(lake.path) as other:
        yield other


def replace(lake, sql: str = NEW_COLUMNS):
    return lake.create_view("totals", sql, policy="incremental", replace=True)


def bag(rows) -> Counter:
    return Counter(tuple(sorted(row.items())) for row in rows.to_pylist())


def check(lake, view, sql: str) -> None:
    """The view has this definition, its rows are those of it, its pasts can be used, and it goes on."""
    assert view.definition == sql
    for _ in range(2):
        folders = lake._folders(view.reads)
        tables = {name: folders[name].read(version) for name, version in view.cursor.items()}
        expected = bag(rows_of(sql, tables))
        assert bag(view.arrow()) == expected
        assert bag(polars.read_delta(view.path).to_arrow()) == expected
        lake.table("orders").append([{"id": 100, "customer": 1, "amount": 50}])
        report = view.refresh()
        assert report.strategy == "incremental" and "repair" not in report.phases
    assert pasts(lake) == [view._definition.id]


def pasts(lake) -> list[str]:
    return os.listdir(lake._warehouse.pasts_path("totals"))


# -- what it is afterwards


@pytest.mark.parametrize("sql", [NEW_COLUMNS, SAME_COLUMNS])
def test_the_new_view_stands_in_the_place_of_the_old(lake, view, elsewhere, sql):
    path, version = view.path, view.version
    made = replace(lake, sql)
    assert (made.path, made.version, made.name) == (path, version + 1, "totals")
    check(lake, made, sql)
    check(elsewhere, elsewhere.view("TOTALS"), sql)


def test_the_case_of_the_name_is_the_folders(lake, view):
    made = lake.create_view("Totals", NEW_COLUMNS, replace=True)
    assert (made.name, made.path) == ("totals", view.path)
    check(lake, lake.view("totals"), NEW_COLUMNS)


def test_a_type_that_the_table_must_learn(lake):
    lake.create_table("events", [{"id": 1, "at": dt.datetime(2024, 2, 29, 12)}])
    lake.create_view("v", "SELECT id FROM events")
    made = lake.create_view("v", "SELECT id, at FROM events", replace=True)
    assert DeltaTable(made.path).to_pyarrow_table().num_rows == 1
    assert {"timestampNtz", "changeDataFeed"} <= set(DeltaTable(made.path).protocol().writer_features)
    assert made.arrow().to_pylist() == [{"id": 1, "at": dt.datetime(2024, 2, 29, 12)}]


def test_versions_before_are_still_there(lake, view):
    rows, version = view.arrow(), view.version
    made = replace(lake)
    assert DeltaTable(made.path, version=version).to_pyarrow_table().num_rows == rows.num_rows
    assert made._folder.read(version) == rows


def test_changes_reach_back_as_long_as_the_columns_are_the_same(lake, view):
    since, before = view.version, bag(view.arrow())
    made = replace(lake, SAME_COLUMNS)
    moved = Counter(before)
    for row in made.changes(since).to_pylist():
        moved[tuple(sorted((name, value) for name, value in row.items() if name != "_hw_weight"))] += row["_hw_weight"]
    assert +moved == bag(made.arrow())
    made = replace(lake, NEW_COLUMNS)
    with pytest.raises(hw.HeadwaterError) as refused:
        made.changes(since)
    assert (refused.value.key, refused.value.params["version"]) == ("view.replaced", made.version)
    assert made.changes(made.version).num_rows == 0


def test_the_history_goes_on_and_costs_begin_anew(lake, view, elsewhere):
    lake.table("orders").append([{"id": 100, "customer": 1, "amount": 50}])
    view.refresh()
    replace(lake)
    assert view.history().column("reason").to_pylist()[::2] == [REPLACED, NEW]
    assert view.history().column("sequence").to_pylist() == [3, 2, 1]
    other = elsewhere.view("totals")
    assert [row["reason"] for row in other._recent()] == [REPLACED]
    assert all(item.rows is None for item in other.explain().operators)


def test_a_view_that_is_read_is_not_replaced(lake, view):
    lake.create_view("above", "SELECT name FROM totals")
    before = bag(view.arrow())
    with pytest.raises(hw.HeadwaterError) as refused:
        replace(lake)
    assert (refused.value.key, refused.value.params["readers"]) == ("table.in_use", "above")
    lake.view("above").drop()
    assert bag(view.arrow()) == before
    check(lake, lake.view("totals"), OLD)


def test_a_text_that_is_wrong_changes_nothing(lake, view):
    with pytest.raises(hw.HeadwaterError):
        replace(lake, "SELECT nothing FROM nowhere")
    check(lake, lake.view("totals"), OLD)


# -- while it happens


STEPS = {  # of a replacement: what is called, in this order
    "define": (hw.Lake, "_define"),
    "build pasts": (Runner, "build_pasts"),
    "publish a past": (PastStore, "publish"),
    "switch": (runner, "replace"),
    "commit": (DeltaFolder, "commit"),
    "write the history": (History, "append"),
    "drop the old pasts": (storage, "remove_folder"),
    "tell the catalog": (Catalog, "succeed"),
}
POINTS = [
    *(("before", step) for step in STEPS),
    *(("after", step) for step in STEPS if step != "switch"),  # which is when the commit is done
]
PLACES = {step: place for place, step in enumerate(STEPS)}
COMMITTED = [(when, step) for when, step in POINTS if PLACES[step] + (when == "after") > PLACES["commit"]]
UNCOMMITTED = [each for each in POINTS if each not in COMMITTED]


class Dies(BaseException):
    """Nothing catches it on purpose."""


def failing(monkeypatch, owner, name: str, when: str) -> None:
    """The step fails once, before or after it is done; of commits, the one to the view's folder."""
    original, left = getattr(owner, name), [1]

    def step(*args, **kwargs):
        mine = name != "commit" or args[0].name == "totals"
        left[0] -= mine
        if left[0] == 0 and mine and when == "before":
            raise Dies
        result = original(*args, **kwargs)
        if left[0] == 0 and mine:
            raise Dies
        return result

    monkeypatch.setattr(owner, name, step)


@pytest.mark.parametrize(("when", "step"), UNCOMMITTED)
def test_a_failure_before_the_commit_leaves_the_old_view(lake, view, monkeypatch, when, step):
    version = view.version
    with monkeypatch.context() as patched:
        failing(patched, *STEPS[step], when)
        with pytest.raises(Dies):
            replace(lake)
    assert pasts(lake) == [view._definition.id]
    assert view.version == version
    check(lake, lake.view("totals"), OLD)
    with connect(lake.path) as again:
        check(again, again.view("totals"), OLD)


@pytest.mark.parametrize(("when", "step"), COMMITTED)
@pytest.mark.parametrize("how", ["same process", "another process", "the old object"])
def test_a_failure_after_the_commit_leaves_the_new_view(lake, view, monkeypatch, when, step, how):
    with monkeypatch.context() as patched:
        failing(patched, *STEPS[step], when)
        with pytest.raises(Dies):
            replace(lake)
    assert standing_of(view._folder).definition != view._definition.id
    if how == "the old object":
        view.refresh()
        check(lake, view, NEW_COLUMNS)
    with connect(lake.path) as other:
        user = other if how == "another process" else lake
        check(user, user.view("totals"), NEW_COLUMNS)
        assert user._catalog.get("totals").id == user.view("totals")._definition.id


def test_the_old_view_is_read_and_refreshed_while_the_new_one_is_built(lake, view, elsewhere, monkeypatch):
    """Even a refresh just before the commit does not get in the way."""
    seen = []
    original = runner.replace

    def look(folder, files, **options):
        if folder.name == "totals" and not seen:
            other = elsewhere.view("totals")
            elsewhere.table("orders").append([{"id": 100, "customer": 1, "amount": 50}])
            report = other.refresh()
            folders = elsewhere._folders(other.reads)
            tables = {name: folders[name].read(version) for name, version in other.cursor.items()}
            seen.extend([report.strategy, bag(polars.read_delta(view.path).to_arrow()) == bag(rows_of(OLD, tables))])
        return original(folder, files, **options)

    monkeypatch.setattr(runner, "replace", look)
    made = replace(lake)
    assert seen == ["incremental", True]
    assert made._standing().sequence == 3
    check(lake, made, NEW_COLUMNS)


def test_a_refresh_on_its_way_gives_way(lake, view, elsewhere, monkeypatch):
    other = elsewhere.view("totals")
    lake.table("orders").append([{"id": 100, "customer": 1, "amount": 50}])
    original = runner.Advance.publish

    def late(advance):
        replace(lake)
        original(advance)

    monkeypatch.setattr(runner.Advance, "publish", late)
    with pytest.raises(hw.HeadwaterError) as lost:
        other.refresh()
    assert lost.value.key == "commit.conflict"
    monkeypatch.undo()
    other.refresh()
    check(elsewhere, other, NEW_COLUMNS)


def test_an_object_of_the_old_view_becomes_the_new_one(lake, view, elsewhere):
    other = elsewhere.view("totals")
    replace(lake)
    for old in (view, other):
        assert old.cursor == lake.view("totals").cursor
        assert old.definition == NEW_COLUMNS
        assert old.states() and old.refresh().strategy == "none"
    check(elsewhere, other, NEW_COLUMNS)


def test_the_later_of_two_replacements_stands(lake, view, elsewhere, monkeypatch):
    """Each commits; the catalog is told in the wrong order."""
    with monkeypatch.context() as patched:
        patched.setattr(replacing, "tell", lambda *_: None)
        replace(lake)
    late = lake._catalog.get("totals"), lake._views["totals"]._definition
    made = replace(elsewhere, SAME_COLUMNS)
    replacing.tell(lake._catalog, lake._warehouse, late[0].id, replacing.entry_of(late[1]))
    assert lake.view("totals").definition == SAME_COLUMNS
    check(lake, lake.view("totals"), SAME_COLUMNS)
    check(elsewhere, made, SAME_COLUMNS)


# -- what is left behind

CHILD = textwrap.dedent(
    """
    import importlib, os, signal, sys
    from tests.engine.local.without_spark import connect

    path, sql, module, owner, name, when, nth = sys.argv[1:]
    holder = importlib.import_module(module)
    holder = getattr(holder, owner) if owner else holder
    original, calls = getattr(holder, name), [0]

    def killing(*args, **kwargs):
        if name == "commit" and args[0].name != "totals":
            return original(*args, **kwargs)
        calls[0] += 1
        if calls[0] == int(nth) and when == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        result = original(*args, **kwargs)
        if calls[0] == int(nth):
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    lake = connect(path)
    setattr(holder, name, killing)
    lake.create_view("totals", sql, policy="incremental", replace=True)
    """
)
KILLED = [
    (("headwater.state.store", "PastStore", "publish", "after", "1"), OLD),
    (("headwater.lake.delta_table", "DeltaFolder", "commit", "before", "1"), OLD),
    (("headwater.lake.delta_table", "DeltaFolder", "commit", "after", "1"), NEW_COLUMNS),
    (("headwater.lake.catalog", "Catalog", "succeed", "before", "1"), NEW_COLUMNS),
    (("headwater.lake.catalog", "Catalog", "succeed", "after", "1"), NEW_COLUMNS),
]


@pytest.mark.slow
@pytest.mark.parametrize(("point", "stands"), KILLED)
def test_killed(lake, view, point, stands):
    command = [sys.executable, "-c", CHILD, lake.path, NEW_COLUMNS, *point]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240)
    assert done.returncode == -signal.SIGKILL, done.stderr[-2000:]
    with connect(lake.path) as again:
        survivor = again.view("totals")
        assert survivor.definition == stands
        a_day_ago(again, keep=survivor._definition.id)
        check_after_kill(again, survivor, stands)


def a_day_ago(lake, keep: str) -> None:
    for id_ in pasts(lake):
        if id_ != keep:
            path = lake._warehouse.past_path("totals", id_)
            os.utime(path, (os.stat(path).st_atime, os.stat(path).st_mtime - ORPHAN_AGE - 1))


def check_after_kill(lake, view, sql: str) -> None:
    """As `check`; what the killed build left goes with the next replacement."""
    view.refresh()
    made = replace(lake, SAME_COLUMNS)
    check(lake, made, SAME_COLUMNS)
    again = replace(lake, sql)
    check(lake, again, sql)


def test_pasts_of_a_build_that_goes_on_are_left_alone(lake, view):
    building = lake._warehouse.past_path("totals", "other")
    storage.make_folder(building)
    replace(lake)
    assert "other" in pasts(lake)
    lake.view("totals").drop()
    assert not storage.is_folder(lake._warehouse.pasts_path("totals"))
