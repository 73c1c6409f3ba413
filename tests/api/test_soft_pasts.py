"""Stored pasts are soft: whatever is wrong with one, it is built again, and the refresh says so."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import headwater as hw

TEXT = """SELECT t.k, d.name, sum(t.x) AS s FROM t JOIN (SELECT k, max(name) AS name FROM d GROUP BY k) d ON d.k = t.k
          GROUP BY t.k, d.name"""


@pytest.fixture
def shop(lake):
    lake.create_table("t", [{"k": k % 3, "x": k} for k in range(9)])
    lake.create_table("d", [{"k": k, "name": f"n{k}"} for k in range(3)])
    lake.create_view("v", TEXT, policy="strict")
    lake.view("v").refresh()
    return lake


def pasts_of(lake) -> Path:
    found = Path(lake.path) / "_headwater" / "pasts" / "v"
    assert list(found.rglob("*.parquet"))
    return found


def fill_with_junk(folder: Path, pattern: str) -> int:
    files = [path for path in folder.rglob(pattern) if path.is_file()]
    for path in files:
        path.write_bytes(b"junk" * 64)
    return len(files)


def change(lake) -> None:
    lake.table("t").append([{"k": 1, "x": 100}])
    lake.table("d").append([{"k": 1, "name": "z"}])


def again(lake, spark):
    """The same warehouse, as another process has it."""
    return hw.connect(lake.path, spark=spark)


@pytest.mark.parametrize("lane", ["auto", "local", "spark"])
def test_damaged_files_of_pasts(shop, spark, lane):
    assert fill_with_junk(pasts_of(shop), "*.parquet")
    change(shop)
    with again(shop, spark) as other:
        report = other.view("v").refresh(lane=lane)
        assert report.strategy == "incremental"
        assert "could not be read" in report.reason and "built again" in report.reason
        assert other.view("v").verify().ok
        change(other)
        assert "built again" not in other.view("v").refresh(lane=lane).reason
        assert other.view("v").verify().ok


@pytest.mark.parametrize("lane", ["auto", "local", "spark"])
@pytest.mark.parametrize("what", ["folder", "files", "log"])
def test_lost_pasts_in_the_same_process(shop, lane, what):
    root = pasts_of(shop)
    if what == "folder":
        shutil.rmtree(root)
    elif what == "files":
        for path in root.rglob("*.parquet"):
            path.unlink()
    else:
        assert fill_with_junk(root, "_delta_log/*.json")
    change(shop)
    report = shop.view("v").refresh(lane=lane)
    assert report.strategy == "incremental"
    assert shop.view("v").verify().ok
    change(shop)
    shop.view("v").refresh(lane=lane)
    assert shop.view("v").verify().ok


def test_a_past_that_is_missing_is_told(shop, spark):
    shutil.rmtree(pasts_of(shop))
    change(shop)
    with again(shop, spark) as other:
        assert "missing or out of date, and built again" in other.view("v").refresh().reason
        assert other.view("v").verify().ok


def test_damaged_sorted_copies(shop, spark, monkeypatch):
    from headwater.engine import lanes
    from headwater.engine.local import lane as local_lane
    from headwater.lake import sorted_copies

    monkeypatch.setattr(sorted_copies, "SMALL_ROWS", 0)
    change(shop)
    with again(shop, spark) as other:
        other.view("v").refresh(lane="local")
        copies = fill_with_junk(pasts_of(shop), "_sorted/*")
        change(other)
    for module in (lanes, local_lane):  # another process has none of them open
        monkeypatch.setattr(module, "COPIES", sorted_copies.SortedCopies())
    with again(shop, spark) as third:
        third.view("v").refresh(lane="local")
        assert third.view("v").verify().ok
    assert copies


def test_a_copy_in_the_process_that_cannot_be_used(shop, monkeypatch):
    """Whatever a reader raises is answered once, by giving up the pasts."""
    from headwater.engine.lanes import ByKey

    calls = []
    whole = ByKey.whole

    def broken(self, folder):
        calls.append(folder)
        if len(calls) == 1:
            raise KeyError("_hw_code")
        return whole(self, folder)

    monkeypatch.setattr(ByKey, "whole", broken)
    change(shop)
    report = shop.view("v").refresh(lane="spark")
    assert calls and "_hw_code" in report.reason
    assert shop.view("v").verify().ok


def test_what_stays_wrong_ends(shop, monkeypatch):
    from headwater.engine.lanes import ByKey

    def broken(self, folder):
        raise KeyError("always")

    monkeypatch.setattr(ByKey, "whole", broken)
    before = shop.view("v").arrow()
    change(shop)
    with pytest.raises(hw.HeadwaterError) as failed:
        shop.view("v").refresh(lane="spark")
    assert failed.value.key == "view.failed"
    assert "always" in str(failed.value)
    assert shop.view("v").arrow() == before
    monkeypatch.undo()
    shop.view("v").refresh()
    assert shop.view("v").verify().ok


def test_pasts_that_cannot_follow_do_not_fail_a_view_that_is_published(shop, monkeypatch):
    from headwater.state.store import PastStore

    def broken(self, *arguments):
        raise OSError("the disk is full")

    monkeypatch.setattr(PastStore, "append", broken)
    change(shop)
    report = shop.view("v").refresh()
    assert "the disk is full" in report.reason
    assert shop.view("v").verify().ok
    monkeypatch.undo()
    change(shop)
    shop.view("v").refresh()
    assert shop.view("v").verify().ok
