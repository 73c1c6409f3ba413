"""Keeping the number of files bounded although every change adds one.

Idea: a log-structured merge by size. Files belong to tiers, each FANOUT times larger than the one below; when a new
file would be the FANOUT-th of its tier or below, those files are folded into it, which may carry into the next
tier.
Invariant: at most FANOUT - 1 files at or below each tier after folding, so O(FANOUT * log(rows)) small files in
all.
Complexity: amortised, each row is rewritten once per tier.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from headwater.lake.data_files import DataFile
from headwater.lake.parquet_files import MAX_ROWS_PER_FILE

FANOUT = 8
LOWEST_TIER_ROWS = 4_096  # opening a file costs as much as reading about this many rows


def tier(rows: int) -> int:
    return 0 if rows < LOWEST_TIER_ROWS else 1 + int(math.log(rows / LOWEST_TIER_ROWS, FANOUT))


def files_to_fold(files: Sequence[DataFile], new_rows: int) -> list[DataFile]:
    """The live files that should be merged into a new file of `new_rows` rows."""
    small = [file for file in files if file.rows is not None and file.rows < MAX_ROWS_PER_FILE // 2]
    folded: list[DataFile] = []
    total = new_rows
    while True:
        peers = [file for file in small if file not in folded and tier(file.rows or 0) <= tier(total)]
        if len(peers) < FANOUT - 1:
            return folded
        folded += peers
        total += sum(file.rows or 0 for file in peers)
