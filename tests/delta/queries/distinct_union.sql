-- distinct
SELECT DISTINCT k, v FROM a;
-- distinct of an expression
SELECT DISTINCT v > 1 AS big, 1 AS one FROM a;
-- distinct over a join
SELECT DISTINCT a.k, w FROM a JOIN b ON a.k = b.k;
-- distinct over doubles
SELECT DISTINCT f, j FROM c;
-- distinct filtered
SELECT * FROM (SELECT DISTINCT k, v FROM a) WHERE v > 0;
-- distinct of an aggregate
SELECT DISTINCT COUNT(*) AS n FROM a GROUP BY k;
-- count over distinct
SELECT k, COUNT(*) AS n FROM (SELECT DISTINCT k, v FROM a) GROUP BY k;
-- union all under other names
SELECT k, v FROM a UNION ALL SELECT w, k FROM b;
-- union
SELECT k, s FROM a UNION SELECT k, s FROM b;
-- union of three
SELECT k FROM a UNION ALL SELECT k FROM b UNION SELECT j FROM c;
-- union of a table with itself
SELECT k, v FROM a UNION ALL SELECT k, v FROM a WHERE v > 0;
-- aggregate over a union
SELECT k, SUM(x) AS total, COUNT(*) AS n FROM (SELECT k, v AS x FROM a UNION ALL SELECT k, w FROM b) GROUP BY k;
-- minimum over a union
SELECT k, MIN(x) AS low FROM (SELECT k, v AS x FROM a UNION ALL SELECT k, w FROM b) GROUP BY k;
-- filter over a union
SELECT * FROM (SELECT k, v FROM a UNION ALL SELECT w, k FROM b) WHERE v > 1 AND k IS NOT NULL;
-- one column of a union is read
SELECT v FROM (SELECT k, v, s FROM a UNION ALL SELECT k, w, s FROM b) u;
-- no column of a union is read
SELECT COUNT(*) AS n FROM (SELECT k, v FROM a UNION ALL SELECT k, w FROM b) u;
-- join of a union
SELECT u.x, d FROM (SELECT k, v AS x FROM a UNION ALL SELECT k, w FROM b) u LEFT JOIN c ON u.k = c.k;
-- join of a union with equal columns in one branch
SELECT u.x, u.y, d FROM (SELECT a.k AS x, b.k AS y FROM a JOIN b ON a.k = b.k UNION ALL SELECT k, w FROM b) u JOIN c ON c.k = u.x AND c.k = u.y;
-- union of joins
SELECT v, w FROM a JOIN b ON a.k = b.k UNION SELECT v, j FROM a LEFT JOIN c ON a.k = c.k;
-- mixed types
SELECT x + 1 AS x1, SUM(x) AS total, AVG(x) AS average FROM (SELECT v AS x FROM a UNION ALL SELECT f FROM c WHERE f < 1) u GROUP BY x + 1;
-- mixed types, filtered
SELECT x FROM (SELECT v AS x FROM a UNION ALL SELECT d FROM c) u WHERE x * 2 > 1.5;
-- mixed types, summed
SELECT SUM(x) AS total FROM (SELECT v AS x FROM a UNION ALL SELECT f FROM c WHERE f < 1) u;
