SELECT k, COUNT(*) AS n, SUM(v) AS total FROM a GROUP BY k

-- the full form
WITH `aggregate_1` AS (
  SELECT
    `k`,
    COUNT(*) AS `agg`,
    SUM(`v`) AS `agg_2`
  FROM `a`
  GROUP BY
    `k`
)
SELECT
  `k`,
  `agg` AS `n`,
  `agg_2` AS `total`
FROM `aggregate_1`

-- both_aggregate_1: both of Aggregate COUNT(*), SUM(v) by k
WITH `gathered_1` AS (
  SELECT /*+ COALESCE(1) */
    `k`,
    `v`,
    `_hw_weight`
  FROM `change_of_a`
), `aggregate_2` AS (
  SELECT
    `k`,
    CAST(COALESCE(SUM(`_hw_weight`), CAST(0 AS BIGINT)) AS BIGINT) AS `_hw_count`,
    CAST(COALESCE(SUM(IF(NOT `v` IS NULL, `_hw_weight`, CAST(0 AS BIGINT))), CAST(0 AS BIGINT)) AS BIGINT) AS `v$n`,
    CAST(COALESCE(
      SUM(IF(NOT `v` IS NULL, CAST(`v` AS BIGINT) * `_hw_weight`, CAST(0 AS BIGINT))),
      CAST(0 AS BIGINT)
    ) AS BIGINT) AS `v$sum`
  FROM `gathered_1`
  GROUP BY
    `k`
), `union_3` AS (
  SELECT
    `k`,
    `_hw_count` AS `_hw_old$_hw_count`,
    `v$n` AS `_hw_old$v$n`,
    `v$sum` AS `_hw_old$v$sum`,
    CAST(0 AS BIGINT) AS `_hw_segment$_hw_count`,
    CAST(0 AS BIGINT) AS `_hw_segment$v$n`,
    CAST(0 AS BIGINT) AS `_hw_segment$v$sum`,
    CAST(0 AS BIGINT) AS `_hw_touched`
  FROM `past_aggregate_1_lookup_1`
  UNION ALL
  SELECT
    `k`,
    CAST(0 AS BIGINT) AS `_hw_old$_hw_count`,
    CAST(0 AS BIGINT) AS `_hw_old$v$n`,
    CAST(0 AS BIGINT) AS `_hw_old$v$sum`,
    `_hw_count` AS `_hw_segment$_hw_count`,
    `v$n` AS `_hw_segment$v$n`,
    `v$sum` AS `_hw_segment$v$sum`,
    CAST(1 AS BIGINT) AS `_hw_touched`
  FROM `aggregate_2`
), `gathered_4` AS (
  SELECT /*+ COALESCE(1) */
    `k`,
    `_hw_old$_hw_count`,
    `_hw_old$v$n`,
    `_hw_old$v$sum`,
    `_hw_segment$_hw_count`,
    `_hw_segment$v$n`,
    `_hw_segment$v$sum`,
    `_hw_touched`
  FROM `union_3`
), `aggregate_5` AS (
  SELECT
    `k`,
    CAST(SUM(`_hw_old$_hw_count`) AS BIGINT) AS `_hw_old$_hw_count`,
    CAST(SUM(`_hw_old$v$n`) AS BIGINT) AS `_hw_old$v$n`,
    CAST(SUM(`_hw_old$v$sum`) AS BIGINT) AS `_hw_old$v$sum`,
    CAST(SUM(`_hw_segment$_hw_count`) AS BIGINT) AS `_hw_segment$_hw_count`,
    CAST(SUM(`_hw_segment$v$n`) AS BIGINT) AS `_hw_segment$v$n`,
    CAST(SUM(`_hw_segment$v$sum`) AS BIGINT) AS `_hw_segment$v$sum`,
    SUM(`_hw_touched`) AS `_hw_touched`
  FROM `gathered_4`
  GROUP BY
    `k`
), `project_6` AS (
  SELECT
    `k`,
    `_hw_old$_hw_count`,
    `_hw_old$v$n`,
    `_hw_old$v$sum`,
    `_hw_segment$_hw_count`,
    `_hw_segment$v$n`,
    `_hw_segment$v$sum`,
    CAST(`_hw_old$_hw_count` + `_hw_segment$_hw_count` AS BIGINT) AS `_hw_new$_hw_count`,
    CAST(`_hw_old$v$n` + `_hw_segment$v$n` AS BIGINT) AS `_hw_new$v$n`,
    CAST(`_hw_old$v$sum` + `_hw_segment$v$sum` AS BIGINT) AS `_hw_new$v$sum`
  FROM `aggregate_5`
  WHERE
    `_hw_touched` > CAST(0 AS BIGINT)
)
SELECT
  CAST(`k` AS INT) AS `k`,
  CAST(IF(`_hw_side` = 0, `_hw_old$_hw_count`, `_hw_new$_hw_count`) AS BIGINT) AS `n`,
  CAST(IF(
    `_hw_side` = 0,
    IF(`_hw_old$v$n` = CAST(0 AS BIGINT), NULL, CAST(`_hw_old$v$sum` AS BIGINT)),
    IF(`_hw_new$v$n` = CAST(0 AS BIGINT), NULL, CAST(`_hw_new$v$sum` AS BIGINT))
  ) AS BIGINT) AS `total`,
  IF(
    IF(`_hw_side` = 0, `_hw_old$_hw_count`, `_hw_new$_hw_count`) > CAST(0 AS BIGINT),
    IF(`_hw_side` = 0, CAST(-1 AS BIGINT), CAST(1 AS BIGINT)),
    CAST(0 AS BIGINT)
  ) AS `_hw_weight`,
  `k` AS `_hw_segment$k`,
  `_hw_segment$_hw_count`,
  `_hw_segment$v$n`,
  `_hw_segment$v$sum`,
  `_hw_side`
FROM `project_6`
LATERAL VIEW
EXPLODE(ARRAY(0, 1)) _hw_copies AS `_hw_side`

-- view_change: result of Project k, agg AS n, agg_2 AS total
SELECT
  `k`,
  `n`,
  `total`,
  `_hw_weight`
FROM `both_aggregate_1`
WHERE
  `_hw_weight` <> CAST(0 AS BIGINT)

-- segment_past_aggregate_1: partials of Aggregate COUNT(*), SUM(v) by k
SELECT
  `_hw_segment$k` AS `k`,
  `_hw_segment$_hw_count` AS `_hw_count`,
  `_hw_segment$v$n` AS `v$n`,
  `_hw_segment$v$sum` AS `v$sum`
FROM `both_aggregate_1`
WHERE
  `_hw_side` <> CAST(0 AS BIGINT)
