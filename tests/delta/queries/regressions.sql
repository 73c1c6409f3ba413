-- a constant among the columns that a limit puts in order
SELECT COALESCE(k, 2) AS x, 2 AS y, s, 0 AS z FROM a LIMIT 2;
-- a lateral join
SELECT a.k, t.m FROM a JOIN LATERAL (SELECT MAX(w) AS m FROM b WHERE b.k = a.k) t;
-- a lateral join with a condition
SELECT a.k, t.w FROM a JOIN LATERAL (SELECT w FROM b WHERE b.k = a.k) t ON t.w > a.v;
-- a left lateral join
SELECT a.k, t.w FROM a LEFT JOIN LATERAL (SELECT w FROM b WHERE b.k = a.k) t;
-- an order by alias inside a lateral subquery
SELECT a.k, t.m FROM a JOIN LATERAL (SELECT w AS m FROM b WHERE b.k = a.k ORDER BY m LIMIT 2) t;
-- a subquery that reads no column, inside an aggregate
SELECT k, MAX((SELECT MAX('x') FROM b)) AS x FROM a GROUP BY k;
-- ties between sets of expressions
SELECT k, s || s AS t, NTILE(2) OVER (ORDER BY COUNT(*)) AS n FROM a GROUP BY CUBE (k, s || s) HAVING COUNT(*) > 0;
-- a subquery beside a window in QUALIFY
SELECT k, v FROM a QUALIFY RANK() OVER (PARTITION BY k ORDER BY v) = 1 AND EXISTS (SELECT 1 FROM b WHERE b.k = a.k);
-- a column in QUALIFY that is not selected
SELECT k FROM a QUALIFY ROW_NUMBER() OVER (PARTITION BY k ORDER BY v) = 1 AND s = 'x';
-- an aggregate beside a window of the same function
SELECT k, COUNT(*) AS n, COUNT(*) OVER (PARTITION BY MAX(v)) AS t, COUNT(*) OVER (ORDER BY k) + (SELECT MIN(w) FROM b) AS u FROM a GROUP BY k;
-- a window over collections
SELECT k, COLLECT_LIST(v) AS l, COLLECT_SET(s) AS c, RANK() OVER (ORDER BY COUNT(*)) AS place FROM a GROUP BY k;
-- a join with collections
SELECT x.k, x.l, b.w FROM (SELECT k, ARRAY_JOIN(COLLECT_LIST(s), '') AS l FROM a GROUP BY k) x LEFT JOIN b ON x.k = b.k;
-- the first of a partition without an order
SELECT k, v, FIRST_VALUE(s) OVER (PARTITION BY k) AS f, SUM(v) OVER (PARTITION BY k ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS t FROM a;
-- a collection over no rows
SELECT k, (SELECT COLLECT_LIST(w) FROM b WHERE b.k = a.k) AS l FROM a;
-- a partition by a subquery of one row
SELECT x.k, COUNT(*) OVER (PARTITION BY x.m) AS n FROM (SELECT k, (SELECT w FROM b ORDER BY w DESC LIMIT 1) AS m FROM a) x;
-- a partition by a subquery of one row a key
SELECT x.k, COUNT(*) OVER (PARTITION BY x.m) AS n FROM (SELECT k, (SELECT w FROM b WHERE b.k = a.k ORDER BY w DESC LIMIT 1) AS m FROM a) x;
-- the level of a key in parentheses
SELECT (v + 1) AS x, CAST(GROUPING((v + 1)) AS INT) AS g, COUNT(*) AS n FROM a GROUP BY ROLLUP ((v + 1)) HAVING COUNT(*) > 0;
-- a count by a number that is compared with a text
SELECT c.s, (SELECT COUNT(*) FROM b WHERE b.k = c.s) AS n FROM (SELECT '0' || CAST(k AS STRING) AS s FROM a) c;
-- a lateral group by a computed key of another type
SELECT a.k, t.m FROM a JOIN LATERAL (SELECT MAX(w) AS m FROM b WHERE b.k = a.v + 1L GROUP BY b.s) t;
