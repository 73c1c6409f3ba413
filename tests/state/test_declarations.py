"""What may be declared about a table, and what is refused."""

from __future__ import annotations

import math
from decimal import Decimal

import numpy as np
import pytest

from headwater.errors import HeadwaterError
from headwater.state.declarations import Declaration, declared


def declare(inserts=0, deletes=0, complete=False, like=None) -> Declaration | None:
    return declared("t", inserts, deletes, complete, like, 7)


def test_what_is_kept_comes_back():
    said = declare(6_000, np.int64(5))
    assert said == Declaration(6_000, 5, version=7)
    assert Declaration.from_dict(said.as_dict()) == said
    assert type(said.deletes) is int


def test_none_withdraws():
    assert declare(None) is None


@pytest.mark.parametrize("value", [-1, 1.5, 6_000.0, math.nan, math.inf, "6000", True, Decimal(3), np.float64(2)])
@pytest.mark.parametrize("what", ["inserts", "deletes"])
def test_numbers_of_rows_that_are_none(what, value):
    with pytest.raises(HeadwaterError) as raised:
        declare(**{what: value})
    assert raised.value.key == "expect.number"
    assert raised.value.params == {"table": "t", "what": what, "value": value} or value != value


@pytest.mark.parametrize(
    ("given", "key"),
    [
        ({"deletes": None}, "expect.number"),
        ({"inserts": None, "deletes": 5}, "expect.number"),
        ({"inserts": None, "complete": True}, "expect.number"),
        ({"complete": "yes"}, "expect.complete"),
        ({"complete": None}, "expect.complete"),
        ({"inserts": 5, "complete": True}, "expect.both"),
        ({"deletes": 5, "like": "u"}, "expect.both"),
        ({"like": "T"}, "expect.like"),
        ({"like": "u", "complete": True}, "expect.like"),
    ],
)
def test_what_contradicts_itself(given, key):
    with pytest.raises(HeadwaterError) as raised:
        declare(**given)
    assert raised.value.key == key


def test_only_completeness_can_be_broken():
    assert Declaration(complete=True, version=3).broken_at(4)
    assert not Declaration(complete=True, version=3).broken_at(3)
    assert not Declaration(6_000, version=3).broken_at(4)
