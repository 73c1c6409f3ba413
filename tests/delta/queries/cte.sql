-- used once
WITH x AS (SELECT k, v FROM a WHERE v > 0) SELECT x.k, w FROM x JOIN b ON x.k = b.k;
-- used twice
WITH x AS (SELECT k, SUM(v) AS total FROM a GROUP BY k) SELECT p.k, q.total FROM x p JOIN x q ON p.k = q.total;
-- used twice, one of them filtered
WITH x AS (SELECT k AS xk, v AS xv FROM a LEFT JOIN c USING (k)) SELECT p.xk, q.xv FROM x p LEFT JOIN x q ON p.xk = q.xv WHERE p.xv > 0;
-- an outer join used twice with different columns
WITH x AS (SELECT a.k AS xk, a.v AS xv, b.w AS xw FROM a LEFT JOIN b ON a.k = b.k) SELECT p.xk, p.xv, q.xw FROM x p JOIN x q ON p.xk = q.xk;
-- used in both branches of a union
WITH x AS (SELECT k, v FROM a WHERE v IS NOT NULL) SELECT k FROM x UNION ALL SELECT v FROM x;
-- chained
WITH x AS (SELECT k, v FROM a), y AS (SELECT k, COUNT(*) AS n FROM x GROUP BY k) SELECT x.v, y.n FROM x JOIN y ON x.k = y.k;
-- with column names
WITH x(p, q) AS (SELECT k, v FROM a) SELECT p, SUM(q) AS total FROM x GROUP BY p;
-- inside a derived table
SELECT * FROM (WITH x AS (SELECT k FROM a) SELECT x.k, w FROM x LEFT JOIN b ON x.k = b.k) y WHERE y.k > 1;
-- shadowing a table
WITH b AS (SELECT k, v AS w FROM a) SELECT b.k, b.w FROM b WHERE w > 0;
