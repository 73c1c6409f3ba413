-- left then inner
SELECT v, w, d FROM a LEFT JOIN b ON a.k = b.k JOIN c ON a.k = c.k;
-- left then left
SELECT v, w, d FROM a LEFT JOIN b ON a.k = b.k LEFT JOIN c ON b.w = c.k;
-- inner then left
SELECT v, w, d FROM a JOIN b ON a.k = b.k LEFT JOIN c ON b.w = c.j AND a.v > 0;
-- full then left
SELECT a.v, b.w, c.d FROM a FULL JOIN b ON a.k = b.k LEFT JOIN c ON COALESCE(a.k, b.k) = c.k;
-- right then full
SELECT v, w, c.j FROM a RIGHT JOIN b ON a.k = b.k FULL JOIN c ON c.k = b.w;
-- full then inner
SELECT v, w, d FROM a FULL JOIN b ON a.k = b.k JOIN c ON c.j = b.w;
-- left below left
SELECT v, x.w, x.d FROM a LEFT JOIN (SELECT b.k, w, d FROM b LEFT JOIN c ON b.w = c.j) x ON a.k = x.k;
-- one table three times
SELECT x.v, y.v AS y, z.v AS z FROM a x LEFT JOIN a y ON x.k = y.k AND y.v > 0 FULL JOIN a z ON z.v = y.v;
