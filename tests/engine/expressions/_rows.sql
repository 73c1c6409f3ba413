-- the rows that every expression is evaluated over
SELECT * FROM VALUES
  (1, 7, 10000000000, 0.5D, CAST(2.50 AS DECIMAL(12,2)), 'Abc,d', 'a_b%', TRUE, DATE'2024-02-29', TIMESTAMP'2024-02-29 23:59:59.123456', ARRAY(3, 1, 2), NAMED_STRUCT('a', 1, 'b', 'x')),
  (2, -7, -3, -0.0D, CAST(-1.25 AS DECIMAL(12,2)), '  é\\x  ', '2024-01-31', FALSE, DATE'1969-12-31', TIMESTAMP'1970-01-01 00:00:00', ARRAY(), NAMED_STRUCT('a', NULL, 'b', 'Y')),
  (3, 3, 1, DOUBLE('NaN'), CAST(0.01 AS DECIMAL(12,2)), '', '12', NULL, DATE'2023-12-31', TIMESTAMP'2023-03-26 01:30:00', ARRAY(1, NULL), NULL),
  (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)
AS t(i, j, l, f, d, s, p, b, dt, ts, xs, st)
