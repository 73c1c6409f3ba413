"""Where a command's input comes from: SQL from an argument, a file or standard input; rows from a data file.

Invariant: a file is read whole or refused by name; no value is guessed to be missing unless the user said how missing
values are written (`--null`).
Limit: a data file is read into memory; larger ones are Spark's business (`lake.spark.read`).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from headwater.cli.refusals import Refusal

if TYPE_CHECKING:
    import pyarrow as pa

STDIN = "-"


def statement(text: str | None, file: Path | None) -> str:
    """The SQL of the run; a usage error unless there is exactly one."""
    if (text is None) == (file is None):
        raise typer.BadParameter("give the SQL as an argument, or with --file, or - for standard input")
    found = _read(file) if file is not None else sys.stdin.read() if text == STDIN else text
    assert found is not None
    if not found.strip():
        raise typer.BadParameter("the SQL is empty")
    return found


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Refusal("cli.file", path=file, why=_why(error)) from error


def rows(path: Path, nulls: Sequence[str] = (), schema: pa.Schema | None = None) -> pa.Table:
    """The rows of a data file; `schema` tells what the text of a CSV means."""
    import pyarrow as pa

    kind = next((suffix for suffix in _READERS if _bare(path).endswith(suffix)), None)
    if kind is None:
        raise Refusal("cli.file_kind", path=path, kinds=", ".join(_READERS))
    try:
        return _READERS[kind](path, nulls, schema)
    except (OSError, pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowKeyError) as error:
        raise Refusal("cli.file", path=path, why=_why(error)) from error


def _bare(path: Path) -> str:
    return path.name.lower().removesuffix(".gz").removesuffix(".bz2").removesuffix(".zst")


def _csv(path: Path, nulls: Sequence[str], schema: pa.Schema | None, delimiter: str = ",") -> pa.Table:
    from pyarrow import csv

    convert = csv.ConvertOptions(
        column_types=schema and {field.name: field.type for field in schema},
        null_values=["", *nulls],
        strings_can_be_null=True,
        quoted_strings_can_be_null=False,
    )
    found = csv.read_csv(path, parse_options=csv.ParseOptions(delimiter=delimiter), convert_options=convert)
    return _typed(found)


def _tsv(path: Path, nulls: Sequence[str], schema: pa.Schema | None) -> pa.Table:
    return _csv(path, nulls, schema, delimiter="\t")


def _parquet(path: Path, nulls: Sequence[str], schema: pa.Schema | None) -> pa.Table:
    from pyarrow import parquet

    return parquet.ParquetFile(path).read()


def _json_lines(path: Path, nulls: Sequence[str], schema: pa.Schema | None) -> pa.Table:
    from pyarrow import json

    return _typed(json.read_json(path, parse_options=json.ParseOptions(explicit_schema=schema)))


def _typed(table: pa.Table) -> pa.Table:
    """Text without a single value has no type: such a column is text. Times are to the microsecond, as Spark's are."""
    import pyarrow as pa
    from pyarrow import types

    def fit(kind: pa.DataType) -> pa.DataType:
        if types.is_null(kind):
            return pa.string()
        return pa.timestamp("us", kind.tz) if types.is_timestamp(kind) else kind

    return table.cast(pa.schema([field.with_type(fit(field.type)) for field in table.schema]))


_READERS: dict[str, Callable[[Path, Sequence[str], Any], Any]] = {
    ".csv": _csv,
    ".tsv": _tsv,
    ".parquet": _parquet,
    ".jsonl": _json_lines,
    ".ndjson": _json_lines,
}


def _why(error: Exception) -> str:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return " ".join(reason.split()).rstrip(".") or type(error).__name__
