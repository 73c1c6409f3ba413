"""The files of a table, as values: a live file of a snapshot, and a file that is written but not yet committed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

EXACT_SUFFIX = ".exact.snappy.parquet"  # of files whose statistics and dictionaries cover NaN and -0.0


@dataclass(frozen=True)
class DataFile:
    """A live file of a snapshot; `path` is decoded, relative to the table's folder unless absolute.

    `stats` holds minValues, maxValues and nullCount per column, in Python's own types (datetime, Decimal), where known.
    """

    path: str
    size: int
    rows: int | None
    partition: Mapping[str, str | None] = field(default_factory=dict, hash=False)
    stats: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, hash=False, compare=False, repr=False)
    spelled: str = field(default="", compare=False, repr=False)  # the path as the log has it, percent-encoded

    @property
    def exact(self) -> bool:
        """Whether a reader may skip rows of it by comparisons of fractions."""
        return self.path.endswith(EXACT_SUFFIX)


@dataclass(frozen=True)
class NewFile:
    """A Parquet file in the table's folder that no commit names yet; `stats` is the JSON text for the log."""

    path: str
    size: int
    rows: int
    partition: Mapping[str, str | None] = field(default_factory=dict, hash=False)
    stats: str = field(default="", compare=False, repr=False)
    modified_ms: int = 0


def stats_text(rows: int, minimum: dict[str, Any], maximum: dict[str, Any], nulls: dict[str, int]) -> str:
    return json.dumps({"numRecords": rows, "minValues": minimum, "maxValues": maximum, "nullCount": nulls})
