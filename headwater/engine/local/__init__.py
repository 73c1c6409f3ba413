"""The local lane: small changes in process, on an embedded DuckDB. The one place that imports duckdb."""
