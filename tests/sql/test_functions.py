"""The lists of functions against Spark's own registry: a new Spark may bring functions that no rule covers."""

from __future__ import annotations

import pytest

from headwater.sql.functions import AGGREGATES, NON_DETERMINISTIC, ROW_MAKERS

# Spark finds these by other means than their class: by how they are used, or by running them.
KNOWN_OTHERWISE = {"grouping", "grouping_id", "window", "window_time", "session_window", "aes_encrypt"}


@pytest.fixture(scope="module")
def classes(spark) -> dict[str, str]:
    """Every function of Spark with its class."""
    found = {}
    for row in spark.sql("SHOW SYSTEM FUNCTIONS").collect():
        text = "\n".join(line[0] for line in spark.sql(f"DESCRIBE FUNCTION EXTENDED `{row[0]}`").collect())
        found[row[0]] = next((line[7:] for line in text.splitlines() if line.startswith("Class:")), "")
    return found


def test_every_aggregate_is_known(classes):
    own = {name for name, kind in classes.items() if ".aggregate." in kind or kind.endswith("Agg")}
    assert own == AGGREGATES - KNOWN_OTHERWISE


def test_every_row_maker_is_known(classes):
    markers = ("Generator", "ExplodeExpressionBuilder", "InlineExpressionBuilder", ".JsonTuple", ".Stack")
    own = {name for name, kind in classes.items() if any(marker in kind for marker in markers)}
    assert own == ROW_MAKERS - KNOWN_OTHERWISE


def test_what_spark_calls_non_deterministic_is_known(spark, classes):
    load = spark._jvm.org.apache.spark.util.Utils.classForName
    marker = load("org.apache.spark.sql.catalyst.expressions.Nondeterministic", True, False)
    own = {name for name, kind in classes.items() if kind and marker.isAssignableFrom(load(kind, True, False))}
    assert own
    assert own <= NON_DETERMINISTIC


def test_what_depends_on_the_present_is_known(classes):
    present = {name for name in classes if name.startswith(("current_", "local")) or name in ("now", "curdate", "user")}
    assert present <= NON_DETERMINISTIC
