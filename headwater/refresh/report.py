"""What people and programs are told about views: frozen values, read alike by EXPLAIN, the CLI and the history."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from headwater.state.expectation import NOTHING_EXPECTED, ExpectedChange

Cursor = dict[str, int]


@dataclass(frozen=True)
class OperatorReport:
    """One plan operator: what it does, by which rule it moves, where its past is, what the last refresh measured."""

    id: int
    depth: int
    label: str
    rule: str
    past: str
    rows: int | None = None
    seconds: float | None = None
    reason: str | None = None


@dataclass(frozen=True)
class Refresh:
    """One refresh: what was done, why in this way, and what it cost."""

    view: str
    strategy: str  # "incremental" | "full" | "none"
    lane: str  # "spark" | "local" | "none"
    reason: str
    seconds: float  # from the call to the committed view
    rows_changed: int
    cursor: Cursor
    jobs: int
    operators: tuple[OperatorReport, ...] = ()
    phases: dict[str, float] = field(default_factory=dict)
    rows_read: int = 0
    upkeep_seconds: float = 0.0  # bringing the stored pasts up to date, after the answer was published

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class Verification:
    """The view compared, as a bag, with its own SQL evaluated by Spark at the view's cursor."""

    view: str
    ok: bool
    missing: int  # rows that recompute has and the view lacks
    extra: int  # rows that the view has and recompute lacks
    rows: int
    seconds: float
    examples: tuple[dict[str, Any], ...] = ()

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class StoredPast:
    """One stored past of a view: `place` lists where copies are held (disk, executors, process)."""

    node: str
    key: tuple[str, ...]
    place: str
    rows: int
    bytes: int
    segments: int = 1

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class Explanation:
    """How a view is refreshed: per operator the rule and its past, and the alternatives that were weighed."""

    view: str
    policy: str
    strategy: str  # "incremental" | "full" | "refused"
    reason: str
    cursor: Cursor
    pending: dict[str, int]  # versions behind, per table
    operators: tuple[OperatorReport, ...]
    alternatives: dict[str, float]  # predicted seconds per strategy
    sql: str = ""
    pinned: str = ""  # the text that is maintained, where the user's own has several answers
    lane: str = "spark"  # that the next refresh would take
    lane_reason: str = ""
    expected: ExpectedChange = NOTHING_EXPECTED  # after the pending change

    def as_dict(self) -> dict[str, Any]:
        return asdict(self) | {"expected": self.expected.as_dict()}

    def __str__(self) -> str:
        from headwater.refresh.explain import render

        return render(self)
