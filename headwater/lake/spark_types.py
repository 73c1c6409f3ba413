"""Spark's names of types, as users write them, in Arrow; and back.

Idea: a recursive-descent reader of `array<...>`, `struct<a: int, ...>`, `map<k, v>` and `decimal(p, s)`; everything
else is a name.
Invariant: TIMESTAMP is an instant (microseconds, UTC), TIMESTAMP_NTZ has no zone, as in Spark and Delta.
Limits: intervals, variant and user-defined types are refused, since a Delta table cannot hold them here.
"""

from __future__ import annotations

import re

import pyarrow as pa
import pyarrow.types as kinds

from headwater.lake.arrow_types import is_list

NAMES: dict[str, pa.DataType] = {
    "boolean": pa.bool_(),
    "bool": pa.bool_(),
    "tinyint": pa.int8(),
    "byte": pa.int8(),
    "smallint": pa.int16(),
    "short": pa.int16(),
    "int": pa.int32(),
    "integer": pa.int32(),
    "bigint": pa.int64(),
    "long": pa.int64(),
    "float": pa.float32(),
    "real": pa.float32(),
    "double": pa.float64(),
    "string": pa.string(),
    "binary": pa.binary(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us", "UTC"),
    "timestamp_ltz": pa.timestamp("us", "UTC"),
    "timestamp_ntz": pa.timestamp("us"),
}
_SIMPLE = {kind: name for name, kind in reversed(NAMES.items())} | {
    pa.bool_(): "boolean",
    pa.int8(): "tinyint",
    pa.int16(): "smallint",
    pa.int32(): "int",
    pa.int64(): "bigint",
    pa.float32(): "float",
    pa.timestamp("us", "UTC"): "timestamp",
    pa.timestamp("us"): "timestamp_ntz",
    pa.null(): "void",
}
DEFAULT_DECIMAL = (10, 0)
LARGEST_PRECISION = 38
TOKEN = re.compile(r"\s*(`(?:[^`]|``)+`|[\w]+|[<>(),:])")


class TypeReader:
    """Reads one type from text; `ValueError` says where it stopped."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = TOKEN.findall(text)
        if TOKEN.sub("", text).strip():
            raise ValueError(f"{text!r} is not a type")
        self.at = 0

    def read_all(self) -> pa.DataType:
        kind = self.kind()
        if self.at < len(self.tokens):
            raise ValueError(f"{self.tokens[self.at]!r} in {self.text!r} is not expected")
        return kind

    def kind(self) -> pa.DataType:
        name = self.take().lower()
        match name:
            case "array" | "list":
                return pa.list_(pa.field("element", *self.bracketed(1)))
            case "map":
                key, value = self.bracketed(2)
                return pa.map_(key, value)
            case "struct":
                return pa.struct(self.fields())
            case "decimal" | "dec" | "numeric":
                return self.decimal()
            case "varchar" | "char":
                self.numbers()
                return pa.string()
        if name not in NAMES:
            raise ValueError(f"{name!r} is not a type that a table can hold")
        return NAMES[name]

    def bracketed(self, count: int) -> list[pa.DataType]:
        self.expect("<")
        found = [self.kind()]
        for _ in range(count - 1):
            self.expect(",")
            found.append(self.kind())
        self.expect(">")
        return found

    def fields(self) -> list[pa.Field]:
        self.expect("<")
        fields: list[pa.Field] = []
        while self.peek() != ">":
            if fields:
                self.expect(",")
            name = self.take().strip("`").replace("``", "`")
            if self.peek() == ":":
                self.take()
            kind = self.kind()
            fields.append(pa.field(name, kind, nullable=not self.not_null()))
        self.expect(">")
        return fields

    def not_null(self) -> bool:
        if (self.peek() or "").lower() != "not":
            return False
        self.take()
        if self.take().lower() != "null":
            raise ValueError(f"NOT without NULL in {self.text!r}")
        return True

    def decimal(self) -> pa.DataType:
        precision, scale = (*self.numbers(), 0)[:2] if self.peek() == "(" else DEFAULT_DECIMAL
        if not 0 < precision <= LARGEST_PRECISION or not 0 <= scale <= precision:
            raise ValueError(
                f"{self.text!r}: a decimal has 1 to {LARGEST_PRECISION} digits, of which scale ones are a fraction"
            )
        return pa.decimal128(precision, scale)

    def numbers(self) -> list[int]:
        self.expect("(")
        numbers = [int(self.take())]
        while self.peek() == ",":
            self.take()
            numbers.append(int(self.take()))
        self.expect(")")
        return numbers

    def peek(self) -> str | None:
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def take(self) -> str:
        if self.at >= len(self.tokens):
            raise ValueError(f"{self.text!r} ends too early")
        self.at += 1
        return str(self.tokens[self.at - 1])

    def expect(self, token: str) -> None:
        if self.take() != token:
            raise ValueError(f"{token!r} is expected in {self.text!r}")


def read_field(name: str, text: str) -> pa.Field:
    """A column: a type, and NOT NULL where it is so."""
    reader = TypeReader(text)
    kind = reader.kind()
    nullable = not reader.not_null()
    if reader.peek() is not None:
        raise ValueError(f"{reader.peek()!r} in {text!r} is not expected")
    return pa.field(name, kind, nullable)


def spark_type(kind: pa.DataType) -> str:
    """The name that Spark's `simpleString` gives a type."""
    if kind in _SIMPLE:
        return _SIMPLE[kind]
    if kinds.is_decimal(kind):
        return f"decimal({kind.precision},{kind.scale})"
    if kinds.is_map(kind):
        return f"map<{spark_type(kind.key_type)},{spark_type(kind.item_type)}>"
    if kinds.is_struct(kind):
        fields = (kind.field(i) for i in range(kind.num_fields))
        return f"struct<{','.join(f'{field.name}:{spark_type(field.type)}' for field in fields)}>"
    if is_list(kind):
        return f"array<{spark_type(kind.value_type)}>"
    if kinds.is_timestamp(kind):
        return "timestamp" if kind.tz else "timestamp_ntz"
    raise ValueError(f"no Spark type for {kind}")


def type_name(kind: pa.DataType) -> str:
    """The same for people, of a type that Spark has no name for as well."""
    try:
        return spark_type(kind)
    except ValueError:
        return str(kind)
