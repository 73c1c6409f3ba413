-- ordered
SELECT k, v, s FROM a ORDER BY v DESC, k, s LIMIT 3;
-- by position
SELECT k, v, s FROM a ORDER BY 2, 1, 3 LIMIT 2;
-- with an offset
SELECT k, v, s FROM a ORDER BY v NULLS LAST, k, s LIMIT 2 OFFSET 1;
-- offset alone
SELECT k, v, s FROM a ORDER BY v, k, s OFFSET 2;
-- over groups
SELECT k, SUM(v) AS t FROM a GROUP BY k ORDER BY t DESC, k LIMIT 2;
-- by what is not selected
SELECT k, SUM(v) AS t FROM a GROUP BY k ORDER BY COUNT(*) DESC, k LIMIT 2;
-- of different rows
SELECT DISTINCT k, s FROM a ORDER BY k, s LIMIT 2;
-- of a union
SELECT k, v FROM a UNION ALL SELECT k, w FROM b ORDER BY v, k LIMIT 3;
-- in a derived table
SELECT x.k, b.w FROM (SELECT k, v, s FROM a ORDER BY v, k, s LIMIT 2) x JOIN b ON x.k = b.k;
-- over a join
SELECT a.k, b.w, a.s FROM a JOIN b ON a.k = b.k ORDER BY w, a.k, a.s LIMIT 2;
-- nothing
SELECT k FROM a ORDER BY k LIMIT 0;
