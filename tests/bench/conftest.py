"""TPC-H data, a thousandth of scale 1, generated once per run."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from headwater.bench import tpch
from headwater.lake.arrow_types import plain_table

SCALE = 0.001


@pytest.fixture(scope="session")
def generated(tmp_path_factory) -> Path:
    """The cache folder, holding the data of `SCALE`."""
    cache = tmp_path_factory.mktemp("tpch")
    tpch.generate(SCALE, cache)
    return cache


@pytest.fixture(scope="session")
def tables(generated) -> dict[str, pa.Table]:
    folder = tpch.generate(SCALE, generated)
    return {name: plain_table(pq.read_table(folder / f"{name}.parquet")) for name in tpch.TABLES}
