"""Every operator, step by step over random tiny databases: incremental = full form = DuckDB on the user's own SQL.

The queries are in `queries/`, one file a rule; `-- title` names each. Each is tried with the pasts that ship and with
one other choice of stored pasts; `HEADWATER_EXAMPLES=200` tries all choices and more databases.
"""

from __future__ import annotations

import os
from functools import lru_cache
from zlib import crc32

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.delta.databases import contents, steps
from tests.delta.harness import Subject, Variant, queries, statistics_for

EXAMPLES = int(os.environ.get("HEADWATER_EXAMPLES", "6"))  # databases a query; each takes up to four steps


@lru_cache(maxsize=1)  # a query's examples share its database and prepared statements
def subject(title: str, sql: str) -> Subject:
    return Subject(sql, statistics=statistics_for(title))


def tried(view: Subject) -> list[Variant]:
    shipped, *others = view.variants
    return view.variants if EXAMPLES > 6 else [shipped, others[crc32(view.sql.encode()) % len(others)]]


@pytest.mark.parametrize(("title", "sql"), queries().items(), ids=queries().keys())
@settings(max_examples=EXAMPLES, phases=set(Phase) - {Phase.explain}, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_incremental_equals_recompute(title, sql, data):
    view = subject(title, sql)
    variant = data.draw(st.sampled_from(tried(view)), label="variant")
    view.start(data.draw(contents(view.reads), label="tables"), variant)
    for step in data.draw(steps(view.reads, most=4), label="steps"):
        view.step({name: dml.change(view.contents[name]) for name, dml in step.items()})
