"""Random queries for as long as you like, with other examples for every seed:

    python -m tests.delta.long_run --minutes 60 --seed 7

Each failure is shrunk and printed with the query, the tables and the steps that lead to it; the run then goes on.
The exit status is 1 if there was any.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import count

import duckdb
from hypothesis import HealthCheck, Phase, assume, given, note, seed, settings
from hypothesis import strategies as st
from hypothesis.errors import HypothesisException

from headwater.algebra.nodes import Schema
from headwater.errors import Unsupported
from tests.delta.databases import contents, steps
from tests.delta.harness import Subject
from tests.delta.random_queries import random_query
from tests.delta.random_tables import rows_of, schemas

EXAMPLES = 100  # of one seed, before the next is taken
# What a refresh is not told to do incrementally; each is a limit that the builder names.
REFUSED = ("correlated by other conditions", "columns of an outer query", "A reference past the next outer query")

Counts = Counter[str]


def check(data: st.DataObject, counts: Counts) -> None:
    """Draw a query and a database, and compare the view with its recomputation after every step of changes."""
    tables = data.draw(schemas(), label="tables")
    sql = data.draw(random_query(tables), label="query")
    note(sql)
    counts["drawn"] += 1
    try:
        compare(data, sql, tables, counts)
    except Exception as error:
        if not isinstance(error, HypothesisException):
            error.add_note(f"query {sql}\nover {tables}")
        raise


def compare(data: st.DataObject, sql: str, tables: Mapping[str, Schema], counts: Counts) -> None:
    view = subject(sql, tables, counts)
    rows = rows_of(tables)
    variant = data.draw(st.sampled_from(view.variants), label="variant")
    variant = replace(variant, every_node=False)  # which node it is can be told afterwards
    start = data.draw(contents(view.reads, rows=rows), label="contents")
    made = data.draw(steps(view.reads, most=5, rows=rows), label="steps")
    try:
        view.start(start, variant)
        for step in made:
            view.step({name: dml.change(view.contents[name]) for name, dml in step.items()})
            counts["steps"] += 1
    except duckdb.OutOfRangeException:  # a number outgrew its type, as it does in Spark
        counts["overflown"] += 1
        assume(False)
    counts["queries"] += 1


def subject(sql: str, tables: Mapping[str, Schema], counts: Counts) -> Subject:
    try:
        return Subject(sql, tables)
    except (duckdb.NotImplementedException, duckdb.BinderException) as error:
        counts[f"not read by DuckDB: {str(error).splitlines()[0][:100]}"] += 1
    except Unsupported as error:
        if not any(each in error.sentence for each in REFUSED):
            raise
        counts[f"refused: {error.sentence[:70]}"] += 1
    assume(False)
    raise AssertionError


def batch(number: int, examples: int, counts: Counts, tell: Callable[[str], None] = lambda _: None) -> None:
    """Some examples of one seed; raises the smallest failure among them, and tells of the first before it is shrunk."""
    found: list[str] = []

    @seed(number)
    @settings(
        max_examples=examples,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
        database=None,
        deadline=None,
        print_blob=False,
    )
    @given(data=st.data())
    def run(data: st.DataObject) -> None:
        try:
            check(data, counts)
        except Exception as error:
            if not found and not isinstance(error, HypothesisException):
                found.append(f"{type(error).__name__}: {error}")
                tell(found[0])
            raise

    run()


def tell(failure: str) -> None:
    print(f"-- to be shrunk: {failure}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=0)
    told = parser.parse_args()
    end, counts, failures = time.monotonic() + 60 * told.minutes, Counter[str](), 0
    for number in count(told.seed * 1_000_000):
        if time.monotonic() >= end:
            break
        try:
            batch(number, EXAMPLES, counts, tell)
        except Exception as error:
            failures += 1
            print(f"-- seed {number}: {type(error).__name__}: {error}", *getattr(error, "__notes__", ()), sep="\n")
        print(f"-- up to seed {number}: {failures} failures, {dict(counts)}", flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
