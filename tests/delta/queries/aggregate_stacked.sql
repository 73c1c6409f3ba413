-- aggregate over an aggregate
SELECT total, COUNT(*) AS groups FROM (SELECT k, SUM(v) AS total FROM a GROUP BY k) GROUP BY total;
-- global over grouped
SELECT MAX(total) AS high, AVG(n) AS average FROM (SELECT k, SUM(v) AS total, COUNT(*) AS n FROM a GROUP BY k);
-- linear over not linear
SELECT low, COUNT(*) AS n FROM (SELECT k, MIN(v) AS low FROM a GROUP BY k) GROUP BY low;
-- not linear over linear
SELECT n, MIN(total) AS low FROM (SELECT k, COUNT(*) AS n, SUM(v) AS total FROM a GROUP BY k) GROUP BY n;
-- over a left join
SELECT a.k, COUNT(w) AS n, SUM(w) AS total FROM a LEFT JOIN b ON a.k = b.k GROUP BY a.k;
-- over a full join
SELECT COALESCE(a.k, b.k) AS k, COUNT(*) AS n, MIN(v) AS low, SUM(w) AS total FROM a FULL JOIN b ON a.k = b.k GROUP BY COALESCE(a.k, b.k);
-- left join of aggregates
SELECT x.k, x.total, y.n FROM (SELECT k, SUM(v) AS total FROM a GROUP BY k) x LEFT JOIN (SELECT k, COUNT(*) AS n FROM b GROUP BY k) y ON x.k = y.k;
-- full join of aggregates
SELECT x.k, x.low, y.k AS yk, y.n FROM (SELECT k, MIN(v) AS low FROM a GROUP BY k) x FULL JOIN (SELECT k, COUNT(DISTINCT w) AS n FROM b GROUP BY k) y ON x.k = y.k AND low < n;
-- join with the aggregate of the same table
SELECT a.k, a.v, x.total FROM a JOIN (SELECT k, SUM(v) AS total FROM a GROUP BY k) x ON a.k = x.k WHERE a.v < x.total;
-- double sums joined
SELECT a.v, x.total FROM a JOIN (SELECT k, SUM(f) AS total FROM c GROUP BY k) x ON a.k = x.k;
-- double sums summed
SELECT COUNT(*) AS n, SUM(total) AS total FROM (SELECT k, SUM(f) AS total FROM c GROUP BY k);
-- double sums different
SELECT DISTINCT total FROM (SELECT k, AVG(f) AS total FROM c GROUP BY k);
-- spread joined
SELECT a.v, x.sd FROM a LEFT JOIN (SELECT k, STDDEV(w) AS sd FROM b GROUP BY k) x ON a.k = x.k;
