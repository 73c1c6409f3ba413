-- on one key
SELECT a.k, v, w FROM a JOIN b ON a.k = b.k;
-- on two conditions
SELECT a.k, v, w FROM a JOIN b ON a.k = b.k AND a.v = b.w;
-- with a residual condition
SELECT a.k, v, w FROM a JOIN b ON a.k = b.k AND v < w;
-- not on equality
SELECT a.k, b.k AS bk, v FROM a JOIN b ON a.v < b.w;
-- on an expression
SELECT v, w FROM a JOIN b ON a.k + 1 = b.k;
-- NULL matches NULL
SELECT v, w FROM a JOIN b ON a.k <=> b.k;
-- or
SELECT a.k, w FROM a JOIN b ON a.k = b.k OR a.v = b.w;
-- cross
SELECT v, w FROM a CROSS JOIN b;
-- cross with a side of which nothing is read
SELECT v FROM a CROSS JOIN (SELECT w + 1 AS w1 FROM b) x;
-- with itself
SELECT x.k, x.v, y.v AS other FROM a x JOIN a y ON x.k = y.v;
-- with itself on its key
SELECT x.v, y.s FROM a x JOIN a y ON x.k = y.k WHERE x.v > 0;
-- comma and WHERE
SELECT a.s, w, d FROM a, b, c WHERE a.k = b.k AND b.w = c.j AND v > 0;
-- three tables through one key
SELECT v, w, d FROM a JOIN b ON a.k = b.k JOIN c ON b.k = c.k;
-- three tables in a ring
SELECT a.k, w, c.j FROM a JOIN b ON a.k = b.k JOIN c ON b.w = c.j AND c.k = a.v;
-- the same alternatives on both sides
SELECT v, w FROM a, b WHERE (a.k = b.k AND v = 1 AND w = 2) OR (a.k = b.k AND v = 2 AND w = 1);
-- a condition on one side only
SELECT v, w FROM a JOIN b ON a.k = b.k AND w > 0 AND v IS NOT NULL;
-- a condition on nothing
SELECT v, w FROM a JOIN b ON a.k = b.k AND 1 = 1;
-- of a computed column
SELECT x.double_v, w FROM (SELECT k, v * 2 AS double_v FROM a) x JOIN b ON x.double_v = b.w;
