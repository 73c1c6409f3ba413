"""Changes made once and replayed: a clone stands where the source stood, and a view would see exactly the change."""

from __future__ import annotations

import pyarrow as pa
import pytest
from deltalake import DeltaTable

import headwater as hw
from headwater.bench.changes import Pattern
from headwater.bench.timeline import Replay, RowChange, make_timeline, plan_steps
from headwater.lake.bags import WEIGHT, consolidate
from headwater.lake.changes import with_weight
from headwater.lake.delta_table import DeltaFolder

RATES = (0.1, 2.0)
NAMES = ("orders", "lineitem", "nation")


@pytest.fixture(scope="module")
def source(tables, tmp_path_factory):
    with hw.connect(tmp_path_factory.mktemp("source")) as lake:
        yield {name: lake.create_table(name, tables[name]) for name in NAMES}


@pytest.fixture(scope="module")
def timeline(source):
    return make_timeline(source, plan_steps(RATES, repeats=1), Pattern.SPREAD, seed=1)


def test_at_each_rate_the_first_change_warms_up():
    assert plan_steps((0.1, 1.0), 2) == [
        (0.1, False), (0.1, True), (0.1, True), (1.0, False), (1.0, True), (1.0, True),
    ]  # fmt: skip


def test_steps_say_what_they_changed(timeline, tables):
    orders = tables["orders"].num_rows
    for step in timeline.steps:
        count = max(1, round(step.rate / 100 * orders))
        assert step.changes["orders"] == RowChange(count, count)
        assert count <= step.changes["lineitem"].inserted <= 7 * count
        assert count <= step.changes["lineitem"].deleted <= 7 * count


def test_a_clone_starts_before_the_first_change(timeline, tables, tmp_path):
    replay = Replay(timeline, NAMES, tmp_path)
    for name, path in replay.paths.items():
        assert DeltaTable(path).version() == timeline.base[name]
        assert DeltaTable(path).count() == tables[name].num_rows


@pytest.mark.parametrize("name", ["orders", "lineitem"])
def test_a_change_arrives_as_exactly_its_rows(timeline, tmp_path, name):
    replay = Replay(timeline, NAMES, tmp_path)
    folder = DeltaFolder.open(replay.paths[name])
    for step in timeline.steps:
        before = folder.latest()
        replay.arrive(step)
        after = folder.latest()
        assert after == step.versions[name]
        change = folder.changes(before, after).read()
        weights = change.column(WEIGHT).to_pylist()
        assert RowChange(weights.count(1), weights.count(-1)) == step.changes[name]
        assert set(weights) == {1, -1}
        signed = [with_weight(folder.read(after), 1), with_weight(folder.read(before), -1)]
        assert as_bag(pa.concat_tables(signed)) == as_bag(change)


def test_replays_are_independent(timeline, tmp_path):
    one, two = (Replay(timeline, ["orders"], tmp_path / name) for name in ("one", "two"))
    one.arrive(timeline.steps[0])
    assert DeltaTable(one.paths["orders"]).version() == timeline.steps[0].versions["orders"]
    assert DeltaTable(two.paths["orders"]).version() == timeline.base["orders"]


def test_files_are_those_of_the_version(timeline, tmp_path):
    replay = Replay(timeline, ["orders"], tmp_path)
    before = replay.files()["orders"]
    replay.arrive(timeline.steps[0])
    after = replay.files()["orders"]
    assert before != after
    assert all(path.startswith(str(tmp_path)) for path in after)


def as_bag(signed: pa.Table) -> list[str]:
    return sorted(map(str, consolidate(signed).to_pylist()))
