"""Errors that only a benchmark can meet; shown and keyed like every other `HeadwaterError`."""

from __future__ import annotations

from headwater.errors import HeadwaterError

SENTENCES: dict[str, str] = {
    "bench.package": "{package} is needed and not installed; run: pip install 'headwater[bench]'.",
    "bench.folder": "{path} is not empty, and a benchmark would mix its tables with what is there; give a new folder.",
}


class Refusal(HeadwaterError):
    """A `HeadwaterError` whose sentence is in this file."""

    @property
    def sentence(self) -> str:
        return SENTENCES[self.key].format(**self.params)
