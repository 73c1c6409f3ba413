"""Values as JSON text: what `--json` prints.

Idea: the types that JSON lacks are written as Spark's `to_json` writes them, so that a consumer meets one convention:
decimals are numbers with all their digits, dates and timestamps ISO 8601, binary base64, NaN and infinities strings.
Invariant: one document per call; keys are stable and never depend on the data.
Limit: Python's encoder has no hook for the text of a number, so decimals pass through it as marked strings.
"""

from __future__ import annotations

import base64
import datetime
import decimal
import json
import math
import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import asdict, is_dataclass
from typing import Any


def to_json(value: Any) -> str:
    mark = secrets.token_hex(8)
    text = json.dumps(_plain(value, mark), indent=2, ensure_ascii=False)
    return re.sub(rf'"{mark}([^"]*)"', r"\1", text)


def _plain(value: Any, mark: str) -> Any:
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if math.isfinite(value) else _not_finite(value)
        case decimal.Decimal():
            return f"{mark}{value:f}" if value.is_finite() else str(value)
        case datetime.datetime() | datetime.date() | datetime.time():
            return value.isoformat()
        case datetime.timedelta():
            return value.total_seconds()
        case bytes() | bytearray() | memoryview():
            return base64.b64encode(value).decode("ascii")
        case Mapping():
            return {str(key): _plain(item, mark) for key, item in value.items()}
        case Sequence() | set() | frozenset():
            return [_plain(item, mark) for item in value]
    if is_dataclass(value) and not isinstance(value, type):
        return _plain(asdict(value), mark)
    return str(value)


def _not_finite(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    return "Infinity" if value > 0 else "-Infinity"
