"""What a feed declares about a table: `lake.expect`.

Idea: a feed knows its own pace. It declares how many rows each change brings, that there will be none, or that the
table arrives like another one did. A declaration is kept beside the table in the catalog and stays until it is replaced
or withdrawn: the arrival of what it declared does not use it up.
Invariant: what is kept has been checked; a declaration never decides a result, only what is prepared for.
Limits: a table that changes after it was declared complete breaks the declaration, which is then ignored until renewed.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from headwater.errors import HeadwaterError


@dataclass(frozen=True)
class Declaration:
    """Rows that each change brings; `like` names the table whose lateness this one shares; `version` is when."""

    inserts: int = 0
    deletes: int = 0
    complete: bool = False
    like: str | None = None
    version: int = 0  # of the table, when it was declared

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, kept: Mapping[str, Any]) -> Declaration:
        return cls(**{name: kept[name] for name in cls.__dataclass_fields__ if name in kept})

    def broken_at(self, changed: int | None) -> bool:
        """Whether a change in that version is one that was declared not to come."""
        return self.complete and changed is not None and changed > self.version


def declared(
    table: str, inserts: Any, deletes: Any, complete: Any, like: str | None, version: int
) -> Declaration | None:
    """The checked declaration; None when `inserts` is None, which withdraws it."""
    if inserts is None:
        if deletes or complete or like is not None:
            raise HeadwaterError("expect.number", table=table, what="inserts", value=None)
        return None
    rows = {what: _whole(table, what, value) for what, value in (("inserts", inserts), ("deletes", deletes))}
    if complete not in (True, False):
        raise HeadwaterError("expect.complete", table=table, value=complete)
    if (complete or like is not None) and any(rows.values()):
        stated = "to be complete" if complete else f"to arrive like {like}"
        raise HeadwaterError(
            "expect.both", table=table, stated=stated, inserts=rows["inserts"], deletes=rows["deletes"]
        )
    if like is not None and (complete or like.lower() == table.lower()):
        why = "it was declared to be complete as well" if complete else "it is the table itself"
        raise HeadwaterError("expect.like", table=table, like=like, why=why)
    return Declaration(**rows, complete=bool(complete), like=like, version=version)


def _whole(table: str, what: str, value: Any) -> int:
    """A number of rows: an integer of any library, not a boolean, not a float that happens to be whole."""
    try:
        number = operator.index(value)
    except TypeError:
        number = -1
    if isinstance(value, bool) or number < 0:
        raise HeadwaterError("expect.number", table=table, what=what, value=value)
    return number
