-- in
SELECT k, v FROM a WHERE k IN (SELECT k FROM b);
-- in with a condition
SELECT k, v FROM a WHERE v IN (SELECT w FROM b WHERE b.k = a.k AND b.s <> 'y');
-- not in
SELECT k, v FROM a WHERE k NOT IN (SELECT k FROM b);
-- not in what is never null
SELECT k, v FROM a WHERE k NOT IN (SELECT k FROM b WHERE k IS NOT NULL);
-- not in by key
SELECT k, v FROM a WHERE v NOT IN (SELECT w FROM b WHERE b.k = a.k);
-- not in of pairs
SELECT k, v FROM a WHERE (k, v) NOT IN (SELECT k, w FROM b);
-- in of pairs
SELECT k, v FROM a WHERE (k, v) IN (SELECT k, w FROM b);
-- in over groups
SELECT k, v FROM a WHERE k IN (SELECT k FROM b GROUP BY k HAVING SUM(w) > 1);
-- in over one group
SELECT k, v FROM a WHERE v IN (SELECT MAX(w) FROM b);
-- in an expression
SELECT k, v + 1 AS v1 FROM a WHERE v + 1 IN (SELECT w * 2 FROM b);
-- in over a union
SELECT k FROM a WHERE k IN (SELECT k FROM b UNION SELECT j FROM c);
-- in above a group
SELECT k, COUNT(*) AS n FROM a GROUP BY k HAVING COUNT(*) IN (SELECT w FROM b);
-- in and in
SELECT k FROM a WHERE k IN (SELECT k FROM b WHERE w IN (SELECT j FROM c));
-- in or more, where nothing is null
SELECT k, v FROM a WHERE v > 1 OR COALESCE(k, 0) IN (SELECT COALESCE(k, 0) FROM b);
-- in as a value, where nothing is null
SELECT k, CASE WHEN COALESCE(v, 0) IN (SELECT w FROM b WHERE w IS NOT NULL) THEN 'in' ELSE 'out' END AS place FROM a;
-- not in or more
SELECT k, v FROM a WHERE v > 1 OR k NOT IN (SELECT k FROM b);
