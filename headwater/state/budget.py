"""Budgets as people write them: bytes, or a number with a unit."""

from __future__ import annotations

import re

from headwater.errors import HeadwaterError

UNITS = {"": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12, "kib": 2**10, "mib": 2**20, "gib": 2**30}
WRITTEN = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*", re.IGNORECASE)


def budget_of(value: object) -> int | None:
    """The bytes of a budget such as 2_000_000, "2GB" or "500 MiB"; None for no limit."""
    if value is None:
        return None
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    found = WRITTEN.fullmatch(value) if isinstance(value, str) else None
    if found is None or found[2].lower() not in UNITS:
        expected = "give bytes, or a number with kB, MB, GB, TB, KiB, MiB or GiB, none of them negative"
        raise HeadwaterError("view.option", option="state_budget", value=value, expected=expected)
    return int(float(found[1]) * UNITS[found[2].lower()])
