"""What `lake.sql` runs beside the DDL of views: statements that read. All others are refused with what to use instead.

Idea: a lake's table is a Delta folder with a log; a statement of Spark's that wrote into it, or made a table of its own
beside it, would bypass the log. The first words of a text tell what it is; what only the whole text tells
(`WITH x AS (...) INSERT ...`) Spark's parser is asked, see `engine/spark/reading.py`.
"""

from __future__ import annotations

import re

from headwater.errors import HeadwaterError, Position
from headwater.sql.functions import names

LEADING = re.compile(r"(?:\s|--[^\n]*(?:\n|$)|/\*.*?\*/)*", re.DOTALL)
WORD = re.compile(r"[A-Za-z_]\w*")
QUERIES = frozenset(("SELECT", "WITH", "VALUES", "FROM", "TABLE", "MAP", "REDUCE"))
TELLING = frozenset(("EXPLAIN", "DESCRIBE", "DESC", "SHOW"))
# Words between CREATE or DROP and what is made or dropped.
BETWEEN = frozenset(("OR", "REPLACE", "TEMP", "TEMPORARY", "GLOBAL", "EXTERNAL"))
SESSION = "lake.spark.sql(...) runs it in the Spark session, which does not know the tables of the lake"
INSTEAD = {
    "INSERT": "use lake.table(name).append(data); to overwrite, .delete() first",
    "DELETE": "use lake.table(name).delete(where)",
    "UPDATE": "use lake.table(name).update({column: expression}, where)",
    "MERGE": "use lake.table(name).upsert(data, on=[...])",
    "TRUNCATE": "use lake.table(name).delete()",
    "LOAD": "use lake.table(name).append(data)",
    "COPY": "use lake.table(name).append(data)",
    "CREATE TABLE": "use lake.create_table(name, data_or_schema)",
    "REPLACE TABLE": "use lake.drop_table(name) and lake.create_table(name, data_or_schema)",
    "DROP TABLE": "use lake.drop_table(name)",
    "ALTER TABLE": "make a new table with lake.create_table(name, data_or_schema)",
    "CREATE VIEW": "use CREATE MATERIALIZED VIEW name AS ..., or lake.create_view(name, sql)",
    "DROP VIEW": "use DROP MATERIALIZED VIEW name, or lake.view(name).drop()",
    "ALTER VIEW": "use CREATE OR REPLACE MATERIALIZED VIEW name AS ...",
    "CREATE FUNCTION": "use lake.register_function(name, function)",
    "REFRESH TABLE": "the lake's tables are always read as they are",
    "EXPLAIN": "EXPLAIN takes a query, MATERIALIZED VIEW name, or CREATE MATERIALIZED VIEW ...",
}
# What else begins a statement of Spark's; of any other word it is said that it begins none.
OTHERS = names(
    """
    ADD ALTER ANALYZE BEGIN CACHE CALL CLEAR COMMENT CREATE DECLARE DROP EXECUTE EXPORT GRANT IMPORT LIST LOCK MSCK
    REFRESH REORG REPAIR REPLACE RESET REVOKE SET SYNC UNCACHE UNDROP UNLOCK UNSET USE
    """
)


def as_text(sql: object) -> str:
    """The SQL itself, when it is text."""
    if not isinstance(sql, str):
        raise HeadwaterError("sql.not_text", kind=type(sql).__name__)
    return sql


def opening(sql: str) -> tuple[tuple[str, ...], Position]:
    """The first words, in capitals, and where they begin; comments and opening brackets are passed over."""
    at = 0
    while True:
        found = LEADING.match(sql, at)
        assert found is not None
        at = found.end()
        if sql[at : at + 1] != "(":
            break
        at += 1
    words: list[str] = []
    place = at
    while len(words) < 6 and (word := WORD.match(sql, place)):
        words.append(word[0].upper())
        after = LEADING.match(sql, word.end())
        assert after is not None
        place = after.end()
    before = sql[:at]
    return tuple(words), Position(before.count("\n") + 1, at - (before.rfind("\n") + 1) + 1)


def refuse_what_does_not_read(sql: str) -> None:
    """Named refusals of what the first words tell."""
    words, _ = opening(sql)
    if not words or words[0] in QUERIES or words[0] in TELLING:
        return
    refuse_misspelled(sql)
    raise not_run(_named(words))


def refuse_misspelled(sql: str) -> None:
    """`SELEC x`: parsers speak of what comes after the word that is wrong, or of nothing."""
    words, position = opening(sql)
    if words and not any(words[0] in known for known in (QUERIES, TELLING, OTHERS, INSTEAD)):
        raise HeadwaterError("sql.syntax", why=f"{words[0]!r} begins no statement", position=position)


def _named(words: tuple[str, ...]) -> str:
    """`DROP TABLE` for DROP TEMPORARY TABLE; the first word where no second one matters."""
    object_ = next((word for word in words[1:] if word not in BETWEEN), "")
    return f"{words[0]} {object_}" if f"{words[0]} {object_}" in INSTEAD else words[0]


def not_run(statement: str) -> HeadwaterError:
    return HeadwaterError("sql.not_run", statement=statement, instead=INSTEAD.get(statement, SESSION))
