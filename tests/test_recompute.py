"""The comparison itself: what counts as equal, how a LIMIT is pinned, and that a wrong view is named."""

from __future__ import annotations

from decimal import Decimal

import pyarrow as pa
import pytest

from headwater.errors import HeadwaterError
from tests import maintained
from tests.maintained import Maintained
from tests.recompute import Duck, difference, pinned, without_idle_order


def test_equal_within_what_engines_round():
    assert difference([(1, Decimal("0.333333"))], [(1, 1 / 3)]) == ""
    assert difference([(1, "a"), (1, "a")], [(1, "a"), (1, "a")]) == ""


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        ([(Decimal("10.01"),)], [(Decimal("10.02"),)]),
        ([(1,)], [(1,), (1,)]),
        ([(None,)], [(0,)]),
        ([("a", 1)], [("b", 1)]),
        ([], [(1,)]),
    ],
)
def test_unlike(found, expected):
    assert difference(found, expected) != ""


def test_a_limit_takes_the_same_rows_whatever_their_order():
    rows = [{"a": 1, "b": None}, {"a": 1, "b": "y"}, {"a": 1, "b": "x"}, {"a": 2, "b": "z"}]
    text = "select b, a from t order by a limit 2"
    for given in (rows, rows[::-1]):
        assert Duck({"t": pa.Table.from_pylist(given)}).rows(text) == [(None, 1), ("x", 1)]
    assert pinned(text, 2).sql(dialect="spark").endswith("ORDER BY a, 1, 2 LIMIT 2")


def test_only_an_idle_order_is_dropped():
    assert without_idle_order("select a\nfrom t\norder by a\n") == "select a\nfrom t\n"
    kept = "select a from t\norder by a\nlimit 2\n"
    assert without_idle_order(kept) == kept


class FakeTable:
    name, version = "t", 3

    def arrow(self):
        return pa.table({"a": [1, 2]})


class FakeView:
    reads = ("t",)
    definition = "select a from t"

    def __init__(self, rows=(1, 2), version=3, strategy="incremental"):
        self.rows, self.cursor, self.strategy = rows, {"t": version}, strategy

    def arrow(self):
        return pa.table({"a": list(self.rows)})

    def refresh(self, lane):
        if self.strategy == "broken":
            raise RuntimeError("lost")
        return type("Refresh", (), {"strategy": self.strategy, "reason": "lazy"})

    def verify(self):
        return type("Verification", (), {"ok": True})


class FakeLake:
    """Makes the views it is given; a reason instead of a view is a refusal."""

    def __init__(self, views):
        self.views = views

    def create_view(self, name, text, policy):
        assert policy == "strict"
        view = self.views[name.removeprefix("view_")]
        if isinstance(view, str):
            raise HeadwaterError("view.strict", name=name, reason=f"{view} (at line 1, column 2)")
        return view

    def tables(self):
        return [FakeTable()]

    def table(self, name):
        return FakeTable()


class NoChanges:
    def batch(self):
        pass


def test_what_is_wrong_is_named_and_the_others_go_on(monkeypatch):
    monkeypatch.setattr(maintained, "CHOSEN", frozenset())
    views = {
        "good": FakeView(),
        "wrong": FakeView((1, 3)),
        "behind": FakeView(version=2),
        "broken": FakeView(strategy="broken"),
        "lazy": FakeView(strategy="full"),
        "hard": "Too hard.",
    }
    views = Maintained(FakeLake(views), dict.fromkeys(views, ""))
    views.run(NoChanges(), 2)
    assert views.refused == {"hard": "Too hard."}
    assert [failure.split(":")[0] for failure in views.failures] == [
        "wrong after batch 0",
        "behind after batch 0",
        "broken after batch 1",
        "lazy after batch 1",
    ]
    assert "1 extra: 1 x (3.0,); 1 missing: 1 x (2.0,)" in views.failures[0]
    with pytest.raises(AssertionError, match="wrong after batch 0"):
        views.check({"hard": "Too hard."})


@pytest.mark.parametrize("expected", [{}, {"hard": "Other."}, {"hard": "Too hard.", "easy": "Too hard."}])
def test_refusals_must_be_those_expected(expected, monkeypatch):
    monkeypatch.setattr(maintained, "CHOSEN", frozenset())
    views = Maintained(FakeLake({"hard": "Too hard."}), {"hard": ""})
    views.check({"hard": "Too hard."})
    with pytest.raises(AssertionError, match="refusals differ"):
        views.check(expected)
