"""Higher-order views: which are kept, and that joins of three and four relations stay exact with them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headwater.delta.higher_order import HigherOrder, regions
from tests.delta.databases import contents, steps
from tests.delta.harness import Subject

CHAIN = "SELECT a.v, b.w, c.j FROM a JOIN b ON a.k = b.k JOIN c ON b.w = c.k"
STAR = "SELECT a.v, b.w, c.j, d.s FROM a JOIN b ON a.k = b.k JOIN c ON a.k = c.k JOIN b d ON a.v = d.w"
CYCLE = "SELECT a.v, c.d FROM a JOIN b ON a.k = b.k JOIN c ON b.w = c.j AND a.v < c.k"
SUMS = f"SELECT v, SUM(j) AS t, COUNT(*) AS n FROM ({CHAIN}) GROUP BY v"
FILTERED = "SELECT x.v, c.j FROM (SELECT a.v, b.w FROM a JOIN b ON a.k = b.k WHERE a.v + b.w > 1) x JOIN c ON x.w = c.k"
PRODUCT = "SELECT a.v, b.w, c.j FROM a JOIN b ON a.v < b.w CROSS JOIN c"
MIXED = "SELECT x.v, x.w, c.j FROM c LEFT JOIN (SELECT a.v, b.w FROM a JOIN b ON a.k = b.k) x ON x.w = c.k"
QUERIES = {
    "chain": CHAIN, "star": STAR, "cycle": CYCLE, "sums": SUMS,
    "filtered": FILTERED, "product": PRODUCT, "mixed": MIXED,
}  # fmt: skip


def kept(sql: str) -> set[frozenset[str]]:
    """The tables of each view that is kept."""
    return {past.node.tables for past in HigherOrder(Subject(sql).plan).views}


def test_a_chain_keeps_every_connected_part_but_the_whole():
    """As DBToaster keeps, for Lineitem, Orders and Customer, each of them and the two joins of neighbours."""
    assert kept(CHAIN) == {frozenset(each) for each in ("a", "b", "c", "ab", "bc")}


def test_no_product_is_kept():
    assert frozenset("ac") not in kept(CHAIN)


def test_a_star_keeps_what_is_left_of_it():
    (region,) = regions(Subject(STAR).plan)
    assert len(region.relations) == 4
    sizes = [len(part) for part in region.views]
    assert sizes == sorted(sizes)
    assert (sizes.count(1), sizes.count(2), sizes.count(3)) == (4, 3, 3)


def test_joins_that_are_not_inner_are_left_to_their_rules():
    assert [len(region.relations) for region in regions(Subject(MIXED).plan)] == [2]


@pytest.fixture(scope="module", params=QUERIES, ids=str)
def subject(request) -> Subject:
    return Subject(QUERIES[request.param])


@given(data=st.data())
@settings(max_examples=25)
def test_equals_recompute(subject, data):
    variant = next(each for each in subject.variants if each.higher_order)
    subject.start(data.draw(contents(subject.reads)), variant)
    for step in data.draw(steps(subject.reads, most=3)):
        subject.step({name: dml.change(subject.contents[name]) for name, dml in step.items()})
