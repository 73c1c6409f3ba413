"""Both engines give the same value, type and error for every entry of the parity table, alone and nested at random."""

from __future__ import annotations

import os

import pytest

from headwater.engine.local import parity
from tests.engine.local import inputs
from tests.engine.local.comparing import compare, some_expressions

SEED = 1
PAIRS = int(os.environ.get("HEADWATER_PAIRS", "8000"))  # by hand 55,000, in a few minutes
MOST_LEFT = 0.03  # the share of pairs that the lane may leave to Spark by raising where Spark does not


def check(outcome) -> None:
    assert not outcome.disagreements, "\n".join(outcome.disagreements[:50])
    assert outcome.left_to_spark <= MOST_LEFT * outcome.pairs, outcome.left


@pytest.mark.parametrize("family", [name for name in parity.SECTIONS if name != "Aggregates"])
def test_every_entry_over_columns(spark, family):
    expressions = inputs.Expressions(SEED)
    samples = [sample for entry in parity.SECTIONS[family] for sample in entry.samples]
    check(compare(spark, inputs.rows(SEED), list(expressions.alone(samples, 3))))


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_random_pairs(spark):
    outcome = compare(spark, inputs.rows(SEED + 1), list(some_expressions(SEED + 1, PAIRS)))
    assert outcome.pairs >= 0.9 * PAIRS
    check(outcome)
