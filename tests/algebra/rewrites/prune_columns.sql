-- only what is read
SELECT x.k FROM (SELECT k, v + 1 AS v1, s FROM a) x JOIN b ON x.k = b.k;
-- what only a condition reads
SELECT w FROM a JOIN b ON a.k = b.k AND a.v > b.w;
-- calls that nobody reads
SELECT k FROM (SELECT k, SUM(v) AS total, COUNT(*) AS n FROM a GROUP BY k) t;
-- the one row of a global aggregate stays
SELECT w FROM b CROSS JOIN (SELECT COUNT(*) AS n, SUM(v) AS total FROM a) t;
-- distinct keeps its columns
SELECT k FROM (SELECT DISTINCT k, v FROM a) t;
-- the same column of every input of a union
SELECT v FROM (SELECT k, v FROM a UNION ALL SELECT w, k FROM b) t;
-- a side of which nothing is read
SELECT v FROM a CROSS JOIN (SELECT w + 1 AS w1 FROM b) t;
