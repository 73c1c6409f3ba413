"""A guided tour over a year of real flights.

`flights` has the data, `scenes` what happens to it, `tour` makes it happen, `telling` shows it.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Stage:
    """Where a tour takes place and how much there is: days of the year to begin with, and years with their copies."""

    folder: str
    days: int
    years: int = 1
