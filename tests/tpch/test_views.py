"""All queries of TPC-H as views, under changes to all tables.

By hand, for as long as it takes: HEADWATER_BATCHES=20 pytest tests/tpch/test_views.py --log-cli-level=INFO
"""

from __future__ import annotations

import pytest

from tests.maintained import SEED, TIME_LIMIT, Maintained, chosen
from tests.tpch.changes import stream
from tests.tpch.data import QUERIES, generate, query_text

# Queries that policy `strict` refuses, with the reason it gives.
REFUSED: dict[str, str] = {}


@pytest.mark.slow
@pytest.mark.timeout(TIME_LIMIT)
def test_views_equal_recompute_after_every_batch(lake, tmp_path):
    for name, rows in generate(tmp_path / "data").items():
        lake.create_table(name, rows)
    views = Maintained(lake, {query: query_text(query) for query in chosen(QUERIES)})
    views.run(stream(lake, SEED))
    views.check(REFUSED)
