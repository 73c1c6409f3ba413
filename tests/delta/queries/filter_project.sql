-- filter
SELECT k, v FROM a WHERE v > 0;
-- filter keeps duplicates
SELECT v FROM a WHERE k = 1 OR s = 'x';
-- filter on NULL
SELECT k, v, s FROM a WHERE v IS NULL OR NOT (k = 2);
-- computed columns
SELECT k + v AS total, CASE WHEN v > 1 THEN 'big' WHEN v IS NULL THEN 'none' ELSE s END AS size, -v AS minus, 7 AS seven FROM a;
-- one column twice
SELECT v AS x, v AS y, v + v AS z FROM a;
-- a name of the table given to another column
SELECT v AS k, k AS v FROM a WHERE v > 1;
-- a column computed from an alias
SELECT v + 1 AS v, v + 2 AS more FROM a;
-- a disjunction inside a computed column
SELECT * FROM (SELECT k, (v = 1 OR s = 'x') AS hit, (k = 1 AND v = 2) AS both FROM a) WHERE hit AND k > 1 OR NOT both;
-- nothing but constants
SELECT 1 AS one, 'x' AS name FROM a WHERE v = 1;
-- conditions that cancel
SELECT k FROM a WHERE v = 1 AND v = 2;
-- functions
SELECT COALESCE(v, 0) + 1 AS v1, UPPER(s) AS s1, s || '!' AS s2, ABS(v) AS v2, LENGTH(s) AS n FROM a WHERE s LIKE 'x%' OR s IN ('y', '');
-- decimals and doubles
SELECT d * 2 AS twice, d + 1 AS more, f, CAST(d AS DOUBLE) AS as_double FROM c WHERE d > 0.5 OR f > 0.15;
-- not a number
SELECT k, f FROM c WHERE f > 1 OR f = f;
