"""One way to do a refresh, and what is told of it.

Idea: a refresh is tried as it was chosen; where that fails, something of the attempt is changed (the lane, the
strategy, trust in what is stored) and it is tried again. What came of it is one report.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from headwater.refresh.choice import Choice
from headwater.refresh.lanes import LaneChoice
from headwater.refresh.report import Cursor, OperatorReport, Refresh
from headwater.refresh.runner import Measured


@dataclass(frozen=True)
class Attempt:
    """One way to do a refresh."""

    choice: Choice
    taken: LaneChoice
    standing: Any  # a Standing; None for a view that is new
    changes: Any  # the tables that moved; of no use to a full refresh
    target: Cursor
    started: float
    doubted: str = ""  # why the pasts were given up


def mended(attempt: Attempt, measured: Measured) -> str:
    """What the refresh had to build again."""
    if attempt.doubted or not measured.rebuilt:
        return attempt.doubted
    were = "stored past was" if measured.rebuilt == 1 else "stored pasts were"
    return f"{measured.rebuilt} {were} missing or out of date, and built again."


def told(choice: Choice, taken: LaneChoice) -> str:
    """Why the refresh is as it is: the strategy, and the lane where that was a choice."""
    return f"{choice.reason} {taken.reason}".rstrip() if choice.strategy == "incremental" else choice.reason


def first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0] or type(error).__name__


def report_of(
    view: str,
    strategy: str,
    reason: str,
    seconds: float,
    cursor: Cursor,
    measured: Measured,
    operators: tuple[OperatorReport, ...] = (),
    lane: str = "spark",
) -> Refresh:
    phases = {name: round(value, 6) for name, value in measured.phases.items()}
    return Refresh(
        view, strategy, lane, reason, seconds, measured.rows_changed, dict(cursor), measured.jobs, operators, phases
    )
