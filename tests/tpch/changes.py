"""How each table of TPC-H changes: its key and what it points to."""

from __future__ import annotations

from typing import Any

from tests.streams import Rules, Stream

KEYS: dict[str, tuple[str, ...]] = {
    "region": ("r_regionkey",),
    "nation": ("n_nationkey",),
    "supplier": ("s_suppkey",),
    "customer": ("c_custkey",),
    "part": ("p_partkey",),
    "partsupp": ("ps_partkey", "ps_suppkey"),
    "orders": ("o_orderkey",),
    "lineitem": ("l_orderkey", "l_linenumber"),
}
REFERENCES: dict[str, dict[str, tuple[str, str]]] = {
    "nation": {"n_regionkey": ("region", "r_regionkey")},
    "supplier": {"s_nationkey": ("nation", "n_nationkey")},
    "customer": {"c_nationkey": ("nation", "n_nationkey")},
    "orders": {"o_custkey": ("customer", "c_custkey")},
    "lineitem": {"l_partkey": ("part", "p_partkey"), "l_suppkey": ("supplier", "s_suppkey")},
}
ROWS = {"partsupp": 4, "orders": 4, "lineitem": 8}  # a batch; one of the other tables


def stream(lake: Any, seed: int = 0) -> Stream:
    return Stream(lake, {table: rules_of(table) for table in KEYS}, seed)


def rules_of(table: str) -> Rules:
    key = KEYS[table]
    return Rules(
        key,
        counter=key[0] if len(key) == 1 else None,
        fixed=frozenset(key),
        references=REFERENCES.get(table, {}),
        rows=ROWS.get(table, 1),
        returned=0.4 if table in ROWS else 0.8,
    )
