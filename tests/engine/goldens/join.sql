SELECT a.s, w FROM a JOIN b ON a.k = b.k WHERE v > 1

-- the full form
WITH `scan_1` AS (
  SELECT
    `k` AS `b_k`,
    `w`
  FROM `b`
), `project_2` AS (
  SELECT
    `k`,
    `s`
  FROM `a`
  WHERE
    `v` > 1
)
SELECT
  `s`,
  `w`
FROM `scan_1`
INNER JOIN `project_2`
  ON `k` = `b_k`

-- view_change: result of Project s, w
WITH `project_1` AS (
  SELECT
    `k` AS `b_k`,
    `w`,
    `_hw_weight`
  FROM `change_of_b`
), `union_2` AS (
  SELECT
    `k`,
    `s`,
    `_hw_weight`
  FROM `past_project_3_lookup_1`
  UNION ALL
  SELECT
    `k`,
    `s`,
    `_hw_weight`
  FROM `change_of_a`
  WHERE
    `v` > 1
), `project_3` AS (
  SELECT
    `k`,
    `s`,
    `_hw_weight` AS `_hw_weight_right`
  FROM `union_2`
), `project_4` AS (
  SELECT
    `k`,
    `s`,
    `_hw_weight` AS `_hw_weight_right`
  FROM `change_of_a`
  WHERE
    `v` > 1
), `union_5` AS (
  SELECT /*+ BROADCAST(`project_3`) */
    `b_k`,
    `w`,
    `k`,
    `s`,
    `_hw_weight` * `_hw_weight_right` AS `_hw_weight`
  FROM `project_1`
  INNER JOIN `project_3`
    ON `k` = `b_k`
  UNION ALL
  SELECT /*+ BROADCAST(`project_4`) */
    `b_k`,
    `w`,
    `k`,
    `s`,
    `_hw_weight` * `_hw_weight_right` AS `_hw_weight`
  FROM `past_scan_2_lookup_2`
  INNER JOIN `project_4`
    ON `k` = `b_k`
)
SELECT
  CAST(`s` AS STRING) AS `s`,
  CAST(`w` AS INT) AS `w`,
  `_hw_weight`
FROM `union_5`

-- upkeep_scan_2: upkeep of Scan b (k, w)
SELECT
  CAST(`k` AS INT) AS `b_k`,
  CAST(`w` AS INT) AS `w`,
  `_hw_weight`
FROM `change_of_b`

-- upkeep_project_3: upkeep of Project k, s
SELECT
  CAST(`k` AS INT) AS `k`,
  CAST(`s` AS STRING) AS `s`,
  `_hw_weight`
FROM `change_of_a`
WHERE
  `v` > 1
