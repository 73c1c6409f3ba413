-- a common join
SELECT a.v, c.d FROM a JOIN c ON a.k = c.k UNION ALL SELECT b.w, c.d FROM b JOIN c ON b.k = c.k;
-- three of them, and one that has none
SELECT a.v, c.d FROM a JOIN c ON a.k = c.k UNION ALL SELECT b.w, c.d FROM c JOIN b ON c.k = b.k UNION ALL SELECT x.k, c.d FROM a x JOIN c ON c.k = x.v UNION ALL SELECT k, d FROM c;
-- filtered and joined in their own ways
SELECT a.v, c.d FROM a JOIN c ON a.k = c.k WHERE a.v > 1 UNION ALL SELECT b.w, c.d FROM b JOIN c ON b.k = c.k JOIN a y ON y.v = b.w;
-- a filter in common
SELECT a.v, c.j FROM a JOIN c ON a.k = c.k WHERE c.j > 1 UNION ALL SELECT b.w, c.j FROM b JOIN c ON b.k = c.k WHERE c.j > 1;
-- words and expressions
SELECT 'a' AS source, a.v + c.j AS x, CASE WHEN a.v > 1 THEN c.j END AS y FROM a JOIN c ON a.k = c.k UNION ALL SELECT 'b', b.w + c.j, CASE WHEN b.w > 1 THEN c.j END FROM b JOIN c ON b.k = c.k;
-- left joins
SELECT a.v, c.d FROM a LEFT JOIN c ON a.k = c.k AND c.j > 1 UNION ALL SELECT b.w, c.d FROM b LEFT JOIN c ON b.k = c.k AND c.j > 1;
-- inequalities
SELECT a.v, c.j FROM a JOIN c ON a.k < c.k UNION ALL SELECT b.w, c.j FROM b JOIN c ON b.k < c.k;
-- the same table with itself
SELECT x.v, y.v AS other FROM a x JOIN a y ON x.k = y.k UNION ALL SELECT x.k, y.v FROM a x JOIN a y ON x.v = y.k;
-- grouped above
SELECT j, SUM(x) AS total, COUNT(*) AS n FROM (SELECT a.v AS x, c.j FROM a JOIN c ON a.k = c.k UNION ALL SELECT b.w, c.j FROM b JOIN c ON b.k = c.k) u GROUP BY j;
-- joined with groups
SELECT a.v, t.n FROM a JOIN (SELECT j, COUNT(*) AS n FROM c GROUP BY j) t ON a.k = t.j UNION ALL SELECT b.w, t.n FROM b JOIN (SELECT j, COUNT(*) AS n FROM c GROUP BY j) t ON b.k = t.j;
-- distinct
SELECT a.v, c.j FROM a JOIN c ON a.k = c.k UNION SELECT b.w, c.j FROM b JOIN c ON b.k = c.k;
-- distinct below distinct
SELECT k FROM a UNION SELECT k FROM b UNION SELECT DISTINCT j FROM c;
-- the same input twice
SELECT k, v FROM a WHERE v > 1 UNION SELECT k, v FROM a WHERE v > 1;
-- the same input twice is there twice
SELECT k, v FROM a WHERE v > 1 UNION ALL SELECT k, v FROM a WHERE v > 1 UNION ALL SELECT w, k FROM b;
-- the same table expression twice
WITH q AS (SELECT a.v AS x, c.j FROM a JOIN c ON a.k = c.k) SELECT x, j FROM q UNION ALL SELECT j, x FROM q UNION ALL SELECT b.w, c.j FROM b JOIN c ON b.k = c.k;
-- nested unions with projections
SELECT k FROM a UNION ALL (SELECT w FROM b UNION ALL SELECT k FROM c) UNION ALL SELECT x * 2 FROM (SELECT k AS x FROM a UNION ALL SELECT k FROM b) u;
-- distinct groups
SELECT DISTINCT k, COUNT(*) AS n FROM a GROUP BY k;
