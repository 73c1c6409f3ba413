SELECT k, MAX(v) AS high FROM a GROUP BY k

-- the full form
WITH `aggregate_1` AS (
  SELECT
    `k`,
    MAX(`v`) AS `agg`
  FROM `a`
  GROUP BY
    `k`
)
SELECT
  `k`,
  `agg` AS `high`
FROM `aggregate_1`

-- view_change: result of Project k, agg AS high
WITH `project_1` AS (
  SELECT
    `k` AS `_hw_key$k`
  FROM `change_of_a`
), `gathered_2` AS (
  SELECT /*+ BROADCAST(`project_1`),
    COALESCE(1) */
    `k`,
    `v`,
    `_hw_weight`
  FROM `past_scan_2_lookup_1`
  LEFT SEMI JOIN `project_1`
    ON `k` IS NOT DISTINCT FROM `_hw_key$k`
), `aggregate_3` AS (
  SELECT
    `k`,
    `v`,
    SUM(`_hw_weight`) AS `_hw_total`
  FROM `gathered_2`
  GROUP BY
    `k`,
    `v`
), `filter_4` AS (
  SELECT
    `k`,
    `v`,
    `_hw_total` AS `_hw_weight`
  FROM `aggregate_3`
  WHERE
    `_hw_total` <> CAST(0 AS BIGINT) AND `_hw_total` > CAST(0 AS BIGINT)
), `gathered_5` AS (
  SELECT /*+ COALESCE(1) */
    `k`,
    `v`
  FROM `filter_4`
  LATERAL VIEW
  EXPLODE(ARRAY_REPEAT(1, CAST(ABS(`_hw_weight`) AS INT))) _hw_copies AS `_hw_copy`
), `aggregate_6` AS (
  SELECT
    `k`,
    MAX(`v`) AS `agg`
  FROM `gathered_5`
  GROUP BY
    `k`
), `union_7` AS (
  SELECT /*+ BROADCAST(`project_1`) */
    `k`,
    `v`,
    `_hw_weight`
  FROM `past_scan_2_lookup_1`
  LEFT SEMI JOIN `project_1`
    ON `k` IS NOT DISTINCT FROM `_hw_key$k`
  UNION ALL
  SELECT
    `k`,
    `v`,
    `_hw_weight`
  FROM `change_of_a`
), `gathered_8` AS (
  SELECT /*+ COALESCE(1) */
    `k`,
    `v`,
    `_hw_weight`
  FROM `union_7`
), `aggregate_9` AS (
  SELECT
    `k`,
    `v`,
    SUM(`_hw_weight`) AS `_hw_total`
  FROM `gathered_8`
  GROUP BY
    `k`,
    `v`
), `filter_10` AS (
  SELECT
    `k`,
    `v`,
    `_hw_total` AS `_hw_weight`
  FROM `aggregate_9`
  WHERE
    `_hw_total` <> CAST(0 AS BIGINT) AND `_hw_total` > CAST(0 AS BIGINT)
), `gathered_11` AS (
  SELECT /*+ COALESCE(1) */
    `k`,
    `v`
  FROM `filter_10`
  LATERAL VIEW
  EXPLODE(ARRAY_REPEAT(1, CAST(ABS(`_hw_weight`) AS INT))) _hw_copies AS `_hw_copy`
), `aggregate_12` AS (
  SELECT
    `k`,
    MAX(`v`) AS `agg`
  FROM `gathered_11`
  GROUP BY
    `k`
), `union_13` AS (
  SELECT
    `k`,
    `agg`,
    CAST(-1 AS BIGINT) AS `_hw_weight`
  FROM `aggregate_6`
  UNION ALL
  SELECT
    `k`,
    `agg`,
    CAST(1 AS BIGINT) AS `_hw_weight`
  FROM `aggregate_12`
)
SELECT
  CAST(`k` AS INT) AS `k`,
  CAST(`agg` AS INT) AS `high`,
  `_hw_weight`
FROM `union_13`

-- upkeep_scan_2: upkeep of Scan a (k, v)
SELECT
  CAST(`k` AS INT) AS `k`,
  CAST(`v` AS INT) AS `v`,
  `_hw_weight`
FROM `change_of_a`
