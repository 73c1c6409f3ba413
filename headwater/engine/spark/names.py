"""Names that a text may use for DataFrames, for as long as Spark needs to read the text.

Idea: Spark knows a DataFrame by name only as a temporary view of the session. A text is analysed at once, and the
result holds the DataFrames themselves; so the views live while a statement is read and are gone before it runs.
Invariant: a session has afterwards the temporary views that it had before. No statement can write into one of ours, and
none reads an older version of a table through one.
Limits: another thread that uses the same session meanwhile sees the names, too.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from pyspark.sql import DataFrame, SparkSession

_LOCK = threading.RLock()  # of all lakes: several may share a session


@contextmanager
def bound(session: SparkSession, frames: Mapping[str, DataFrame]) -> Iterator[None]:
    """Let the session read these DataFrames by name inside the body."""
    catalog: Any = session._jsparkSession.sessionState().catalog()  # pyspark's own drop would forget cached rows
    with _LOCK:
        hidden: dict[str, Any] = {}
        try:
            for name, frame in frames.items():
                hidden[name] = catalog.getRawTempView(name)
                catalog.dropTempView(name)
                frame.createOrReplaceTempView(name)
            yield
        finally:
            for name, before in hidden.items():
                catalog.dropTempView(name)
                if before.isDefined():
                    catalog.createTempView(name, before.get(), True)
