-- nested twice
SELECT n + 1 AS n1 FROM (SELECT n FROM (SELECT k, COUNT(*) AS n FROM a GROUP BY k) x WHERE n > 1) y;
-- under column names
SELECT p + 1 AS p1 FROM (SELECT k, v FROM a) x(p, q) WHERE q > 0;
-- join in parentheses
SELECT v, w, d FROM a LEFT JOIN (b JOIN c ON b.w = c.k) ON a.k = b.k;
-- using
SELECT k, v, w FROM a JOIN b USING (k);
-- star
SELECT * FROM (SELECT a.*, b.w FROM a JOIN b ON a.k = b.k) x;
-- left using
SELECT k, v, w FROM a LEFT JOIN b USING (k) WHERE k > 1;
-- full using
SELECT k, v, w FROM a FULL JOIN b USING (k);
