COALESCE(i, j, 0)
NULLIF(i, 1)
NVL(i, 0)
NVL2(i, j, 0)
IFNULL(i, 9)
IF(i > 1, 'a', 'b')
ISNULL(i)
ISNOTNULL(i)
i IS NULL
i IS NOT NULL
i <=> j
i <=> NULL
NOT (i <=> 1)
i IS DISTINCT FROM j
i IS NOT DISTINCT FROM j
i = j
i == j
i != j
i <> j
NOT i = 1
!b
NOT b
NOT NOT b
CASE WHEN i > 1 THEN 'x' WHEN i = 1 THEN 'y' END
CASE i WHEN 1 THEN 'one' WHEN 2 THEN 'two' ELSE 'many' END
DECODE(i, 1, 'a', 2, 'b', 'c')
b AND i > 1
b OR i > 1
NOT b AND i > 1
NOT (b AND i > 1)
b AND (i > 1 OR j > 1)
i > 1 AND j > 1 OR b
(i > 1) = b
i BETWEEN 1 AND 2
i NOT BETWEEN 1 AND 2
i IN (1, 2)
i NOT IN (1, 2)
i IN (1, NULL)
s IN ('', 'x')
b IS TRUE
b IS NOT TRUE
b IS FALSE
b IS NOT FALSE
b IS UNKNOWN
(i, j) = (1, 7)
f = f
f > 1
i < f
NULLIFZERO(i)
ZEROIFNULL(i)
EQUAL_NULL(i, j)
(i > 1) IS NULL
i > 1 IS NULL
i + 1 IN (2, 3)
-i BETWEEN -2 AND -1
