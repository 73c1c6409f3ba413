-- the smallest intermediate results first
SELECT v, w, d FROM a JOIN b ON a.k = b.k JOIN c ON b.w = c.j;
-- an equality that follows
SELECT v, w, d FROM a JOIN b ON a.k = b.k JOIN c ON b.k = c.k;
-- nothing follows between types
SELECT v, w, d FROM a JOIN c ON a.v = c.d JOIN b ON c.d = b.w;
-- a cross join only where nothing connects
SELECT v, w, d FROM a CROSS JOIN b JOIN c ON a.k = c.k;
-- outer joins stay where they are
SELECT v, w, d FROM a LEFT JOIN b ON a.k = b.k JOIN c ON a.k = c.k;
-- a condition on three tables
SELECT v, w, d FROM a JOIN b ON a.k = b.k JOIN c ON a.k = c.k AND a.v + b.w = c.j;
