"""Random queries over random tables, always the same ones. What is found is kept, minimised, in `regressions.sql`.

`python -m tests.delta.long_run` draws others, for as long as you like.
"""

from __future__ import annotations

from collections import Counter

import pytest

from tests.delta.long_run import batch

SEEDS = range(4)
EXAMPLES = 25  # of each seed


@pytest.mark.timeout(1200)  # a failure is shrunk
@pytest.mark.parametrize("seed", SEEDS)
def test_incremental_equals_recompute(seed):
    counts: Counter[str] = Counter()
    batch(seed, EXAMPLES, counts)
    assert counts["queries"] >= EXAMPLES, counts
