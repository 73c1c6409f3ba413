-- sums
SELECT b.s, SUM(a.v) AS total FROM a JOIN b ON a.k = b.k GROUP BY b.s;
-- counts and averages
SELECT b.w, COUNT(*) AS n, COUNT(a.v) AS n_v, AVG(a.v) AS average, COUNT_IF(a.v > 1) AS big FROM a JOIN b ON a.k = b.k GROUP BY b.w;
-- of the other side
SELECT b.w, SUM(b.w) AS total, COUNT(b.w) AS n, AVG(b.k) AS average, COUNT_IF(b.w > 1) AS big FROM a JOIN b ON a.k = b.k GROUP BY b.w;
-- decimals and bigints
SELECT a.v, SUM(d) AS total, COUNT(d) AS n, SUM(t.m) AS big, AVG(t.m) AS average FROM a JOIN (SELECT j, d, CAST(k AS BIGINT) AS m FROM c) t ON a.k = t.j GROUP BY a.v;
-- both sides
SELECT a.k, COUNT(*) AS n, SUM(a.v) AS v, SUM(x.v) AS xv, MIN(x.v) AS low FROM a JOIN a x ON a.k = x.k GROUP BY a.k;
-- global
SELECT COUNT(*) AS n, COUNT(v) AS n_v, SUM(v) AS total, AVG(w) AS average FROM a JOIN b ON a.k = b.k;
-- minimum and maximum
SELECT b.s, MIN(a.v) AS low, MAX(b.w) AS high, MAX(a.s) AS last FROM a JOIN b ON a.k = b.k GROUP BY b.s;
-- minimum and sum
SELECT b.w, MIN(a.v) AS low, SUM(a.v) AS total FROM a JOIN b ON a.k = b.k GROUP BY b.w;
-- different values
SELECT b.w, COUNT(DISTINCT a.v) AS n, SUM(DISTINCT b.k) AS total, COUNT(*) AS all_n FROM a JOIN b ON a.k = b.k GROUP BY b.w;
-- an inequality
SELECT b.w, SUM(a.v) AS total, COUNT(*) AS n FROM a JOIN b ON a.k < b.k GROUP BY b.w;
-- NULL joins NULL
SELECT b.w, SUM(a.v) AS total FROM a JOIN b ON a.k <=> b.k GROUP BY b.w;
-- two joins
SELECT c.j, SUM(a.v) AS v, SUM(b.w) AS w, COUNT(*) AS n FROM a JOIN b ON a.k = b.k JOIN c ON b.w = c.k GROUP BY c.j;
-- a star
SELECT b.w, c.j, SUM(a.v) AS total, COUNT(*) AS n FROM a JOIN b ON a.k = b.k JOIN c ON a.v = c.k GROUP BY b.w, c.j;
-- an expression of both sides
SELECT b.w, SUM(a.k * b.w) AS total FROM a JOIN b ON a.k = b.k GROUP BY b.w;
-- an expression of one side
SELECT b.w, SUM(CASE WHEN a.s = 'x' THEN a.v ELSE 0 END) AS total FROM a JOIN b ON a.k = b.k GROUP BY b.w;
-- keys computed from one side
SELECT COALESCE(a.v, 0) AS v, b.w > 1 AS big, COUNT(*) AS n FROM a JOIN b ON a.k = b.k GROUP BY COALESCE(a.v, 0), b.w > 1;
-- a key of no side
SELECT 'all' AS what, COUNT(*) AS n, SUM(1) AS m FROM a JOIN b ON a.k = b.k GROUP BY 'all';
-- HAVING and expressions of calls
SELECT b.w, SUM(a.v) * 2 + COUNT(*) AS score FROM a JOIN b ON a.k = b.k GROUP BY b.w HAVING COUNT(*) > 1;
-- over a join of aggregates
SELECT x.total, SUM(b.w) AS w, COUNT(*) AS n FROM (SELECT k, SUM(v) AS total FROM a GROUP BY k) x JOIN b ON x.k = b.k GROUP BY x.total;
-- a derived join inside
SELECT t.w, SUM(t.v) AS total, COUNT(c.j) AS n FROM (SELECT b.w, a.v, a.k FROM a JOIN b ON a.k = b.k WHERE a.v > 0) t JOIN c ON t.k = c.k GROUP BY t.w;
-- below an outer join
SELECT t.w, t.n, c.d FROM (SELECT b.w, COUNT(*) AS n FROM a JOIN b ON a.k = b.k GROUP BY b.w) t LEFT JOIN c ON t.w = c.k;
-- over an outer join as an input
SELECT c.j, SUM(t.v) AS total, COUNT(t.w) AS n FROM (SELECT a.k, a.v, b.w FROM a LEFT JOIN b ON a.k = b.k) t JOIN c ON t.k = c.k GROUP BY c.j;
-- distinct over a join
SELECT DISTINCT a.v, b.w FROM a JOIN b ON a.k = b.k;
-- twice the same table expression
WITH q AS (SELECT b.w, SUM(a.v) AS total FROM a JOIN b ON a.k = b.k GROUP BY b.w) SELECT x.w, x.total, y.total AS other FROM q x LEFT JOIN q y ON x.w = y.total;
