"""The state of a Delta table at one version, as a value; and the refusal of tables that would be misread.

Idea: delta-rs replays the log (checkpoints included); what it knows is copied once per version into plain values.
Invariant: a snapshot never changes, so it may be shared and kept.
Complexity: the number of live files.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

import pyarrow as pa
from deltalake import DeltaTable

from headwater.errors import HeadwaterError
from headwater.lake import partitions
from headwater.lake.arrow_types import plain_schema
from headwater.lake.data_files import DataFile

UNDERSTOOD_READER_FEATURES = frozenset({"timestampNtz", "v2Checkpoint", "vacuumProtocolCheck"})
FEATURE_REFUSED = re.compile(r"Feature '(\w+)' is not supported")
PLAIN = frozenset({"path", "size_bytes", "num_records", "partition"})
STATS = {"minValues": "min", "maxValues": "max", "nullCount": "null_count"}
RULES_ON_WRITE = frozenset({"checkConstraints", "generatedColumns", "identityColumns", "invariants"})
CONSTRAINT = "delta.constraints."
INVARIANT = "delta.invariants"
COMPUTED = ("delta.generationExpression", "delta.identity")


@dataclass(frozen=True)
class Snapshot:
    version: int
    schema: pa.Schema
    partition_by: tuple[str, ...]
    files: tuple[DataFile, ...]


def take_snapshot(table: DeltaTable) -> Snapshot:
    return Snapshot(
        version=table.version(),
        schema=plain_schema(pa.schema(table.schema().to_arrow())),
        partition_by=tuple(table.metadata().partition_columns),
        files=tuple(_data_files(table)),
    )


def _data_files(table: DeltaTable) -> Iterator[DataFile]:
    actions = pa.table(table.get_add_actions(flatten=False))
    stats = {theirs: _bounds(actions, ours) for theirs, ours in STATS.items()}
    for at, row in enumerate(actions.select([name for name in actions.column_names if name in PLAIN]).to_pylist()):
        yield DataFile(
            path=unquote(row["path"]),
            size=row["size_bytes"],
            rows=row.get("num_records"),
            partition={name: partitions.text(value) for name, value in (row.get("partition") or {}).items()},
            stats={name: known[at] for name, known in stats.items()},
            spelled=row["path"],
        )


def _bounds(actions: pa.Table, column: str) -> list[dict[str, Any]]:
    """Per file the statistics that are known; a bound that Python cannot hold (the year 12000) counts as not known."""
    if column not in actions.column_names:
        return [{} for _ in range(actions.num_rows)]
    known: list[dict[str, Any]] = [{} for _ in range(actions.num_rows)]
    structs = actions.column(column).combine_chunks()
    for name, values in zip(structs.type.names, structs.flatten(), strict=True):
        for at, value in enumerate(_as_python(values)):
            if value is not None:
                known[at][name] = value
    return known


def _as_python(values: pa.Array) -> list[Any]:
    try:
        return list(values.to_pylist())
    except (OverflowError, ValueError):
        return [None] * len(values)


def refuse_unreadable(path: str, table: DeltaTable) -> None:
    """Raise `table.feature` for anything that changes the meaning of the files and is not understood here."""
    features = set(table.protocol().reader_features or ())
    configuration = table.metadata().configuration
    if configuration.get("delta.enableDeletionVectors", "false").lower() == "true":
        features.add("deletionVectors")
    if configuration.get("delta.columnMapping.mode", "none").lower() != "none":
        features.add("columnMapping")
    else:
        features.discard("columnMapping")
    for feature in sorted(features - UNDERSTOOD_READER_FEATURES):
        raise HeadwaterError("table.feature", path=path, feature=feature)


def unreadable(path: str, error: Exception) -> Exception:
    """What delta-rs says of a log that it cannot read; `table.feature` where it is for a feature."""
    named = FEATURE_REFUSED.search(str(error))
    if named:
        return HeadwaterError("table.feature", path=path, feature=named.group(1))
    why = (str(error).strip().splitlines() or [type(error).__name__])[0].removeprefix("Kernel error: ").rstrip(".")
    return HeadwaterError("table.unreadable", path=path, why=why)


def has_write_rules(table: DeltaTable) -> bool:
    """True when rows must pass checks that only delta-rs's own writer makes (constraints, generated columns)."""
    features = set(table.protocol().writer_features or ())
    return bool(rules_of(table)) or computed_column(table) is not None or bool(features & RULES_ON_WRITE)


def rules_of(table: DeltaTable) -> dict[str, str]:
    """What must be true of every row: the name of each rule, and its SQL."""
    found = {
        key.removeprefix(CONSTRAINT): text
        for key, text in table.metadata().configuration.items()
        if key.startswith(CONSTRAINT)
    }
    for item in table.schema().fields:
        if INVARIANT in item.metadata:
            found[item.name] = json.loads(item.metadata[INVARIANT])["expression"]["expression"]
    return found


def computed_column(table: DeltaTable) -> str | None:
    """A column that its own engine computes, if there is one."""
    for item in table.schema().fields:
        if any(key.startswith(COMPUTED) for key in item.metadata):
            return f"the computed column {item.name!r}"
    return None
