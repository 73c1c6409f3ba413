SELECT a.s, w FROM a LEFT JOIN b ON a.k = b.k

-- the full form
WITH `scan_1` AS (
  SELECT
    `k`,
    `s`
  FROM `a`
), `scan_2` AS (
  SELECT
    `k` AS `b_k`,
    `w`
  FROM `b`
)
SELECT
  `s`,
  `w`
FROM `scan_1`
LEFT OUTER JOIN `scan_2`
  ON `k` = `b_k`

-- touched_join_1: touched of Join left on k = b_k
WITH `project_1` AS (
  SELECT
    `k` AS `b_k`,
    `w`
  FROM `change_of_b`
), `union_2` AS (
  SELECT /*+ BROADCAST(`project_1`) */
    `k`,
    `s`,
    `_hw_weight`
  FROM `past_scan_2_lookup_1`
  LEFT SEMI JOIN `project_1`
    ON `k` = `b_k`
  UNION ALL
  SELECT
    `k`,
    `s`,
    CAST(0 AS BIGINT) AS `_hw_weight`
  FROM `change_of_a`
)
SELECT
  `k`,
  `s`,
  `_hw_weight`
FROM `union_2`

-- view_change: result of Project s, w
WITH `project_1` AS (
  SELECT
    `k`,
    `s`,
    `_hw_weight`
  FROM `change_of_a`
), `union_2` AS (
  SELECT
    `b_k`,
    `w`,
    `_hw_weight`
  FROM `past_scan_3_lookup_2`
  UNION ALL
  SELECT
    `k` AS `b_k`,
    `w`,
    `_hw_weight`
  FROM `change_of_b`
), `project_3` AS (
  SELECT
    `b_k`,
    `w`,
    `_hw_weight` AS `_hw_weight_right`
  FROM `union_2`
), `project_4` AS (
  SELECT
    `k` AS `b_k`,
    `w`,
    `_hw_weight` AS `_hw_weight_right`
  FROM `change_of_b`
), `gathered_5` AS (
  SELECT /*+ COALESCE(1) */
    `k`,
    `s`
  FROM `touched_join_1`
), `distinct_6` AS (
  SELECT DISTINCT
    `k`,
    `s`
  FROM `gathered_5`
), `project_7` AS (
  SELECT
    `k`,
    `s`,
    CAST(1 AS BIGINT) AS `_hw_weight`
  FROM `distinct_6`
), `project_8` AS (
  SELECT
    `b_k`,
    `w`,
    `_hw_weight` AS `_hw_weight_right`
  FROM `past_scan_3_lookup_3`
), `union_9` AS (
  SELECT
    `k`,
    `s`,
    `_hw_weight` AS `_hw_was`,
    CAST(0 AS BIGINT) AS `_hw_moved`,
    CAST(0 AS BIGINT) AS `_hw_had`,
    CAST(0 AS BIGINT) AS `_hw_gained`
  FROM `touched_join_1`
  UNION ALL
  SELECT
    `k`,
    `s`,
    CAST(0 AS BIGINT) AS `_hw_was`,
    `_hw_weight` AS `_hw_moved`,
    CAST(0 AS BIGINT) AS `_hw_had`,
    CAST(0 AS BIGINT) AS `_hw_gained`
  FROM `change_of_a`
  UNION ALL
  SELECT /*+ BROADCAST(`project_8`) */
    `k`,
    `s`,
    CAST(0 AS BIGINT) AS `_hw_was`,
    CAST(0 AS BIGINT) AS `_hw_moved`,
    (
      `_hw_weight` * `_hw_weight_right`
    ) AS `_hw_had`,
    CAST(0 AS BIGINT) AS `_hw_gained`
  FROM `project_7`
  INNER JOIN `project_8`
    ON `k` = `b_k`
  UNION ALL
  SELECT /*+ BROADCAST(`project_4`) */
    `k`,
    `s`,
    CAST(0 AS BIGINT) AS `_hw_was`,
    CAST(0 AS BIGINT) AS `_hw_moved`,
    CAST(0 AS BIGINT) AS `_hw_had`,
    (
      `_hw_weight` * `_hw_weight_right`
    ) AS `_hw_gained`
  FROM `project_7`
  INNER JOIN `project_4`
    ON `k` = `b_k`
), `gathered_10` AS (
  SELECT /*+ COALESCE(1) */
    `k`,
    `s`,
    `_hw_was`,
    `_hw_moved`,
    `_hw_had`,
    `_hw_gained`
  FROM `union_9`
), `aggregate_11` AS (
  SELECT
    `k`,
    `s`,
    SUM(`_hw_was`) AS `_hw_was`,
    SUM(`_hw_moved`) AS `_hw_moved`,
    SUM(`_hw_had`) AS `_hw_had`,
    SUM(`_hw_gained`) AS `_hw_gained`
  FROM `gathered_10`
  GROUP BY
    `k`,
    `s`
), `union_12` AS (
  SELECT /*+ BROADCAST(`project_3`) */
    `k`,
    `s`,
    `b_k`,
    `w`,
    `_hw_weight` * `_hw_weight_right` AS `_hw_weight`
  FROM `project_1`
  INNER JOIN `project_3`
    ON `k` = `b_k`
  UNION ALL
  SELECT /*+ BROADCAST(`project_4`) */
    `k`,
    `s`,
    `b_k`,
    `w`,
    `_hw_weight` * `_hw_weight_right` AS `_hw_weight`
  FROM `past_scan_2_lookup_1`
  INNER JOIN `project_4`
    ON `k` = `b_k`
  UNION ALL
  SELECT
    `k`,
    `s`,
    CAST(NULL AS INT) AS `b_k`,
    CAST(NULL AS INT) AS `w`,
    (
      IF(
        `_hw_had` + `_hw_gained` = CAST(0 AS BIGINT),
        `_hw_was` + `_hw_moved`,
        CAST(0 AS BIGINT)
      ) - IF(`_hw_had` = CAST(0 AS BIGINT), `_hw_was`, CAST(0 AS BIGINT))
    ) AS `_hw_weight`
  FROM `aggregate_11`
  WHERE
    (
      IF(
        `_hw_had` + `_hw_gained` = CAST(0 AS BIGINT),
        `_hw_was` + `_hw_moved`,
        CAST(0 AS BIGINT)
      ) - IF(`_hw_had` = CAST(0 AS BIGINT), `_hw_was`, CAST(0 AS BIGINT))
    ) <> CAST(0 AS BIGINT)
)
SELECT
  CAST(`s` AS STRING) AS `s`,
  CAST(`w` AS INT) AS `w`,
  `_hw_weight`
FROM `union_12`

-- upkeep_scan_2: upkeep of Scan a (k, s)
SELECT
  CAST(`k` AS INT) AS `k`,
  CAST(`s` AS STRING) AS `s`,
  `_hw_weight`
FROM `change_of_a`

-- upkeep_scan_3: upkeep of Scan b (k, w)
SELECT
  CAST(`k` AS INT) AS `b_k`,
  CAST(`w` AS INT) AS `w`,
  `_hw_weight`
FROM `change_of_b`
