"""The queries of the tiny TPC-DS as views, under changes to all tables: some of them in a short run, all in a long one.

By hand, for as long as it takes: HEADWATER_BATCHES=20 pytest tests/tpcds/test_views.py --log-cli-level=INFO
"""

from __future__ import annotations

import pytest

from tests.maintained import SEED, TIME_LIMIT, Maintained, chosen
from tests.recompute import without_idle_order
from tests.tpcds.changes import stream
from tests.tpcds.data import generate
from tests.tpcds.texts import QUERIES, query_text

# Queries that policy `strict` refuses, with the reason it gives.
REFUSED: dict[str, str] = {}
# What a short run follows: each of the operators, each shape of subquery, and views over many others of them.
SHORT_RUN = ("q05", "q09", "q14", "q16", "q38", "q45", "q51", "q67", "q69", "q87", "q97")


@pytest.mark.slow
@pytest.mark.timeout(TIME_LIMIT)
def test_views_equal_recompute_after_every_batch(lake):
    for name, rows in generate().items():
        lake.create_table(name, rows)
    views = Maintained(lake, {query: without_idle_order(query_text(query)) for query in chosen(QUERIES, SHORT_RUN)})
    views.run(stream(lake, SEED))
    views.check(REFUSED)
