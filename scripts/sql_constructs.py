"""What `docs/sql-support.md` shows: an example of every construct, and the tables that the texts read."""

from __future__ import annotations

from headwater.algebra.nodes import Column, Schema


def columns(text: str) -> Schema:
    return tuple(Column(*each.split(None, 1)) for each in text.split(", "))


EXAMPLE_TABLES: dict[str, Schema] = {
    "a": columns("k int, v int, s string, d date, xs array<int>"),
    "c": columns("k int, m map<string,int>"),
    "e": columns("k int, ms array<map<string,int>>"),
    "b": columns("k int, w int, s string"),
}

CONSTRUCTS: dict[str, tuple[str, ...]] = {
    "Rows": (
        "SELECT k, v + 1 AS v1 FROM a WHERE s LIKE 'x%'",
        "SELECT DISTINCT k FROM a",
        "SELECT 1 AS x, 'a' AS y",
        "SELECT x, y FROM VALUES (1, 'a'), (2, NULL) AS t(x, y)",
        "SELECT transform(xs, x -> x + k) AS ys FROM a",
        "SELECT k, x FROM a LATERAL VIEW OUTER explode(xs) t AS x",
        "SELECT k, explode(xs) AS x FROM a",
        "SELECT k, i, x FROM a LATERAL VIEW posexplode(xs) t AS i, x",
        "SELECT k, m FROM c WHERE m['x'] > 1",
        "SELECT a.v, c.m FROM a JOIN c ON a.k = c.k",
    ),
    "Joins": (
        "SELECT a.v, b.w FROM a JOIN b ON a.k = b.k",
        "SELECT a.v, b.w FROM a LEFT JOIN b ON a.k = b.k AND b.w > a.v",
        "SELECT a.v, b.w FROM a RIGHT JOIN b ON a.k = b.k",
        "SELECT a.v, b.w FROM a FULL JOIN b ON a.k = b.k",
        "SELECT a.v, b.w FROM a CROSS JOIN b",
        "SELECT a.v, b.w FROM a JOIN b ON a.v < b.w",
        "SELECT v, w FROM a JOIN b USING (k)",
        "SELECT a.v FROM a LEFT SEMI JOIN b ON a.k = b.k",
        "SELECT a.v FROM a LEFT ANTI JOIN b ON a.k = b.k",
        "SELECT a.k, t.m FROM a, LATERAL (SELECT max(w) AS m FROM b WHERE b.k = a.k) t",
        "SELECT a.k, t.w FROM a, LATERAL (SELECT w FROM b WHERE b.k = a.k ORDER BY w LIMIT 1) t",
    ),
    "Groups": (
        "SELECT k, count(*) AS n, sum(v) AS t, avg(v) AS m FROM a GROUP BY k HAVING count(*) > 1",
        "SELECT k, min(v) AS low, max(v) AS high, count(DISTINCT s) AS names FROM a GROUP BY k",
        "SELECT k, stddev(v) AS sd, corr(v, k) AS c, median(v) AS m, percentile(v, 0.9) AS p FROM a GROUP BY k",
        "SELECT k, collect_list(v) AS vs, listagg(s, ',') AS names, mode(v) AS often FROM a GROUP BY k",
        "SELECT k, max_by(s, v) AS last, bool_and(v > 0) AS positive, approx_count_distinct(v) AS n FROM a GROUP BY k",
        "SELECT k, sum(v) FILTER (WHERE s = 'x') AS t FROM a GROUP BY k",
        "SELECT k, s, grouping(k) AS g, sum(v) AS t FROM a GROUP BY ROLLUP (k, s)",
        "SELECT k, s, sum(v) AS t FROM a GROUP BY CUBE (k, s)",
        "SELECT k, s, sum(v) AS t FROM a GROUP BY GROUPING SETS ((k), (s), ())",
        "SELECT s, max(v) AS high FROM a GROUP BY ALL",
    ),
    "Subqueries": (
        "SELECT k FROM a WHERE EXISTS (SELECT 1 FROM b WHERE b.k = a.k)",
        "SELECT k FROM a WHERE NOT EXISTS (SELECT 1 FROM b WHERE b.k = a.k AND b.w > a.v)",
        "SELECT k FROM a WHERE k IN (SELECT k FROM b)",
        "SELECT k FROM a WHERE k NOT IN (SELECT k FROM b)",
        "SELECT k FROM a WHERE (k, v) NOT IN (SELECT k, w FROM b)",
        "SELECT k FROM a WHERE v > 1 OR EXISTS (SELECT 1 FROM b WHERE b.k = a.k)",
        "SELECT k FROM a WHERE v > (SELECT avg(w) FROM b)",
        "SELECT k, (SELECT count(*) FROM b WHERE b.k = a.k) AS n FROM a",
        "SELECT k, sum(v) AS t FROM a GROUP BY k HAVING sum(v) > (SELECT max(w) FROM b WHERE b.k = a.k)",
        "SELECT k, (SELECT max(w) FROM b WHERE b.w < a.v) AS m FROM a",
        "SELECT k FROM a WHERE EXISTS (SELECT 1 FROM b WHERE b.k = a.k UNION ALL SELECT 1 FROM b WHERE b.w = a.v)",
        "SELECT a.k FROM a LEFT JOIN b ON a.k = b.k AND b.w IN (SELECT v FROM a)",
    ),
    "Sets": (
        "SELECT k FROM a UNION SELECT k FROM b",
        "SELECT k FROM a UNION ALL SELECT k FROM b",
        "SELECT k FROM a INTERSECT SELECT k FROM b",
        "SELECT k FROM a INTERSECT ALL SELECT k FROM b",
        "SELECT k FROM a EXCEPT SELECT k FROM b",
        "SELECT k FROM a EXCEPT ALL SELECT k FROM b",
    ),
    "Windows": (
        "SELECT k, v, rank() OVER (PARTITION BY k ORDER BY v) AS place FROM a",
        "SELECT k, v, row_number() OVER (PARTITION BY k ORDER BY v) AS n FROM a",
        "SELECT k, lag(v) OVER (PARTITION BY k ORDER BY d) AS before FROM a",
        "SELECT k, sum(v) OVER (PARTITION BY k ORDER BY d ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS t FROM a",
        "SELECT k, rank() OVER (ORDER BY v) AS place FROM a",
        "SELECT k, v FROM a QUALIFY row_number() OVER (PARTITION BY k ORDER BY v DESC) = 1",
        "SELECT k, last_value(v) OVER (PARTITION BY k ORDER BY d) AS x FROM a",
    ),
    "Order": (
        "SELECT k, v FROM a ORDER BY v",
        "SELECT k, v FROM a ORDER BY v DESC LIMIT 10",
        "SELECT k, sum(v) AS t FROM a GROUP BY k ORDER BY t DESC LIMIT 10 OFFSET 5",
        "SELECT k, v FROM a LIMIT 10",
    ),
    "Recomputed": (
        "WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM x WHERE n < 9) SELECT n FROM x",
        "SELECT k, current_date() AS today FROM a",
        "SELECT k, rand() AS r FROM a",
        "SELECT k FROM a WHERE d < DATE 'today'",
        "SELECT a.v, c.m FROM a LEFT JOIN c ON a.k = c.k",
        "SELECT k, ms FROM e",
        "SELECT * FROM a TABLESAMPLE (10 PERCENT)",
        "SELECT * FROM (SELECT k, v FROM a) PIVOT (sum(v) FOR k IN (1, 2))",
        "SELECT id FROM range(10)",
    ),
}

TPCH_TABLES: dict[str, Schema] = {
    "region": columns("r_regionkey bigint, r_name string, r_comment string"),
    "nation": columns("n_nationkey bigint, n_name string, n_regionkey bigint, n_comment string"),
    "supplier": columns(
        "s_suppkey bigint, s_name string, s_address string, s_nationkey bigint, s_phone string, "
        "s_acctbal decimal(15,2), s_comment string"
    ),
    "customer": columns(
        "c_custkey bigint, c_name string, c_address string, c_nationkey bigint, c_phone string, "
        "c_acctbal decimal(15,2), c_mktsegment string, c_comment string"
    ),
    "part": columns(
        "p_partkey bigint, p_name string, p_mfgr string, p_brand string, p_type string, p_size int, "
        "p_container string, p_retailprice decimal(15,2), p_comment string"
    ),
    "partsupp": columns(
        "ps_partkey bigint, ps_suppkey bigint, ps_availqty int, ps_supplycost decimal(15,2), ps_comment string"
    ),
    "orders": columns(
        "o_orderkey bigint, o_custkey bigint, o_orderstatus string, o_totalprice decimal(15,2), o_orderdate date, "
        "o_orderpriority string, o_clerk string, o_shippriority int, o_comment string"
    ),
    "lineitem": columns(
        "l_orderkey bigint, l_partkey bigint, l_suppkey bigint, l_linenumber int, l_quantity decimal(15,2), "
        "l_extendedprice decimal(15,2), l_discount decimal(15,2), l_tax decimal(15,2), l_returnflag string, "
        "l_linestatus string, l_shipdate date, l_commitdate date, l_receiptdate date, l_shipinstruct string, "
        "l_shipmode string, l_comment string"
    ),
}
