"""Conditions and values of DELETE and UPDATE: one Spark expression each, over the columns of one table.

Idea: read by the parser of views, so a text means what it means there. What is more than one expression, or has no
value for a single row, is refused here with its place in the text.
Invariant: an expression that comes out of here names columns of the table only, each in the table's own spelling.
"""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

from headwater.errors import HeadwaterError, Position
from headwater.sql.functions import AGGREGATES, ROW_MAKERS
from headwater.sql.parse import function_name, parse_expression, position_of

LONGEST_SHOWN = 200  # characters of a text that an error repeats


def row_expression(text: str, table: str, columns: Iterable[str]) -> exp.Expr:
    """The expression that a text is, with its columns quoted; `data.predicate` for everything else."""
    known = {name.lower(): name for name in columns}
    try:
        found = parse_expression(text)
        for part in list(found.walk()):
            _refuse(part, text, table)
        return found.transform(lambda part: _named(part, text, table, known), copy=False)
    except RecursionError:
        raise refused(text, table, "it is nested too deeply") from None
    except HeadwaterError as error:
        if error.key == "data.predicate":
            raise
        raise refused(text, table, str(error.params.get("why", error.params.get("what"))), error.position) from None


def columns_named(expression: exp.Expr) -> list[str]:
    """The table's columns that it reads."""
    return list(dict.fromkeys(part.name for part in expression.find_all(exp.Column)))


def refused(text: str, table: str, why: str, position: Position | None = None) -> HeadwaterError:
    return HeadwaterError("data.predicate", position=position, predicate=shortened(text), table=table, why=why)


def shortened(text: str) -> str:
    return text if len(text) <= LONGEST_SHOWN else text[:LONGEST_SHOWN] + "..."


def _refuse(part: exp.Expr, text: str, table: str) -> None:
    """Raise for what has no value for a single row."""
    what = None
    if isinstance(part, (exp.Query, exp.Subquery)):
        what = "a subquery"
    elif isinstance(part, exp.Window):
        what = "a window function"
    elif isinstance(part, exp.Star):
        what = "a star"
    elif isinstance(part, exp.Func) and function_name(part) in AGGREGATES:
        what = f"the aggregate function {function_name(part)}()"
    elif isinstance(part, exp.Func) and function_name(part) in ROW_MAKERS:
        what = f"{function_name(part)}(), which makes rows,"
    if what is not None:
        raise refused(text, table, f"{what} cannot stand in it", position_of(part))


def _named(part: exp.Expr, text: str, table: str, known: dict[str, str]) -> exp.Expr:
    """A column in the table's spelling; one of its fields as what it is; the table's own name before it dropped."""
    if not isinstance(part, exp.Column):
        return part
    names = [each.name for each in part.parts]
    if len(names) > 1 and names[0].lower() == table.lower():
        names = names[1:]
    if names[0].lower() not in known:
        why = f"there is no column {names[0]!r}, the table has {', '.join(known.values())}"
        raise refused(text, table, why, position_of(part))
    made: exp.Expr = exp.Column(this=exp.to_identifier(known[names[0].lower()], quoted=True))
    for name in names[1:]:
        made = exp.Dot(this=made, expression=exp.to_identifier(name, quoted=True))
    return made
