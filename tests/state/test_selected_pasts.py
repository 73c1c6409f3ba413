"""A view is the same whatever is stored: pasts selected at random budgets, for random expectations, right and wrong."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from headwater.algebra.statistics import TableStatistics
from headwater.state.costs import DISK, LOCAL, PROCESS
from headwater.state.needed import irreplaceable
from headwater.state.problem import Knowledge
from headwater.state.selection import Search, Selection
from headwater.state.strategies import recycler
from tests.delta.databases import contents, steps
from tests.delta.harness import TABLES, Subject, Variant, queries, statistics_for

# Tables of very different sizes, so that a budget decides which of them has its past stored.
SIZES = {
    "a": TableStatistics(1_000_000, {"k": 50_000.0, "v": 1_000.0}),
    "b": TableStatistics(30_000, {"k": 30_000.0, "w": 500.0}),
    "c": TableStatistics(2_000, {"k": 2_000.0, "j": 50.0}),
}
# Work that costs by the row alone, and little where it is by key: whatever has room is worth being stored.
PLACE = replace(LOCAL.disk, append=0.0, probe=1e-9, insert=1e-9, delete=2e-9, write=1e-9)
COSTS = replace(LOCAL, statement=0.0, disk=PLACE, process=PLACE)
ROWS = st.sampled_from([0.0, 10.0, 5_000.0])
BUDGETS = st.sampled_from([0.0, 1e3, 1e5, 1e6, 1e7, 1e12])


@lru_cache(maxsize=1)
def subject(title: str, sql: str) -> Subject:
    return Subject(sql, statistics=statistics_for(title))


@st.composite
def selections(draw, view: Subject) -> Selection:
    expected = {name: SimpleNamespace(inserts=draw(ROWS), deletes=draw(ROWS), complete=False) for name in TABLES}
    places = draw(st.sampled_from([(DISK,), (PROCESS, DISK)]))
    knowledge = Knowledge(SIZES, costs=draw(st.sampled_from([LOCAL, COSTS])), refreshes=1e4, places=places)
    budget = draw(BUDGETS)
    if draw(st.integers(0, 3)) == 0:
        return recycler(view.plan, expected, budget, knowledge)
    return Search(view.plan, expected, budget, knowledge).incremental()


def is_sound(selection: Selection, view: Subject) -> None:
    """Named once, inputs first, and what cannot be recomputed is among them."""
    assert len({past.name for past in selection.pasts}) == len(selection.pasts)
    places = {node: place for place, node in enumerate(reversed(list(dict.fromkeys(view.plan.walk()))))}
    assert all(past.node in places for past in selection.pasts)
    for past in irreplaceable(view.plan):
        assert (selection.strategy == "recycler" and selection.refresh == "full") or past in selection.pasts


@pytest.mark.parametrize(("title", "sql"), queries().items(), ids=queries().keys())
@settings(max_examples=2, phases=set(Phase) - {Phase.explain}, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_the_view_does_not_depend_on_what_is_selected(title, sql, data):
    view = subject(title, sql)
    selection = data.draw(selections(view), label="selection")
    is_sound(selection, view)
    if selection.refresh == "full":  # nothing to maintain
        return
    name = " ".join(f"{past.name} by {past.key}" for past in selection.pasts) or "nothing"
    view.start(data.draw(contents(view.reads), label="tables"), Variant(name, selection.pasts, every_node=False))
    for step in data.draw(steps(view.reads, most=3), label="steps"):
        view.step({name: dml.change(view.contents[name]) for name, dml in step.items()})
