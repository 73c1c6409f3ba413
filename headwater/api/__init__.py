"""The public objects: a lake, its tables, its views."""
