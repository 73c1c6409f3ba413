-- count
SELECT k, COUNT(*) AS n, COUNT(v) AS n_v, COUNT(1) AS n_1 FROM a GROUP BY k;
-- sum and average
SELECT k, SUM(v) AS total, AVG(v) AS average FROM a GROUP BY k;
-- minimum and maximum
SELECT k, MIN(v) AS low, MAX(v) AS high, MAX(s) AS last FROM a GROUP BY k;
-- spread
SELECT k, STDDEV(v) AS sd, VARIANCE(v) AS var, STDDEV_POP(v) AS sdp, VAR_POP(v) AS vp FROM a GROUP BY k;
-- different values
SELECT k, COUNT(DISTINCT v) AS n, SUM(DISTINCT v) AS total FROM a GROUP BY k;
-- linear and other aggregates together
SELECT k, COUNT(*) AS n, SUM(v) AS total, MIN(v) AS low, COUNT(DISTINCT s) AS names FROM a GROUP BY k;
-- decimals
SELECT k, SUM(d) AS total, COUNT(d) AS n, MIN(d) AS low FROM c GROUP BY k;
-- doubles
SELECT k, SUM(f) AS total, AVG(f) AS average, MAX(f) AS high FROM c GROUP BY k;
-- two keys
SELECT k, s, SUM(v) AS total FROM a GROUP BY k, s;
-- keys that are not shown
SELECT COUNT(*) AS n FROM a GROUP BY k;
-- only keys
SELECT k, s FROM a GROUP BY k, s;
-- an expression as key
SELECT k + v AS kv, COUNT(*) AS n, MAX(k + v) + 1 AS more FROM a GROUP BY k + v;
-- CASE as key
SELECT CASE WHEN v > 1 THEN 'big' ELSE 'small' END AS size, SUM(v) AS total FROM a GROUP BY CASE WHEN v > 1 THEN 'big' ELSE 'small' END;
-- an alias as key
SELECT UPPER(s) AS name, COUNT(*) AS n FROM a GROUP BY name;
-- a position as key
SELECT k, v + 1 AS v1, COUNT(*) AS n FROM a GROUP BY 1, 2;
-- a literal as key
SELECT 'all' AS what, COUNT(*) AS n, SUM(v) AS total FROM a GROUP BY 'all';
-- a double as key
SELECT f, COUNT(*) AS n, SUM(k) AS total FROM c GROUP BY f;
-- expressions of aggregates
SELECT k, SUM(v) * 2 + COUNT(*) AS score, SUM(v + 1) AS shifted, SUM(CASE WHEN v > 0 THEN v ELSE 0 END) AS gains FROM a GROUP BY k;
-- HAVING
SELECT k, SUM(v) AS total FROM a GROUP BY k HAVING SUM(v) > 1;
-- HAVING another aggregate
SELECT k FROM a GROUP BY k HAVING COUNT(*) > 1 AND MIN(v) < 2;
-- filtered below
SELECT k, COUNT(*) AS n FROM a WHERE v > 0 GROUP BY k;
-- filtered above by key
SELECT * FROM (SELECT k, COUNT(*) AS n FROM a GROUP BY k) WHERE k > 1;
-- filtered above by key and result
SELECT * FROM (SELECT k, COUNT(*) AS n FROM a GROUP BY k) WHERE k > 1 AND n > 1;
-- count of a condition
SELECT k, COUNT_IF(v > 1) AS n FROM a GROUP BY k;
-- the same call twice
SELECT k, SUM(v) AS x, SUM(v) AS y, SUM(v) + SUM(v) AS z FROM a GROUP BY k;
-- sum of a constant
SELECT k, SUM(1) AS n, SUM(2) AS nn, MAX('x') AS x FROM a GROUP BY k;
