"""What a person or a program is told when a command fails.

Idea: one place turns exceptions into an answer and an exit status; commands just raise.
Invariant: no traceback without `--debug`; a refusal leaves with 1, wrong usage (typer's own) with 2.
"""

from __future__ import annotations

from typing import Any

import typer
from rich.text import Text

from headwater.cli import screen
from headwater.cli.session import Session
from headwater.errors import HeadwaterError

INTERRUPTED = 130  # what shells give for Ctrl-C
USAGE: type[Exception] = typer.BadParameter.__mro__[1]  # what typer raises for wrong usage has no public name
PASSED_ON: tuple[type[Exception], ...] = (typer.Exit, typer.Abort, USAGE)
LONGEST_MESSAGE = 400  # characters of an unexpected error; the rest is in the traceback


def describe(error: Exception) -> dict[str, Any]:
    """The `error` of the JSON form: key, message, and the place in the SQL where one is known."""
    if not isinstance(error, HeadwaterError):
        return {"key": "internal", "message": _first_words(error), "position": None}
    place = error.position and {"line": error.position.line, "column": error.position.column}
    return {"key": error.key, "message": str(error), "position": place}


def report(session: Session, error: Exception) -> typer.Exit:
    """Tell what went wrong; returns what to raise."""
    if session.debug:
        raise error
    described = describe(error)
    if session.json:
        session.answer({"error": described})
    else:
        show(session, described)
    return typer.Exit(1)


def show(session: Session, described: dict[str, Any]) -> None:
    """The same in a line or two on stderr."""
    session.err.print(Text.assemble(("error: ", "bold red"), described["message"]))
    if described["key"] == "internal":
        session.err.print(Text("This was not expected; run `headwater --debug ...` to see where it comes from.", "dim"))


def interrupted(session: Session) -> typer.Exit:
    session.err.print(Text("Interrupted. A view stands where it stood before or where the refresh would leave it."))
    return typer.Exit(INTERRUPTED)


def _first_words(error: Exception) -> str:
    words = " ".join(str(error).split())
    return f"{type(error).__name__}: {screen.clipped(words, LONGEST_MESSAGE)}" if words else type(error).__name__
