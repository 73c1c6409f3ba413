-- an aggregate
SELECT a.k, t.m FROM a, LATERAL (SELECT MAX(w) AS m FROM b WHERE b.k = a.k) t;
-- rows
SELECT a.k, t.w FROM a, LATERAL (SELECT w FROM b WHERE b.k = a.k) t;
-- the first rows of each
SELECT a.k, t.w FROM a, LATERAL (SELECT w FROM b WHERE b.k = a.k ORDER BY w DESC LIMIT 1) t;
-- using
SELECT * FROM (SELECT k, v FROM a) x JOIN (SELECT k, w FROM b) y USING (k);
