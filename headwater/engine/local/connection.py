"""DuckDB as the lane wants it: settings under which arithmetic means what it means in Spark."""

from __future__ import annotations

import duckdb

SETTINGS = {
    "ieee_floating_point_ops": "false",  # a division of doubles by zero is an error, as in Spark's ANSI mode
    "TimeZone": "'UTC'",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "preserve_insertion_order": "false",
}


def connect(database: str = ":memory:") -> duckdb.DuckDBPyConnection:
    """An embedded DuckDB of our own, in memory or in a file."""
    connection = duckdb.connect(database)
    for name, value in SETTINGS.items():
        connection.execute(f"SET {name} = {value}")
    return connection
