"""From plans to rows: one compiler, and the lanes that run what it writes."""
