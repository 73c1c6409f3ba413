"""A process killed at any point of a refresh leaves the old cursor or the new one, and a view that goes on."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest

import headwater as hw

CHILD = textwrap.dedent(
    """
    import os, signal, sys
    import headwater as hw
    from headwater.lake import commits
    from headwater.lake.delta_table import DeltaFolder
    from headwater.state.store import PastStore

    path, target, when, nth, lane = sys.argv[1:6]
    owner = {"commit": DeltaFolder, "append": PastStore, "write": DeltaFolder}[target]
    original, calls = getattr(owner, target), [0]

    def killing(*args, **kwargs):
        calls[0] += 1
        if calls[0] == int(nth) and when == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        result = original(*args, **kwargs)
        if calls[0] == int(nth):
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    lake = hw.connect(path)
    view = lake.view("totals")
    setattr(owner, target, killing)
    view.refresh(lane=lane)
    print("finished")
    """
)
POINTS = [
    ("write", "after", 1),
    ("commit", "before", 1),
    ("commit", "after", 1),
    ("append", "before", 1),
    ("append", "after", 1),
]


@pytest.mark.slow
@pytest.mark.parametrize("lane", ["spark", "local"])
@pytest.mark.parametrize(("target", "when", "nth"), POINTS)
def test_killed_refresh(lake, spark, target, when, nth, lane):
    lake.create_table("orders", [{"id": i, "customer": i % 3, "amount": i} for i in range(30)])
    lake.create_table("customers", [{"cid": i, "name": f"n{i}"} for i in range(3)])
    sql = "SELECT name, sum(amount) AS total FROM orders JOIN customers ON customer = cid AND amount > 3 GROUP BY name"
    view = lake.create_view("totals", sql, policy="strict")
    before = view.cursor
    lake.table("orders").append([{"id": 100, "customer": 1, "amount": 1000}])
    lake.table("orders").delete("id < 5")
    command = [sys.executable, "-c", CHILD, lake.path, target, when, str(nth), lane]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240)
    assert done.returncode == -9, done.stderr[-2000:]
    with hw.connect(lake.path, spark=spark) as again:
        survivor = again.view("totals")
        assert survivor.cursor in (before, {name: again.table(name).version for name in before})
        assert survivor.verify().ok
        again.table("customers").delete("cid = 2")
        survivor.refresh()
        assert survivor.verify().ok
        assert survivor.cursor["customers"] == again.table("customers").version
