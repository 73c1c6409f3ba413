-- on one key
SELECT a.k, v, w FROM a FULL JOIN b ON a.k = b.k;
-- with a residual condition
SELECT a.k, v, w FROM a FULL JOIN b ON a.k = b.k AND v < w;
-- with a condition on the kept side
SELECT a.k, v, w FROM a FULL JOIN b ON a.k = b.k AND v > 1;
-- with a condition on the other side
SELECT a.k, v, w FROM a FULL JOIN b ON a.k = b.k AND w > 1;
-- only a condition on the kept side
SELECT v, w FROM a FULL JOIN b ON v > 1;
-- not on equality
SELECT v, w FROM a FULL JOIN b ON v > w;
-- always true
SELECT v, w FROM a FULL JOIN b ON TRUE;
-- NULL matches NULL
SELECT a.k, v, w FROM a FULL JOIN b ON a.k <=> b.k;
-- rows without a match
SELECT a.k, v FROM a FULL JOIN b ON a.k = b.k WHERE b.k IS NULL;
-- a filter that undoes the padding
SELECT v, w FROM a FULL JOIN b ON a.k = b.k WHERE w > 0;
-- a filter on the kept side
SELECT v, w FROM a FULL JOIN b ON a.k = b.k WHERE v > 0;
-- with itself
SELECT x.k, x.v, y.v AS other FROM a x FULL JOIN a y ON x.k = y.v;
-- nothing of the other side is read
SELECT a.k, v FROM a FULL JOIN b ON a.k = b.k;
-- only the other side is read
SELECT w FROM a FULL JOIN b ON a.k = b.k;
-- a computed column of the other side
SELECT a.k, x.n FROM a FULL JOIN (SELECT k, COALESCE(w, 9) AS n FROM b) x ON a.k = x.k;
-- or
SELECT v, w FROM a FULL JOIN b ON a.k = b.k OR v = w;
