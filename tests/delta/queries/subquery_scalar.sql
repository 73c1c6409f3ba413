-- compared
SELECT k, v FROM a WHERE v > (SELECT AVG(w) FROM b);
-- as a value
SELECT k, (SELECT MAX(w) FROM b) AS m FROM a;
-- by key
SELECT k, (SELECT MAX(w) FROM b WHERE b.k = a.k) AS m FROM a;
-- count by key
SELECT k, (SELECT COUNT(*) FROM b WHERE b.k = a.k) AS n FROM a;
-- count and more by key
SELECT k, (SELECT COUNT(w) + COALESCE(SUM(w), 7) FROM b WHERE b.k = a.k AND w > 0) AS n FROM a;
-- compared by key
SELECT k, v FROM a WHERE v < (SELECT SUM(w) FROM b WHERE b.k = a.k);
-- compared with a count by key
SELECT k, v FROM a WHERE v >= (SELECT COUNT(*) FROM b WHERE b.k = a.k);
-- own group
SELECT k, v FROM a WHERE v = (SELECT MAX(x.v) FROM a x WHERE x.k = a.k);
-- having inside
SELECT k, (SELECT COUNT(*) FROM b WHERE b.k = a.k HAVING COUNT(*) > 1) AS n FROM a;
-- having inside that holds for none
SELECT k, (SELECT COUNT(*) FROM b WHERE b.k = a.k HAVING COUNT(*) < 1) AS n FROM a;
-- having inside, of all
SELECT k, (SELECT MAX(w) FROM b HAVING COUNT(*) > 1) AS n FROM a;
-- in having
SELECT k, SUM(v) AS t FROM a GROUP BY k HAVING SUM(v) > (SELECT AVG(w) FROM b);
-- by key in having
SELECT k, COUNT(*) AS n FROM a GROUP BY k HAVING COUNT(*) >= (SELECT COUNT(*) FROM b WHERE b.k = a.k);
-- two keys
SELECT k, v, (SELECT MIN(c.d) FROM c WHERE c.k = a.k AND c.j = a.v) AS d FROM a;
-- two of them
SELECT k, (SELECT MAX(w) FROM b WHERE b.k = a.k) - (SELECT MIN(w) FROM b WHERE b.k = a.v) AS d FROM a;
-- one row by limit
SELECT k, (SELECT w FROM b WHERE b.k = a.k ORDER BY w DESC LIMIT 1) AS m FROM a;
-- distinct
SELECT k, (SELECT DISTINCT MAX(w) FROM b WHERE b.k = a.k GROUP BY b.k) AS m FROM a;
-- nested
SELECT k FROM a WHERE v > (SELECT AVG(w) FROM b WHERE b.k = a.k AND b.w < (SELECT MAX(j) FROM c WHERE c.k = b.k));
-- in an aggregate
SELECT s, SUM(v * (SELECT MAX(w) FROM b)) AS t FROM a GROUP BY s;
-- under a join
SELECT a.k, b.w FROM a LEFT JOIN b ON a.k = b.k WHERE a.v <= (SELECT MAX(j) FROM c WHERE c.k = a.k);
-- in CASE
SELECT k, CASE WHEN v > 1 THEN (SELECT MAX(w) FROM b WHERE b.k = a.k) ELSE (SELECT COUNT(*) FROM c) END AS x FROM a;
-- without FROM around
SELECT (SELECT MAX(v) FROM a) AS x, (SELECT COUNT(*) FROM b) AS y;
