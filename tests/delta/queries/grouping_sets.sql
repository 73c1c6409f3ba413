-- rollup
SELECT k, s, SUM(v) AS t, COUNT(*) AS n FROM a GROUP BY ROLLUP (k, s) HAVING COUNT(*) > 0;
-- cube
SELECT k, s, MAX(v) AS t FROM a GROUP BY CUBE (k, s) HAVING COUNT(*) > 0;
-- sets
SELECT k, s, COUNT(*) AS n FROM a GROUP BY GROUPING SETS ((k), (s), (k, s));
-- grouping
SELECT k, s, CAST(GROUPING(k) AS INT) AS gk, CAST(GROUPING(s) AS INT) AS gs, SUM(v) AS t FROM a GROUP BY ROLLUP (k, s) HAVING COUNT(*) > 0;
-- having on the level
SELECT k, s, SUM(v) AS t FROM a GROUP BY CUBE (k, s) HAVING GROUPING(k) + GROUPING(s) = 1;
-- a key as argument
SELECT k, COUNT(k) AS n, SUM(k) AS t FROM a GROUP BY GROUPING SETS ((k), (k, s));
-- with a plain key
SELECT k, s, COUNT(*) AS n FROM a GROUP BY k, ROLLUP (s);
-- over a join
SELECT a.s, b.s AS bs, SUM(b.w) AS t FROM a JOIN b ON a.k = b.k GROUP BY ROLLUP (a.s, b.s) HAVING COUNT(*) > 0;
-- ranked by level
SELECT k, s, SUM(v) AS t, RANK() OVER (PARTITION BY GROUPING(s) ORDER BY SUM(v) DESC) AS place FROM a GROUP BY ROLLUP (k, s) HAVING COUNT(*) > 0;
