"""TPC-H at a thousandth of scale factor 1, as Arrow tables, and its queries with parameters that find rows there.

Ten suppliers live in few nations, and no order is large: the standard parameters would leave half of the answers
empty. Columns allow NULL here, so that the stream of changes can bring some.
"""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from headwater.bench import tpch
from tests.recompute import without_idle_order

SCALE = 0.001
QUERIES = tpch.ALL_QUERIES
PARAMETERS: dict[str, dict[str, str]] = {
    "q2": {"p_size = 15": "p_size between 5 and 40", "'EUROPE'": "'AMERICA'"},
    "q5": {"'ASIA'": "'AMERICA'", "interval '1' year": "interval '4' year"},
    "q7": {"'FRANCE'": "'PERU'", "'GERMANY'": "'KENYA'"},
    "q8": {"p_type = 'ECONOMY ANODIZED STEEL'": "p_type like '%STEEL'", "'BRAZIL'": "'PERU'"},
    "q11": {"'GERMANY'": "'PERU'", "0.0001": "0.01"},
    "q16": {"'%Customer%Complaints%'": "'%final%'"},
    "q17": {"p_brand = 'Brand#23'": "p_brand like 'Brand#2%'", "'MED BOX'": "'MED BAG'", "0.2 *": "0.5 *"},
    "q18": {"> 300": "> 220"},
    "q19": {
        "= 'Brand#12'": "like 'Brand#1%'",
        "= 'Brand#23'": "like 'Brand#2%'",
        "= 'Brand#34'": "like 'Brand#3%'",
        "('SM CASE', 'SM BOX', 'SM PACK', 'SM PKG')": "('SM CASE', 'SM BOX', 'JUMBO PACK', 'WRAP BOX')",
        "l_shipmode in ('AIR', 'AIR REG')": "l_shipmode in ('AIR', 'MAIL', 'SHIP')",
    },
    "q20": {"'forest%'": "'%e%'", "'CANADA'": "'PERU'"},
    "q21": {"'SAUDI ARABIA'": "'PERU'"},
}


def query_text(query: str) -> str:
    """The text as a view: its ORDER BY stays where a LIMIT needs it."""
    text = tpch.query_text(query)
    for old, new in PARAMETERS.get(query, {}).items():
        assert old in text, (query, old)
        text = text.replace(old, new)
    return without_idle_order(text)


def generate(cache: Path) -> dict[str, pa.Table]:
    folder = tpch.generate(SCALE, cache)
    return {name: _plain(pq.read_table(folder / f"{name}.parquet")) for name in tpch.TABLES}


def _plain(rows: pa.Table) -> pa.Table:
    """Ordinary strings, and NULL allowed everywhere."""
    kinds = {pa.string_view(): pa.string()}
    return rows.cast(pa.schema([(field.name, kinds.get(field.type, field.type)) for field in rows.schema]))
