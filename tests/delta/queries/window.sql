-- rank
SELECT k, v, RANK() OVER (PARTITION BY k ORDER BY v DESC) AS place FROM a;
-- dense rank and more
SELECT k, v, DENSE_RANK() OVER (PARTITION BY k ORDER BY v) AS d, PERCENT_RANK() OVER (PARTITION BY k ORDER BY v) AS p FROM a;
-- row number
SELECT k, v, s, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v, s) AS n FROM a;
-- of the whole partition
SELECT k, v, SUM(v) OVER (PARTITION BY k) AS t, COUNT(*) OVER (PARTITION BY k) AS n FROM a;
-- running
SELECT k, v, SUM(v) OVER (PARTITION BY k ORDER BY v) AS t FROM a;
-- frame of rows
SELECT k, v, s, SUM(v) OVER (PARTITION BY k ORDER BY v, s ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS t FROM a;
-- before and after
SELECT k, v, s, LAG(v) OVER (PARTITION BY k ORDER BY v, s) AS before, LEAD(v, 1, -1) OVER (PARTITION BY k ORDER BY v, s) AS after FROM a;
-- one partition
SELECT k, v, RANK() OVER (ORDER BY v) AS place FROM a;
-- two ways of partitioning
SELECT k, s, v, MAX(v) OVER (PARTITION BY k) AS by_k, MIN(v) OVER (PARTITION BY s) AS by_s FROM a;
-- a partition by an expression
SELECT k, v, COUNT(*) OVER (PARTITION BY k % 2) AS n FROM a;
-- over groups
SELECT k, SUM(v) AS t, RANK() OVER (ORDER BY SUM(v) DESC) AS place FROM a GROUP BY k;
-- of a group's aggregates
SELECT k, s, SUM(v) AS t, SUM(SUM(v)) OVER (PARTITION BY k) AS of_k FROM a GROUP BY k, s;
-- qualify
SELECT k, v, s FROM a QUALIFY ROW_NUMBER() OVER (PARTITION BY k ORDER BY v DESC, s) = 1;
-- named
SELECT k, v, SUM(v) OVER w AS t, COUNT(v) OVER w AS n FROM a WINDOW w AS (PARTITION BY k ORDER BY v);
-- filtered above by its partition
SELECT * FROM (SELECT k, v, RANK() OVER (PARTITION BY k ORDER BY v) AS place FROM a) WHERE k > 1 AND place < 3;
-- over a join
SELECT a.k, b.w, RANK() OVER (PARTITION BY a.k ORDER BY b.w) AS place FROM a JOIN b ON a.k = b.k;
-- under a group
SELECT place, COUNT(*) AS n FROM (SELECT RANK() OVER (PARTITION BY k ORDER BY v) AS place FROM a) GROUP BY place;
-- sums of doubles
SELECT k, f, SUM(f) OVER (PARTITION BY k) AS t FROM c;
-- in an expression
SELECT k, v, v - MIN(v) OVER (PARTITION BY k) AS over_least FROM a;
