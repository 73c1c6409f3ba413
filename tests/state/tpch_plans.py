"""Plans of the TPC-H texts at scale 1, without data: the sizes are those that the benchmark defines."""

from __future__ import annotations

from functools import cache

from headwater.algebra.nodes import Column, Node, Schema
from headwater.algebra.statistics import TableStatistics
from headwater.refresh.definition import plan_of
from tests.delta.harness import Database
from tests.tpch.data import QUERIES, query_text

MONEY = "decimal(15,2)"
COLUMNS = {
    "region": {"r_regionkey": "int", "r_name": "string", "r_comment": "string"},
    "nation": {"n_nationkey": "int", "n_name": "string", "n_regionkey": "int", "n_comment": "string"},
    "supplier": {
        "s_suppkey": "int", "s_name": "string", "s_address": "string", "s_nationkey": "int", "s_phone": "string",
        "s_acctbal": MONEY, "s_comment": "string",
    },
    "customer": {
        "c_custkey": "int", "c_name": "string", "c_address": "string", "c_nationkey": "int", "c_phone": "string",
        "c_acctbal": MONEY, "c_mktsegment": "string", "c_comment": "string",
    },
    "part": {
        "p_partkey": "int", "p_name": "string", "p_mfgr": "string", "p_brand": "string", "p_type": "string",
        "p_size": "int", "p_container": "string", "p_retailprice": MONEY, "p_comment": "string",
    },
    "partsupp": {
        "ps_partkey": "int", "ps_suppkey": "int", "ps_availqty": "int", "ps_supplycost": MONEY, "ps_comment": "string",
    },
    "orders": {
        "o_orderkey": "int", "o_custkey": "int", "o_orderstatus": "string", "o_totalprice": MONEY,
        "o_orderdate": "date", "o_orderpriority": "string", "o_clerk": "string", "o_shippriority": "int",
        "o_comment": "string",
    },
    "lineitem": {
        "l_orderkey": "int", "l_partkey": "int", "l_suppkey": "int", "l_linenumber": "int", "l_quantity": MONEY,
        "l_extendedprice": MONEY, "l_discount": MONEY, "l_tax": MONEY, "l_returnflag": "string",
        "l_linestatus": "string", "l_shipdate": "date", "l_commitdate": "date", "l_receiptdate": "date",
        "l_shipinstruct": "string", "l_shipmode": "string", "l_comment": "string",
    },
}  # fmt: skip
TABLES: dict[str, Schema] = {
    table: tuple(Column(name, kind) for name, kind in columns.items()) for table, columns in COLUMNS.items()
}
ROWS = {
    "region": 5, "nation": 25, "supplier": 10_000, "customer": 150_000, "part": 200_000, "partsupp": 800_000,
    "orders": 1_500_000, "lineitem": 6_001_215,
}  # fmt: skip
SPANS = {
    "region": {"r_regionkey": 5}, "nation": {"n_nationkey": 25, "n_regionkey": 5},
    "supplier": {"s_suppkey": 1e4, "s_nationkey": 25}, "customer": {"c_custkey": 1.5e5, "c_nationkey": 25},
    "part": {"p_partkey": 2e5, "p_size": 50}, "partsupp": {"ps_partkey": 2e5, "ps_suppkey": 1e4},
    "orders": {"o_orderkey": 6e6, "o_custkey": 1.5e5, "o_orderdate": 2406},
    "lineitem": {"l_orderkey": 6e6, "l_partkey": 2e5, "l_suppkey": 1e4, "l_linenumber": 7, "l_shipdate": 2526},
}  # fmt: skip
STATISTICS = {table: TableStatistics(rows, SPANS[table]) for table, rows in ROWS.items()}
FLAT = ("q3", "q5", "q7", "q8", "q9", "q10", "q12", "q14", "q19", "q1", "q6")  # the paper's select-join-aggregates


@cache
def database() -> Database:
    return Database(TABLES)


@cache
def plan(query: str) -> Node:
    sql = query_text(query)
    used = database()
    return plan_of(sql, TABLES, used.analyse(sql), STATISTICS, used.analyse, {})


__all__ = ["QUERIES", "plan"]
