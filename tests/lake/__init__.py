"""Tests of `headwater.lake`; none needs Spark."""
