"""Room for recursion in native code.

Idea: delta-rs walks a condition recursively, so that one with tens of thousands of parts overruns a thread's usual
stack and takes the process with it. Such conditions run on a thread whose stack is large; untouched stack costs
nothing.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

LONG_TEXT = 4_000  # characters of SQL; below, the usual 8 MB have been found to be plenty
STACK_BYTES = 768 * 1024 * 1024
_lock = threading.Lock()

Result = TypeVar("Result")


def with_room_for(text: str | None, operation: Callable[[], Result]) -> Result:
    """Run the operation, on a deep stack when the SQL text that it takes is long."""
    if len(text or "") < LONG_TEXT:
        return operation()
    future: Future[Result] = Future()

    def run() -> None:
        try:
            future.set_result(operation())
        except BaseException as error:
            future.set_exception(error)

    with _lock:
        before = threading.stack_size(STACK_BYTES)
        try:
            thread = threading.Thread(target=run, name="headwater-deep-stack")
            thread.start()
        finally:
            threading.stack_size(before)
    thread.join()
    return future.result()
