"""Benchmarks: Headwater's refreshes beside Spark's own full recompute, and what a refresh costs at the least."""
