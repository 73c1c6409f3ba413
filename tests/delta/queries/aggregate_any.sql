-- filter
SELECT k, SUM(v) FILTER (WHERE v > 1) AS t, COUNT(*) FILTER (WHERE s = 'x') AS n, MAX(v) FILTER (WHERE s <> 'x') AS m FROM a GROUP BY k;
-- filtered different values
SELECT k, COUNT(DISTINCT v) FILTER (WHERE v > 0) AS n FROM a GROUP BY k;
-- of booleans
SELECT k, BOOL_AND(v > 0) AS every_, BOOL_OR(v > 1) AS some_ FROM a GROUP BY k;
-- median
SELECT k, MEDIAN(v) AS m FROM a GROUP BY k;
-- statistics of two columns
SELECT COVAR_POP(v, k) AS c, CORR(v, k) AS r FROM a;
-- by another column
SELECT k, MAX_BY(s, v) AS last FROM (SELECT k, v, MAX(s) AS s FROM a GROUP BY k, v) GROUP BY k;
-- collections
SELECT k, COLLECT_LIST(v) AS l, ARRAY_JOIN(COLLECT_SET(s), ',') AS j FROM a GROUP BY k;
