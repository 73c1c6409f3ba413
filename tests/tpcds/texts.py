"""The texts of the queries, one file each: the benchmark's questions in words of our own, for this tiny database.

Parameters are those that find rows here. Where the benchmark divides, a denominator of zero gives NULL, since Spark
would raise an error that other engines do not; what it rounds to two places is rounded to five, since engines round
halves of doubles differently; constants replace quotients of literals (2.0 / 3.0), which Spark rounds to six places.
Q14, 23, 24 and 39 are the first of their two variants; Q38 meets by month instead of by day.
"""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).with_name("queries")
QUERIES = tuple(sorted(path.stem for path in FOLDER.glob("q*.sql")))


def query_text(query: str) -> str:
    return (FOLDER / f"{query}.sql").read_text(encoding="utf-8")
