"""What is going on right now, on the terminal: a spinner, the phase and the seconds so far.

Idea: work that ends within `PATIENCE` shows nothing; longer work gets one line on stderr that disappears afterwards.
Invariant: nothing is written unless stderr is a terminal, and nothing is ever written to stdout.
"""

from __future__ import annotations

import threading
import time
from types import TracebackType
from typing import TYPE_CHECKING

from rich.text import Text

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult
    from rich.live import Live

PATIENCE = 0.8  # seconds; a person waits this long without wondering
FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
FRAMES_A_SECOND = 10


class Progress:
    """A context manager; calling it names the phase, as the hook `lake.progress` does."""

    def __init__(self, console: Console, phase: str = "") -> None:
        self._console = console
        self._title = ""
        self._phase, self._detail = phase, ""
        self._started = time.monotonic()
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None
        self._live: Live | None = None

    def __call__(self, phase: str, detail: str = "") -> None:
        self._phase, self._detail = phase, detail

    def about(self, title: str) -> None:
        """Name what the phases that follow belong to, such as the view."""
        self._title, self._phase, self._detail = title, "", ""

    def __enter__(self) -> Progress:
        self._started = time.monotonic()
        if self._console.is_terminal and not self._console.is_dumb_terminal:
            self._timer = threading.Timer(PATIENCE, self._show)
            self._timer.daemon = True
            self._timer.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
            if self._live is not None:
                self._live.stop()
                self._live = None

    def _show(self) -> None:
        from rich.live import Live

        with self._lock:
            if self._timer is None:  # it ended while the timer fired
                return
            self._live = Live(
                self,
                console=self._console,
                refresh_per_second=FRAMES_A_SECOND,
                transient=True,
                redirect_stdout=False,
                redirect_stderr=False,
            )
            self._live.start()

    def line(self) -> str:
        """The text beside the spinner."""
        parts = [part for part in (self._title, self._phase, self._detail) if part]
        return " · ".join(parts) or "working"

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        seconds = time.monotonic() - self._started
        frame = FRAMES[int(seconds * FRAMES_A_SECOND) % len(FRAMES)]
        yield Text.assemble(
            (f"{frame} ", "cyan"), (f"{seconds:4.0f} s  ", "dim"), self.line(), no_wrap=True, overflow="ellipsis"
        )
