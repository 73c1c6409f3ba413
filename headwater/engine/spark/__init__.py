"""The distributed lane: the only place that touches pyspark."""
