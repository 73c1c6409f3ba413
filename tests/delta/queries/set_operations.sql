-- intersect
SELECT k FROM a INTERSECT SELECT k FROM b;
-- intersect all
SELECT k, s FROM a INTERSECT ALL SELECT k, s FROM b;
-- except
SELECT k FROM a EXCEPT SELECT k FROM b;
-- except all
SELECT k, s FROM a EXCEPT ALL SELECT k, s FROM b;
-- minus
SELECT k FROM a MINUS SELECT w FROM b;
-- of groups
SELECT k, COUNT(*) AS n FROM a GROUP BY k EXCEPT SELECT k, w FROM b;
-- three
SELECT k FROM a UNION SELECT k FROM b INTERSECT SELECT k FROM c;
-- in parentheses
(SELECT k FROM a EXCEPT SELECT k FROM b) UNION ALL (SELECT k FROM c INTERSECT SELECT v FROM a);
-- in a derived table
SELECT x.k, COUNT(*) AS n FROM (SELECT k FROM a EXCEPT ALL SELECT k FROM b) x JOIN c ON x.k = c.k GROUP BY x.k;
-- of other types
SELECT k FROM a INTERSECT SELECT f FROM c;
