"""What Spark says when it refuses a query, or fails while it runs one, as errors with keys.

Idea: an exception of Spark carries a condition (`CAST_INVALID_INPUT`), a message in sentences and a place in the text.
The first sentence and the condition are for the user; what follows speaks of settings, of stages and of our own names.
Invariant: nothing that a statement of ours raises while it runs leaves the lane as an exception of pyspark or py4j.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from py4j.protocol import Py4JJavaError  # type: ignore[import-untyped]
from pyspark.errors import ParseException, PySparkException

from headwater.errors import HeadwaterError, Position

CONDITION = re.compile(r"\s*\[([A-Z][A-Z0-9_.]*)\]\s*")
STATE = re.compile(r"\s*SQLSTATE: \w{5}")
PARSED_AT = re.compile(r"\(line (\d+), pos (\d+)\)")
PLACE = re.compile(r"== SQL.*\(line (\d+), position (\d+)\)")
# Up to the first full stop; one inside quotes ends nothing.
SENTENCE = re.compile(r"""(?:'[^']*'|"[^"]*"|`[^`]*`|(?!\.(?:\s|$)).)*""", re.DOTALL)
UNREADABLE = ("FAILED_READ_FILE", "CANNOT_READ_FILE_FOOTER", "PATH_NOT_FOUND")
INTERNAL = "INTERNAL_ERROR"
LONGEST = 300  # characters of a message without sentences


def refused(error: Any) -> HeadwaterError:
    """Spark's refusal of a query before it runs, with its place in the text."""
    condition, message = _parted(str(error))
    why = " ".join(message.split()).rstrip(".") or condition or type(error).__name__
    return HeadwaterError("sql.invalid", why=f"{why} ({condition})" if condition else why, position=_position(error))


def _position(error: Any) -> Position | None:
    """Counted from 1, as Spark does for names; its parser counts columns from 0."""
    if isinstance(error, ParseException) and (parsed := PARSED_AT.search(str(error))):
        return Position(int(parsed[1]), int(parsed[2]) + 1)
    for context in error.getQueryContext() or []:
        try:
            found = PLACE.search(context.summary())
        except Exception:  # a context without a place in the text
            continue
        if found:
            return Position(int(found[1]), int(found[2]))
    return None


@contextmanager
def told(name: str) -> Iterator[None]:
    """What goes wrong while Spark computes a view or a table, by name."""
    try:
        yield
    except (PySparkException, Py4JJavaError) as error:
        raise failed(error, name) from None


def failed(error: Any, name: str) -> HeadwaterError:
    """A failure while a query runs: of its values, of the files it reads, or of Spark itself."""
    condition, message = _cause(error)
    why = first_sentence(message)
    if condition.startswith(UNREADABLE):
        return HeadwaterError("data.unreadable", name=name, why=why)
    if not condition or condition == INTERNAL:
        return HeadwaterError("spark.failed", name=name, why=why or type(error).__name__)
    return HeadwaterError("sql.runtime", name=name, why=why or condition, condition=condition)


def _cause(error: Any) -> tuple[str, str]:
    """The condition and message of the outermost cause that has a condition, else those of the innermost cause."""
    if getattr(error, "getCondition", None) and error.getCondition() == "PYTHON_EXCEPTION":
        lines = str((error.getMessageParameters() or {}).get("traceback") or error).strip().splitlines()
        return "PYTHON_EXCEPTION", lines[-1]
    thrown = error.java_exception if isinstance(error, Py4JJavaError) else getattr(error, "_origin", None)
    message = str(error) if thrown is None else ""
    while thrown is not None:
        condition, message = _parted(thrown.getMessage() or thrown.getClass().getName())
        if condition:
            return condition, message
        thrown = thrown.getCause()
    return _parted(message)


def _parted(text: str) -> tuple[str, str]:
    """A message without what surrounds it: its condition, and what it says before the state and the plan."""
    found = CONDITION.match(text)
    rest = text[found.end() :] if found else text
    return (found[1] if found else ""), STATE.split(rest)[0].strip()


def first_sentence(message: str) -> str:
    found = SENTENCE.match(" ".join(message.split()))
    assert found is not None
    return found[0][:LONGEST].strip().rstrip(".")
