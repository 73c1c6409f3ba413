"""What every test can use: one Spark for the whole run, a lake in a fresh folder, the same randomness each time.

A test that asks for `spark` or `lake` is marked `spark` by itself, and such tests run after those that need no Spark.
Hypothesis draws the same examples every time (profile `ci`); `pytest --hypothesis-profile=dev` draws new ones.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import settings

settings.register_profile("ci", derandomize=True, deadline=None, database=None, print_blob=True)
settings.register_profile("dev", deadline=None, print_blob=True)
settings.load_profile("ci")

SEED = 20_240_229
SPARK_FIXTURES = {"spark", "lake"}
RUN_ORDER = ("spark", "cluster", "slow")  # later marks run later; a test without any runs first


def pytest_addoption(parser):
    parser.addoption("--update-goldens", action="store_true", help="write the golden files anew instead of comparing")


@pytest.fixture
def update_goldens(request) -> bool:
    return request.config.getoption("--update-goldens")


def pytest_itemcollected(item):
    """Mark before -m selects."""
    if SPARK_FIXTURES & set(getattr(item, "fixturenames", ())):
        item.add_marker(pytest.mark.spark)


def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: [item.get_closest_marker(mark) is not None for mark in reversed(RUN_ORDER)])


@pytest.fixture(autouse=True)
def _same_randomness():
    random.seed(SEED)
    np.random.seed(SEED)


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(SEED)


@pytest.fixture(scope="session")
def spark() -> Iterator:
    """The one local Spark of the run, started by the first test that asks for it."""
    from headwater.engine.spark.session import local_session

    session = local_session()
    yield session
    session.stop()


@pytest.fixture
def lake(tmp_path, spark):
    """An empty lake on the run's Spark, which closing it leaves running."""
    import headwater as hw

    with hw.connect(str(tmp_path / "warehouse"), spark=spark) as lake:
        yield lake
