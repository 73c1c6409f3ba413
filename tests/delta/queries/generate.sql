-- explode of an array
SELECT k, x FROM a LATERAL VIEW EXPLODE(ARRAY(k, v, 7)) t AS x;
-- in the select list
SELECT k, EXPLODE(ARRAY(v, 1)) AS x FROM a;
-- grouped
SELECT x, COUNT(*) AS n FROM a LATERAL VIEW EXPLODE(ARRAY(k, v)) t AS x GROUP BY x;
-- filtered
SELECT k, x FROM a LATERAL VIEW EXPLODE(ARRAY(k, v)) t AS x WHERE x > 1 AND k > 0;
-- values
SELECT a.k, t.name FROM a JOIN VALUES (1, 'one'), (2, 'two') AS t(id, name) ON a.k = t.id;
-- values as a list
SELECT k FROM a WHERE k IN (SELECT id FROM VALUES (1), (3) AS t(id));
-- without FROM
SELECT 1 AS x, 'a' AS y UNION ALL SELECT k, s FROM a;
