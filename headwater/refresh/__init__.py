"""When to work and how far: refreshing a view, choosing its strategy, verifying it."""
