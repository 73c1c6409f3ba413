-- a comparison with the padded side
SELECT a.k, w FROM a LEFT JOIN b ON a.k = b.k WHERE b.w > 1;
-- what NULL passes
SELECT a.k, w FROM a LEFT JOIN b ON a.k = b.k WHERE b.w > 1 OR b.w IS NULL;
-- COALESCE is no proof
SELECT a.k, w FROM a LEFT JOIN b ON a.k = b.k WHERE COALESCE(b.w, 2) > 1;
-- both sides of a full join
SELECT a.k, w FROM a FULL JOIN b ON a.k = b.k WHERE a.v = b.w;
-- one side of a full join
SELECT a.k, w FROM a FULL JOIN b ON a.k = b.k WHERE a.v > 0;
-- a condition of the join above
SELECT a.k, c.d FROM a LEFT JOIN b ON a.k = b.k JOIN c ON b.w = c.j;
-- every branch of an alternative
SELECT a.k, w FROM a LEFT JOIN b ON a.k = b.k WHERE b.w > 1 OR b.w < a.v;
-- arithmetic
SELECT a.k, w FROM a RIGHT JOIN b ON a.k = b.k WHERE a.v + b.w > 1 AND a.s IS NOT NULL;
-- a compared subquery
SELECT k, v FROM a WHERE v < (SELECT SUM(w) FROM b WHERE b.k = a.k);
