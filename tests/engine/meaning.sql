-- an alias that is a column of the table, too
SELECT k AS v, v AS k FROM a WHERE v > 1;
-- an alias in a later column
SELECT v + 1 AS plus, plus * 2 AS twice FROM a;
-- an alias that hides a column, in a later column
SELECT v + 1 AS v, v * 2 AS twice FROM a;
-- grouped by a column that an alias hides
SELECT k AS v, COUNT(*) AS n FROM a GROUP BY k, v;
-- grouped by an alias
SELECT v % 2 AS odd, COUNT(*) AS n FROM a GROUP BY odd;
-- grouped by positions
SELECT v % 2, k, COUNT(*) FROM a GROUP BY 1, 2;
-- HAVING by an alias
SELECT k, SUM(v) AS total FROM a GROUP BY k HAVING total > 3;
-- HAVING by an alias that hides a column
SELECT k, SUM(v) AS v FROM a GROUP BY k HAVING SUM(v) > 3;
-- unnamed columns
SELECT k, v + 1, UPPER(s), COUNT(*) FROM a GROUP BY k, v + 1, s;
-- a union of types
SELECT k, SUM(x) AS total, AVG(x) AS mean FROM (SELECT k, v AS x FROM a UNION ALL SELECT k, f FROM b) GROUP BY k;
-- a union of types under a condition
SELECT * FROM (SELECT v AS x FROM a UNION ALL SELECT f FROM b) WHERE CAST(x AS STRING) = '2.0';
-- a union of integers and decimals
SELECT v FROM a UNION SELECT CAST(f AS DECIMAL(6,2)) FROM b;
-- a union with NULL
SELECT k, s FROM a UNION ALL SELECT k, NULL FROM b;
-- NULL in an outer join
SELECT a.k, x.nothing FROM a LEFT JOIN (SELECT k, CAST(NULL AS STRING) AS nothing FROM b) x ON a.k = x.k;
-- equality over types
SELECT a.v, b.f, t.s2 FROM a JOIN b ON a.v = b.f JOIN (SELECT CAST(k AS STRING) AS s2 FROM a) t ON b.k = t.s2;
-- a disjunction as a column
SELECT * FROM (SELECT k, v, (v = 1 OR s = 'x') AS hit FROM a) WHERE hit AND k = 1;
-- RLIKE as a column
SELECT * FROM (SELECT k, s RLIKE 'x' AS hit FROM a) WHERE hit = (k = 1);
-- a cross join with one row
SELECT a.k FROM a CROSS JOIN (SELECT COUNT(*) AS n FROM b) t;
-- USING
SELECT k, v, f FROM a FULL JOIN b USING (k);
-- NATURAL
SELECT * FROM a NATURAL LEFT JOIN b;
-- a CTE that hides a table
WITH b AS (SELECT k, v AS f FROM a) SELECT a.k, b.f FROM a JOIN b ON a.k = b.k;
-- a CTE inside a CTE
WITH x AS (WITH y AS (SELECT k FROM a) SELECT k FROM y) SELECT k, COUNT(*) AS n FROM x GROUP BY k;
-- count over several columns
SELECT k, COUNT(v, s) AS n, COUNT(DISTINCT v, s) AS m FROM a GROUP BY k;
-- integers divided
SELECT v / 2 AS half, v DIV 2 AS whole, v % 2 AS rest FROM a WHERE v / 2 > 0.5;
-- ORDER BY
SELECT k, v FROM a ORDER BY v DESC;
-- FROM first
FROM a SELECT k, v;
