"""Lakes of one process share a local Spark: the last one to close stops it, and a closed lake starts none.

These run in processes of their own, since the run's Spark would be shared, too.
"""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest

pytestmark = pytest.mark.spark


def run(tmp_path, script: str) -> subprocess.CompletedProcess:
    start = f"""
        import headwater as hw
        from pyspark import SparkContext
        W = {str(tmp_path / "warehouse")!r}

        def key_of(action):
            try:
                action()
            except hw.HeadwaterError as error:
                return error.key

        def is_running():
            return SparkContext._active_spark_context is not None
    """
    text = textwrap.dedent(start) + textwrap.dedent(script)
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done


def test_lakes_share_a_spark(tmp_path):
    done = run(
        tmp_path,
        """
        a, b = hw.connect(W), hw.connect(W)
        table = a.create_table("t", [{"x": 1}])
        b.register_function("twice", lambda x: 2 * x, "long")
        assert a.sql("SELECT 1 AS x").collect()[0].x == b.sql("SELECT 1 AS x").collect()[0].x
        b.close()
        b.close()
        assert a.sql("SELECT count(*) AS n FROM t").collect()[0].n == 1
        a.spark.stop()  # by somebody else: a local one is started again
        assert a.sql("SELECT count(*) AS n FROM t").collect()[0].n == 1
        view = a.create_view("v", "SELECT sum(x) AS s FROM t")
        a.close()
        assert not is_running()
        assert key_of(table.df) == key_of(view.df) == key_of(view.arrow) == key_of(lambda: view.cursor)
        assert key_of(view.refresh) == key_of(view.verify) == key_of(lambda: a.spark) == "warehouse.closed"
        assert not is_running()
        with hw.connect(W) as c:
            c.register_function("twice", lambda x: 2 * x, "long")
            c.spark.stop()
            assert c.sql("SELECT twice(x) AS y FROM t").collect()[0].y == 2
        assert not is_running()
        """,
    )
    assert done.stderr == ""


def test_somebody_elses_spark_is_left_as_it_is(tmp_path):
    run(
        tmp_path,
        """
        from headwater.engine.spark.session import local_session
        own = local_session()
        own.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")
        with hw.connect(W) as lake:
            assert lake.sql("SELECT current_timezone() AS z").collect()[0].z == "UTC"
        assert is_running()
        with hw.connect(W, spark=own) as lake:
            lake.create_table("t", [{"x": 1}])
            assert own.conf.get("spark.sql.session.timeZone") == "Asia/Tokyo"
            own.stop()
            assert key_of(lambda: lake.sql("SELECT x FROM t")) == "spark.stopped"
            assert key_of(lambda: lake.create_view("v", "SELECT x FROM t")) == "spark.stopped"
        """,
    )
