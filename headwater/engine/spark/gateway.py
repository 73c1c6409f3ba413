"""Starts the JVM of a local Spark without what it says of itself.

Idea: Spark's launcher asks for an incubating module, and the JVM answers with a warning on stderr that nothing turns
off. So its stderr passes through a thread that leaves that line out; all else is passed on as it is.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping

from pyspark import SparkConf, SparkContext
from pyspark.java_gateway import launch_gateway

CHATTER = (b"WARNING: Using incubator modules",)
STDERR = 2


def start(settings: Mapping[str, str]) -> None:
    """Start the JVM, unless this process has one already."""
    if SparkContext._gateway is not None:
        return
    from_jvm, to_us = os.pipe()
    threading.Thread(target=_pass_on, args=(from_jvm,), daemon=True, name="headwater-stderr").start()
    try:
        conf = SparkConf(loadDefaults=False).setAll(list(settings.items()))
        gateway = launch_gateway(conf, {"stderr": to_us})
    finally:
        os.close(to_us)
    SparkContext._ensure_initialized(gateway=gateway)


def _pass_on(source: int) -> None:
    with os.fdopen(source, "rb") as lines:
        for line in lines:
            if not line.startswith(CHATTER):
                try:
                    os.write(STDERR, line)
                except OSError:  # our own stderr is closed: the JVM must not wait for us
                    continue
