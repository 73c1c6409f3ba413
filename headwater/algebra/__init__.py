"""Plans as values: nodes, schemas, unique keys, and the rewrites that keep a plan's meaning."""
