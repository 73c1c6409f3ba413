"""The statements that declare and steer views, as values.

Idea: the statement's head is read word by word (it is not Spark's SQL, and not sqlglot's); the query after AS is left
exactly as the user wrote it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from headwater.errors import HeadwaterError
from headwater.sql.statements import LEADING, as_text

NAME = r"(?P<name>`[^`]+`|[\w.]+)"
_CREATE = re.compile(
    rf"CREATE\s+(?P<replace>OR\s+REPLACE\s+)?MATERIALIZED\s+VIEW\s+(?P<guard>IF\s+NOT\s+EXISTS\s+)?{NAME}\s*"
    rf"(?P<options>.*?)\bAS\b(?P<query>{LEADING.pattern}(?:SELECT|WITH|VALUES|FROM|\().*)",
    re.IGNORECASE | re.DOTALL,
)
_REFRESH = re.compile(rf"REFRESH\s+MATERIALIZED\s+VIEW\s+{NAME}(?P<full>\s+FULL)?", re.IGNORECASE)
_DROP = re.compile(rf"DROP\s+MATERIALIZED\s+VIEW\s+(?P<guard>IF\s+EXISTS\s+)?{NAME}", re.IGNORECASE)
_EXPLAIN = re.compile(r"EXPLAIN\s+(?P<rest>(?:CREATE|MATERIALIZED)\b.*)", re.IGNORECASE | re.DOTALL)
_EXPLAIN_VIEW = re.compile(rf"MATERIALIZED\s+VIEW\s+{NAME}", re.IGNORECASE)
_POLICY = re.compile(r"REFRESH\s+POLICY\s+(AUTO|INCREMENTAL\s+STRICT|INCREMENTAL|FULL)\b", re.IGNORECASE)
_BUDGET = re.compile(r"STATE\s+BUDGET\s+'(?P<budget>[^']*)'", re.IGNORECASE)
_OURS = re.compile(
    r"(CREATE\s+(OR\s+REPLACE\s+)?|REFRESH\s+|DROP\s+|EXPLAIN\s+(CREATE\s+(OR\s+REPLACE\s+)?)?)MATERIALIZED\s+VIEW\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class CreateView:
    name: str
    query: str
    policy: str = "auto"
    replace: bool = False
    if_not_exists: bool = False
    state_budget: str | None = None


@dataclass(frozen=True)
class RefreshView:
    name: str
    full: bool = False


@dataclass(frozen=True)
class DropView:
    name: str
    if_exists: bool = False


@dataclass(frozen=True)
class ExplainView:
    """EXPLAIN of a view that exists (a name), or of one that does not yet (its CREATE statement)."""

    name: str | None = None
    create: CreateView | None = None


Statement = CreateView | RefreshView | DropView | ExplainView


def read_statement(text: str) -> Statement | None:
    """The statement, if it is one of ours; None for everything that Spark should run."""
    text = as_text(text)
    body = LEADING.match(text)
    sql = (text[body.end() :] if body else text).strip().rstrip(";").rstrip()
    if not _OURS.match(sql):
        return None
    found = _refresh(sql) or _drop(sql) or _explain(sql) or _create(sql)
    if found is None:
        raise HeadwaterError(
            "sql.ddl", why=f"it begins as {' '.join(sql.split()[:4])!r}; see the documentation for its form"
        )
    return found


def _create(sql: str) -> CreateView | None:
    found = _CREATE.fullmatch(sql)
    if found is None:
        return None
    policy, rest = _option(_POLICY, found["options"])
    budget, rest = _option(_BUDGET, rest)
    if rest.strip():
        raise HeadwaterError("sql.ddl", why=f"the option {rest.strip()!r} is not known")
    return CreateView(
        _bare(found["name"]),
        found["query"].strip(),
        _policy(policy),
        bool(found["replace"]),
        bool(found["guard"]),
        budget,
    )


def _option(pattern: re.Pattern[str], options: str) -> tuple[str | None, str]:
    """What an option says, if it is there, and the options without it."""
    found = pattern.search(options)
    return (found[1], options[: found.start()] + options[found.end() :]) if found else (None, options)


def _policy(text: str | None) -> str:
    words = " ".join((text or "auto").lower().split())
    return "strict" if words == "incremental strict" else words


def _refresh(sql: str) -> RefreshView | None:
    found = _REFRESH.fullmatch(sql)
    return RefreshView(_bare(found["name"]), bool(found["full"])) if found else None


def _drop(sql: str) -> DropView | None:
    found = _DROP.fullmatch(sql)
    return DropView(_bare(found["name"]), bool(found["guard"])) if found else None


def _explain(sql: str) -> ExplainView | None:
    found = _EXPLAIN.fullmatch(sql)
    if found is None:
        return None
    named = _EXPLAIN_VIEW.fullmatch(found["rest"])
    if named is not None:
        return ExplainView(name=_bare(named["name"]))
    created = _create(found["rest"])
    return ExplainView(create=created) if created else None


def _bare(name: str) -> str:
    return name.strip("`")
