"""Many views on one lake under a stream of changes: after every batch, each equals two engines' own answers.

Idea: all views are made under policy `strict`, so that nothing is recomputed in secret; refusals are collected with
their reasons and compared with those that are expected. After a batch every view is refreshed and compared with
DuckDB's answer to its text over the tables at its cursor; Spark's answer (`view.verify`) is asked for a part of the
views in turn, or for all of them in a long run. A view that fails is named with the rows that differ and left out
from then on; the others go on.
Each refresh takes one of the lanes of the run at random; a view that the local lane refuses by name is refreshed by
Spark, and the reasons are told at the end.
Settings of a run: HEADWATER_BATCHES (1), HEADWATER_QUERIES (all; such as `q01,q14`), HEADWATER_SEED (0),
HEADWATER_LANES (`auto`; such as `spark,local`).
"""

from __future__ import annotations

import logging
import os
import random
import re
import time
from collections.abc import Mapping
from typing import Any

from headwater.errors import HeadwaterError
from tests.recompute import Duck, difference
from tests.streams import Stream

BATCHES = int(os.environ.get("HEADWATER_BATCHES", "1"))
SEED = int(os.environ.get("HEADWATER_SEED", "0"))
CHOSEN = frozenset(filter(None, os.environ.get("HEADWATER_QUERIES", "").split(",")))
LANES = tuple(os.environ.get("HEADWATER_LANES", "auto").split(","))
LONG_RUN = 20  # batches from which on Spark verifies every view after every batch
ROTATION = 8  # in shorter runs, it verifies every eighth
SECONDS_PER_STEP = 1_200  # of a test that makes a hundred views or refreshes them once
TIME_LIMIT = SECONDS_PER_STEP * (BATCHES + 1)

PLACE = re.compile(r" \(at line \d+, column \d+\)$")  # in a text; what is refused there says enough

log = logging.getLogger(__name__)


def chosen(queries: tuple[str, ...], short_run: tuple[str, ...] = ()) -> tuple[str, ...]:
    """The queries that were asked for, or all of them; in a short run only those that it names."""
    wanted = CHOSEN or (frozenset(short_run) if BATCHES < LONG_RUN else frozenset())
    return tuple(query for query in queries if not wanted or query in wanted)


class Maintained:
    """The views of a run, what was refused and what went wrong."""

    def __init__(self, lake: Any, texts: Mapping[str, str]) -> None:
        self._lake = lake
        self._views: dict[str, Any] = {}
        self.refused: dict[str, str] = {}
        self.failures: list[str] = []
        self.not_local: dict[str, str] = {}
        self._rng = random.Random(SEED)
        for name, text in texts.items():
            self._create(name, text)
        log.info("%d views, %d refused", len(self._views), len(self.refused))

    def run(self, stream: Stream, batches: int = BATCHES) -> None:
        self.compare(0, self._duck())
        for number in range(1, batches + 1):
            started = time.perf_counter()
            stream.batch()
            changed = time.perf_counter()
            self._refresh(number)
            refreshed = time.perf_counter()
            duck = self._duck()
            self.compare(number, duck)
            log.info(
                "batch %d: %.0f s of changes, %.0f s of refreshing %d views, %.0f s of comparing; %d failures",
                number,
                changed - started,
                refreshed - changed,
                len(self._views),
                time.perf_counter() - refreshed,
                len(self.failures),
            )

    def compare(self, batch: int, duck: Duck) -> None:
        """With DuckDB all of them, with Spark those whose turn it is."""
        for place, (name, view) in enumerate(list(self._views.items())):
            try:
                wrong = self._against_duckdb(view, duck)
                if not wrong and (batch >= LONG_RUN or BATCHES >= LONG_RUN or (place + batch) % ROTATION == 0):
                    wrong = _against_spark(view)
            except Exception as error:
                wrong = _told(error)
            if wrong:
                self._fail(name, batch, wrong)

    def check(self, expected: Mapping[str, str]) -> None:
        """Fail with everything that went wrong; `expected` are the refusals of all queries."""
        for name, reason in self.not_local.items():
            log.info("%s is not for the local lane: %s", name, reason)
        wanted = {name: reason for name, reason in expected.items() if not CHOSEN or name in CHOSEN}
        wrong = list(self.failures)
        if self.refused != wanted:
            listed = "\n".join(f"    {name!r}: {reason!r}," for name, reason in self.refused.items())
            new = sorted(self.refused.keys() - wanted.keys())
            gone = sorted(wanted.keys() - self.refused.keys())
            wrong.append(
                f"refusals differ: not expected {new or 'none'}, no longer refused {gone or 'none'}; as of now:\n"
                f"REFUSED: dict[str, str] = {{\n{listed}\n}}"
            )
        assert not wrong, "\n".join(wrong)

    # -- steps

    def _create(self, name: str, text: str) -> None:
        try:
            self._views[name] = self._lake.create_view(f"view_{name}", text, policy="strict")
        except HeadwaterError as error:
            if error.key == "view.strict":
                self.refused[name] = PLACE.sub("", error.params["reason"])
            else:
                self.failures.append(f"{name} could not be created: {_told(error)}")
        except Exception as error:
            self.failures.append(f"{name} could not be created: {_told(error)}")

    def _refresh(self, batch: int) -> None:
        for name, view in list(self._views.items()):
            try:
                report = self._in_some_lane(name, view)
            except Exception as error:
                self._fail(name, batch, f"refresh: {_told(error)}")
                continue
            if report.strategy == "full":
                self._fail(name, batch, f"recomputed in spite of its policy: {report.reason}")

    def _in_some_lane(self, name: str, view: Any) -> Any:
        try:
            return view.refresh(lane=self._rng.choice(LANES))
        except HeadwaterError as error:
            if error.key != "lane.impossible":
                raise
            self.not_local[name] = error.params["reason"]
            return view.refresh(lane="spark")

    def _duck(self) -> Duck:
        return Duck({table.name: table.arrow() for table in self._lake.tables()})

    def _against_duckdb(self, view: Any, duck: Duck) -> str:
        newest = {name: self._lake.table(name).version for name in view.reads}
        if view.cursor != newest:
            return f"stands at {view.cursor}, the tables at {newest}"
        rows = [tuple(row.values()) for row in view.arrow().to_pylist()]
        wrong = difference(rows, duck.rows(view.definition))
        return f"unlike DuckDB's answer: {wrong}" if wrong else ""

    def _fail(self, name: str, batch: int, wrong: str) -> None:
        self.failures.append(f"{name} after batch {batch}: {wrong}")
        log.error(self.failures[-1])
        del self._views[name]


def _against_spark(view: Any) -> str:
    verified = view.verify()
    if verified.ok:
        return ""
    return f"unlike Spark's answer: {verified.extra} extra, {verified.missing} missing: {verified.examples}"


def _told(error: Exception) -> str:
    return f"{type(error).__name__}: {error}".strip()[:1_000]
