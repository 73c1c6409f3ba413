"""Tables, versions, changes, commits, catalog and history, on Delta Lake."""
