-- a common join is done once
SELECT a.v, c.d FROM a JOIN c ON a.k = c.k UNION ALL SELECT b.w, c.d FROM b JOIN c ON b.k = c.k;
-- also when it is written the other way round, and for three
SELECT a.v, c.d FROM a JOIN c ON a.k = c.k UNION ALL SELECT b.w, c.d FROM c JOIN b ON c.k = b.k UNION ALL SELECT x.k, c.d FROM a x JOIN c ON c.k = x.v;
-- each input keeps its own filter and joins
SELECT x.v, c.d FROM (SELECT k, v FROM a WHERE v > 1) x JOIN c ON x.k = c.k UNION ALL SELECT b.w, c.d FROM b JOIN c ON b.k = c.k JOIN a y ON y.v = b.w;
-- a word for each input
SELECT 'a' AS source, a.v, c.j FROM a JOIN c ON a.k = c.k UNION ALL SELECT 'b', b.w, c.j FROM b JOIN c ON b.k = c.k;
-- an expression of both sides
SELECT a.v + c.j AS x FROM a JOIN c ON a.k = c.k UNION ALL SELECT b.w + c.j FROM b JOIN c ON b.k = c.k;
-- left joins
SELECT a.v, c.d FROM a LEFT JOIN c ON a.k = c.k AND c.j > 1 UNION ALL SELECT b.w, c.d FROM b LEFT JOIN c ON b.k = c.k AND c.j > 1;
-- not when the common part is filtered in two ways
SELECT a.v, c.d FROM a JOIN c ON a.k = c.k WHERE c.j = 1 UNION ALL SELECT b.w, c.d FROM b JOIN c ON b.k = c.k WHERE c.j = 2;
-- not when the outputs differ
SELECT a.v, c.d FROM a JOIN c ON a.k = c.k UNION ALL SELECT c.j, c.d FROM b JOIN c ON b.k = c.k;
-- not on other columns
SELECT a.v, c.d FROM a JOIN c ON a.k = c.k UNION ALL SELECT b.w, c.d FROM b JOIN c ON b.k = c.j;
-- unions of unions
SELECT k FROM a UNION ALL (SELECT w FROM b UNION ALL SELECT k FROM c) UNION ALL SELECT x + 1 FROM (SELECT k AS x FROM a UNION ALL SELECT k FROM b) u;
-- distinct below distinct
SELECT k FROM a UNION SELECT k FROM b UNION SELECT DISTINCT j FROM c;
-- the same input twice
SELECT k, v FROM a WHERE v > 1 UNION SELECT k, v FROM a WHERE v > 1;
-- the same input twice is there twice
SELECT k, v FROM a WHERE v > 1 UNION ALL SELECT k, v FROM a WHERE v > 1;
-- groups are different
SELECT DISTINCT k, COUNT(*) AS n FROM a GROUP BY k;
-- unless a key is left out
SELECT DISTINCT COUNT(*) AS n FROM a GROUP BY k;
