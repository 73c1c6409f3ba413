"""Text to one qualified query: syntax errors with their position, the tables it reads, what it may not contain.

Idea: sqlglot parses and qualifies in Spark's dialect; a refusal names the place in the user's own text.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager

import sqlglot
from sqlglot import TokenType, exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import OptimizeError, ParseError, TokenError
from sqlglot.optimizer.qualify import qualify

from headwater.errors import HeadwaterError, Position, Unsupported
from headwater.sql.dialect import ViewSql
from headwater.sql.functions import EPOCH, NON_DETERMINISTIC, PRESENT
from headwater.sql.statements import as_text, refuse_misspelled

DIALECT = ViewSql


def parse_statement(sql: str) -> exp.Expr:
    """One statement; anything else is a `sql.syntax` error with its position."""
    sql = as_text(sql)
    with refusals(sql):
        statements = [each for each in sqlglot.parse(sql, read=DIALECT) if each is not None]
    if len(statements) != 1:
        raise HeadwaterError("sql.not_a_query", what="empty" if not statements else f"{len(statements)} statements")
    return statements[0]


def parse_expression(sql: str) -> exp.Expr:
    """One expression and nothing else: no name for it, no second one, no statement."""
    with refusals():
        tokens = Dialect.get_or_raise(DIALECT).tokenize(sql)
        for token in tokens:
            if token.token_type is TokenType.SEMICOLON:
                raise HeadwaterError("sql.syntax", why="a semicolon", position=Position(token.line, token.col))
        found = DIALECT().parser().parse_into(exp.Condition, tokens, sql)
    if not found or found[0] is None:
        raise HeadwaterError("sql.syntax", why="it is empty")
    return found[0]


@contextmanager
def refusals(statement: str | None = None) -> Iterator[None]:
    """What the parser refuses, as an error of ours with its position; of a statement its first word, if that is it."""
    try:
        yield
    except ParseError as error:
        if statement is not None:
            refuse_misspelled(statement)
        found = error.errors[0] if error.errors else {}
        at = Position(found.get("line") or 1, found.get("col") or 1)
        raise HeadwaterError(
            "sql.syntax", why=_in_words(_first_line(found.get("description") or str(error))), position=at
        ) from None
    except TokenError as error:
        raise HeadwaterError("sql.syntax", why=_first_line(str(error))) from None


def _in_words(description: str) -> str:
    """The parser names its own classes where a part is missing."""
    return "a part of it is missing" if description.startswith("Required keyword") else description


def parse_query(sql: str) -> exp.Query:
    """A single query, as a view needs it."""
    statement = parse_statement(sql)
    if not isinstance(statement, exp.Query):
        refuse_misspelled(sql)  # `SELEC x` is a name and its alias to the parser
        raise HeadwaterError("sql.not_a_query", what=f"a {statement.key.upper()} statement")
    return statement


def tables_read(query: exp.Expr) -> dict[str, Position | None]:
    """The tables a query names, lower-case, in order of appearance; names of CTEs are not tables."""
    found: dict[str, Position | None] = {}
    for table in query.find_all(exp.Table, bfs=False):
        name = table.name.lower()
        if name and not _is_cte(table, name):
            found.setdefault(name, position_of(table))
    return found


def _is_cte(table: exp.Table, name: str) -> bool:
    """True where a CTE of that name is visible: in the query that has it, and in the CTEs written after it."""
    scope: exp.Expr | None = table
    inside: exp.Expr | None = None
    while scope is not None:
        inside = scope if isinstance(scope, exp.CTE) else inside
        with_ = scope.args.get("with_")
        if with_ is not None:
            visible = with_.expressions
            if inside is not None and inside.parent is with_ and with_ is not None:
                own = 1 if with_.args.get("recursive") else 0
                visible = visible[: visible.index(inside) + own]
            if any(cte.alias.lower() == name for cte in visible):
                return True
        scope = scope.parent
    return False


def position_of(node: exp.Expr) -> Position | None:
    """Where a part of the query stands in the user's text, if the parser kept it."""
    for part in node.walk(bfs=True):
        if "line" in part.meta:
            length = part.meta["end"] - part.meta["start"]  # `col` is where the word ends
            return Position(part.meta["line"], max(1, part.meta["col"] - length))
    return None


def refuse_non_deterministic(query: exp.Expr, own: Collection[str] = ()) -> None:
    """Raise the named reason when the query's answer depends on more than its tables.

    `own` are the user's functions that were declared so.
    """
    for function in query.find_all(exp.Func, bfs=False):
        name = function_name(function)
        if (name in NON_DETERMINISTIC or name in own) and not (name == "unix_timestamp" and function.expressions):
            raise Unsupported("unsupported.function", function=f"{name}()", position=position_of(function))
        if isinstance(function, exp.Cast) and _is_time(function.to) and _is_present(function.this):
            raise present(function.this)


def _is_time(kind: exp.Expr | None) -> bool:
    return isinstance(kind, exp.DataType) and kind.is_type(*exp.DataType.TEMPORAL_TYPES)


def _is_present(part: exp.Expr) -> bool:
    return part.is_string and part.name.strip().lower() in PRESENT


def present(literal: exp.Expr) -> Unsupported:
    """The named reason for a word that Spark takes for the present."""
    return Unsupported("unsupported.function", function=repr(literal.name), position=position_of(literal))


def present_in(query: exp.Expr) -> Unsupported:
    """As `present`, for a query of which Spark says that some text in it is such a word."""
    found = next((literal for literal in query.find_all(exp.Literal, bfs=False) if _is_present(literal)), None)
    if found is not None:
        return present(found)
    return Unsupported("unsupported.function", function="A text that is cast to a time and means the present")


def without_epochs(sql: str) -> str:
    """The text with 'epoch' spelled out: of the words that Spark takes for a time, it alone is always the same."""
    query = parse_query(sql)
    epochs = [each for each in query.find_all(exp.Literal) if each.is_string and each.name.strip().lower() == EPOCH]
    for literal in epochs:
        literal.replace(exp.Literal.string("1970-01-01"))
    return query.sql(dialect=DIALECT) if epochs else sql


def function_name(function: exp.Expr) -> str:
    """The function's name in Spark, lower-case."""
    assert isinstance(function, exp.Func)
    named = isinstance(function, (exp.Anonymous, exp.AnonymousAggFunc))
    return (function.name if named else function.sql_name()).lower()


def qualified(query: exp.Query, tables: Mapping[str, Mapping[str, str]], aggregates: Collection[str] = ()) -> exp.Query:
    """The query with every column bound to the relation it comes from and every star spelled out.

    `aggregates` are the names of the user's own aggregate functions.
    """
    for function in list(query.find_all(exp.Anonymous)) if aggregates else ():
        if function.name.lower() in aggregates:
            function.replace(exp.AnonymousAggFunc(this=function.name, expressions=function.expressions))
    try:
        return qualify(query.copy(), schema={name: dict(columns) for name, columns in tables.items()}, dialect=DIALECT)
    except OptimizeError as error:
        raise Unsupported("unsupported.syntax", what=f"This query ({_first_line(str(error))})") from None


def _first_line(message: str) -> str:
    return message.strip().splitlines()[0].rstrip(".") if message.strip() else "unreadable"
