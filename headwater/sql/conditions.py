"""Conditions and values of DELETE and UPDATE: written as Spark SQL, run by delta-rs, which reads another dialect.

Idea: sqlglot reads Spark's dialect and writes PostgreSQL's, the nearest to delta-rs's; names lose their case
sensitivity here.
"""

from __future__ import annotations

from collections.abc import Iterable

import sqlglot
from sqlglot import exp
from sqlglot.errors import ParseError, TokenError

from headwater.errors import HeadwaterError
from headwater.sql.dialect import ViewSql

# Beyond this many characters a condition is a list of keys, which needs no translation and would take seconds to parse.
TRANSLATED = 20_000


def for_delta(text: str, table: str, columns: Iterable[str]) -> str:
    """The expression as delta-rs reads it; a column that the table lacks is refused."""
    if len(text) > TRANSLATED:
        return text
    try:
        parsed = sqlglot.parse_one(text, read=ViewSql)
    except (ParseError, TokenError) as error:
        why = str(error).strip().splitlines()[0].rstrip(".")
        raise HeadwaterError("data.predicate", predicate=text, table=table, why=why) from None
    known = {name.lower(): name for name in columns}
    for column in parsed.find_all(exp.Column):
        if column.name.lower() not in known:
            why = f"there is no column {column.name!r}, the table has {', '.join(known.values())}"
            raise HeadwaterError("data.predicate", predicate=text, table=table, why=why)
        column.set("this", exp.to_identifier(known[column.name.lower()], quoted=True))
    return parsed.sql(dialect="postgres")
