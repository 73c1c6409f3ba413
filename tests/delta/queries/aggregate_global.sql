-- count
SELECT COUNT(*) AS n FROM a;
-- linear
SELECT COUNT(*) AS n, COUNT(v) AS n_v, SUM(v) AS total, AVG(v) AS average FROM a WHERE k > 1;
-- not linear
SELECT MIN(v) AS low, MAX(v) AS high, COUNT(DISTINCT k) AS keys, STDDEV(v) AS sd FROM a;
-- HAVING
SELECT SUM(v) AS total FROM a HAVING COUNT(*) > 1;
-- over a join
SELECT COUNT(*) AS n, SUM(v * w) AS total FROM a JOIN b ON a.k = b.k;
-- over a left join
SELECT COUNT(*) AS n, COUNT(w) AS n_w, MAX(w) AS high FROM a LEFT JOIN b ON a.k = b.k;
-- joined with a table
SELECT a.k, v, n FROM a CROSS JOIN (SELECT COUNT(*) AS n FROM b) x;
-- of which nothing is read
SELECT a.k, v FROM a CROSS JOIN (SELECT COUNT(*) AS n FROM b) x;
-- of which nothing is read, not linear
SELECT a.k FROM a LEFT JOIN (SELECT MIN(w) AS low FROM b) x ON TRUE;
-- a constant over a group
SELECT 'rows' AS what, COUNT(*) AS n FROM a UNION ALL SELECT 'rows', COUNT(*) FROM b;
-- compared with each row
SELECT a.k, v FROM a JOIN (SELECT AVG(v) AS average FROM a) x ON v > average;
