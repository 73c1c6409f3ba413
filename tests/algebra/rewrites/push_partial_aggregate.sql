-- sums of sums, by the key of the join
SELECT b.s, SUM(a.v) AS total FROM a JOIN b ON a.k = b.k GROUP BY b.s;
-- counts and averages
SELECT b.s, COUNT(*) AS n, COUNT(a.v) AS n_v, AVG(a.v) AS average, COUNT_IF(a.v > 1) AS big FROM a JOIN b ON a.k = b.k GROUP BY b.s;
-- a value of the other side meets the number of rows
SELECT b.s, SUM(b.w) AS total, COUNT(b.w) AS n, AVG(b.w) AS average FROM a JOIN b ON a.k = b.k GROUP BY b.s;
-- both sides are grouped: numbers of rows multiply
SELECT COUNT(*) AS n, SUM(a.v) AS v, SUM(x.v) AS xv FROM a JOIN a x ON a.k = x.k;
-- a condition that is no equality
SELECT b.s, MIN(a.k) AS low, MAX(b.w) AS high FROM a JOIN b ON a.k < b.k GROUP BY b.s;
-- different values are told apart
SELECT b.s, COUNT(DISTINCT a.k) AS n, SUM(DISTINCT b.w) AS total FROM a JOIN b ON a.k = b.k GROUP BY b.s;
-- DISTINCT over a join
SELECT DISTINCT a.k, b.s FROM a JOIN b ON a.k = b.k;
-- only the input below the join that repeats
SELECT b.s, d, COUNT(*) AS n FROM a JOIN b ON a.k = b.k JOIN c ON b.w = c.j GROUP BY b.s, d;
-- an expression of one side is summed below
SELECT b.s, SUM(CASE WHEN a.s = 'x' THEN a.v ELSE 0 END) AS total FROM a JOIN b ON a.k = b.k GROUP BY b.s;
-- an expression that can fail is not: its columns would be keys
SELECT b.s, SUM(a.v + 1) AS total FROM a JOIN b ON a.k = b.k GROUP BY b.s;
-- an expression of both sides keeps its columns
SELECT b.s, SUM(a.k * b.w) AS total FROM a JOIN b ON a.k = b.k GROUP BY b.s;
-- a key that is computed from one side
SELECT COALESCE(a.k, 0) AS k, COUNT(*) AS n FROM a JOIN b ON a.k = b.k GROUP BY COALESCE(a.k, 0);
-- not where groups are about as many as rows
SELECT a.k, SUM(b.w) AS total FROM a JOIN b ON a.v = b.k GROUP BY a.k;
-- not below an outer join
SELECT b.s, SUM(a.v) AS total FROM a LEFT JOIN b ON a.k = b.k GROUP BY b.s;
-- not with a sum of doubles
SELECT b.s, SUM(c.f) AS total FROM a JOIN b ON a.k = b.k JOIN c ON c.k = b.k GROUP BY b.s;
-- not with a spread
SELECT b.s, STDDEV(a.v) AS spread FROM a JOIN b ON a.k = b.k GROUP BY b.s;
