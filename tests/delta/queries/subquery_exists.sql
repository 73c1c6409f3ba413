-- exists
SELECT k, v FROM a WHERE EXISTS (SELECT 1 FROM b WHERE b.k = a.k);
-- not exists
SELECT k, v FROM a WHERE NOT EXISTS (SELECT 1 FROM b WHERE b.k = a.k);
-- exists with more conditions
SELECT k, v FROM a WHERE EXISTS (SELECT * FROM b WHERE b.k = a.k AND b.w > a.v AND b.s = 'x');
-- not exists by inequality
SELECT k, v FROM a WHERE NOT EXISTS (SELECT * FROM b WHERE b.w > a.v);
-- exists at all
SELECT k FROM a WHERE EXISTS (SELECT 1 FROM b WHERE w > 1);
-- not exists at all
SELECT k FROM a WHERE NOT EXISTS (SELECT 1 FROM b WHERE w > 1) AND v > 0;
-- exists under or
SELECT k, v FROM a WHERE v > 1 OR EXISTS (SELECT 1 FROM b WHERE b.k = a.k);
-- not exists under or
SELECT k, v FROM a WHERE v > 1 OR NOT EXISTS (SELECT 1 FROM b WHERE b.k = a.k AND b.w = a.v);
-- exists by inequality under or
SELECT k, v FROM a WHERE v > 1 OR EXISTS (SELECT 1 FROM b WHERE b.w < a.v);
-- negated disjunction
SELECT k, v FROM a WHERE NOT (v > 1 OR EXISTS (SELECT 1 FROM b WHERE b.k = a.k));
-- as a value
SELECT k, EXISTS (SELECT 1 FROM b WHERE b.k = a.k) AS there FROM a;
-- over groups
SELECT k FROM a WHERE EXISTS (SELECT b.k FROM b WHERE b.k = a.k GROUP BY b.k, b.s HAVING SUM(w) > 1);
-- over one group with having
SELECT k FROM a WHERE EXISTS (SELECT COUNT(*) FROM b WHERE b.k = a.k HAVING COUNT(*) > 1);
-- over one group with having that holds for none
SELECT k FROM a WHERE NOT EXISTS (SELECT COUNT(*) FROM b WHERE b.k = a.k HAVING COUNT(*) < 1);
-- over an aggregate
SELECT k FROM a WHERE EXISTS (SELECT MAX(w) FROM b WHERE b.k = a.k);
-- nested
SELECT k FROM a WHERE EXISTS (SELECT 1 FROM b WHERE b.k = a.k AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = b.w));
-- an expression as key
SELECT k, v FROM a WHERE EXISTS (SELECT 1 FROM b WHERE b.k + 1 = a.k * 2);
-- two on one table
SELECT k, v FROM a WHERE EXISTS (SELECT 1 FROM b WHERE b.k = a.k) AND NOT EXISTS (SELECT 1 FROM b WHERE b.k = a.k AND b.w <> a.v);
-- in the condition of a join
SELECT a.k, b.w FROM a JOIN b ON a.k = b.k AND EXISTS (SELECT 1 FROM c WHERE c.k = a.v);
-- above a group
SELECT k, SUM(v) AS t FROM a GROUP BY k HAVING EXISTS (SELECT 1 FROM b WHERE b.k = a.k);
-- semi and anti join as written
SELECT a.k, a.v FROM a LEFT SEMI JOIN b ON a.k = b.k LEFT ANTI JOIN c ON a.k = c.k AND c.j > 0;
