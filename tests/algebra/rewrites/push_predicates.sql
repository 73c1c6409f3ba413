-- through a projection, to the table
SELECT x FROM (SELECT k AS x, v + 1 AS y FROM a) t WHERE y > 2 AND x = 1;
-- to both sides of an inner join
SELECT v, w FROM a, b WHERE a.k = b.k AND v > 1 AND w > 2;
-- to the kept side of a left join only
SELECT v, w FROM a LEFT JOIN b ON a.k = b.k WHERE v > 1 AND w > 2;
-- out of the ON of a left join
SELECT v, w FROM a LEFT JOIN b ON a.k = b.k AND v > 1 AND w > 2;
-- out of the ON of a right join
SELECT v, w FROM a RIGHT JOIN b ON a.k = b.k AND v > 1 AND w > 2;
-- not into a full join
SELECT v, w FROM a FULL JOIN b ON a.k = b.k AND v > 1 WHERE w > 2;
-- below an aggregate by its key
SELECT k, n FROM (SELECT k, COUNT(*) AS n FROM a GROUP BY k) t WHERE k = 1 AND n > 1;
-- not below a global aggregate
SELECT n FROM (SELECT COUNT(*) AS n FROM a) t WHERE n > 1 AND 1 = 2;
-- below distinct and into every input of a union
SELECT x FROM (SELECT k AS x, v FROM a UNION SELECT k, w FROM b) t WHERE v > 1;
-- what all alternatives share
SELECT v, w FROM a, b WHERE (a.k = b.k AND v = 1 AND w = 2) OR (a.k = b.k AND v = 2 AND w = 1);
-- alternatives of which one is covered by what they share
SELECT v FROM a WHERE (k = 1 AND v = 2) OR k = 1;
-- a disjunction that was a column
SELECT k FROM (SELECT k, (v = 1 OR v = 2) AS hit FROM a) t WHERE hit AND k = 1;
