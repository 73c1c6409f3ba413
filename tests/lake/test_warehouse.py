"""Folders, names, format, catalog and history."""

from __future__ import annotations

import datetime
import json
import os

import pytest

from headwater.errors import HeadwaterError
from headwater.lake.catalog import FILES_KEPT, Catalog, Entry
from headwater.lake.folding import FANOUT
from headwater.lake.history import SCHEMA, History
from headwater.lake.warehouse import FORMAT_VERSION, Warehouse, check_name


@pytest.mark.parametrize("name", ["orders", "_tmp", "Orders_2024", "a" * 128])
def test_usable_names(name: str) -> None:
    assert check_name(name) == name


@pytest.mark.parametrize(
    "name",
    [
        "",
        "..",
        ".",
        "a/b",
        "a\\b",
        "a.b",
        "it's",
        'a"b',
        "`a`",
        "a b",
        "1a",
        "a" * 129,
        "_headwater",
        "_Headwater_x",
        "a\n",
        "a\x00",
        "ä",
        "a;b",
        None,
        3,
    ],
)
def test_unusable_names(name: object) -> None:
    with pytest.raises(HeadwaterError) as error:
        check_name(name)  # type: ignore[arg-type]
    assert error.value.key == "table.name"


def test_the_layout_stays_inside_the_warehouse(tmp_path) -> None:
    warehouse = Warehouse(tmp_path / "w")
    paths = [
        warehouse.table_path("t"),
        warehouse.attached_path("t"),
        warehouse.past_path("v", 3),
        warehouse.catalog,
        warehouse.history,
    ]
    assert len(set(paths)) == 5
    assert all(path.startswith(str(tmp_path / "w") + os.sep) for path in paths)
    with pytest.raises(HeadwaterError):
        warehouse.table_path("../t")


def test_a_file_is_no_warehouse(tmp_path) -> None:
    (tmp_path / "w").write_text("")
    with pytest.raises(HeadwaterError) as error:
        Warehouse(tmp_path / "w")
    assert error.value.key == "warehouse.not_folder"


def test_a_newer_format_is_refused(tmp_path) -> None:
    Warehouse(tmp_path)
    Warehouse(tmp_path)
    (tmp_path / "_headwater" / "format.json").write_text(json.dumps({"format": FORMAT_VERSION + 1}))
    with pytest.raises(HeadwaterError) as error:
        Warehouse(tmp_path)
    assert error.value.key == "warehouse.format"


@pytest.fixture
def catalog(tmp_path) -> Catalog:
    return Catalog(Warehouse(tmp_path).catalog)


def test_entries_come_and_go(catalog: Catalog, tmp_path) -> None:
    view = Entry("view", "revenue", "id1", {"sql": "SELECT 1", "reads": ["orders"]})
    catalog.put(view)
    catalog.put(Entry("table", "orders", "id2"))
    assert catalog.get("REVENUE") == view
    assert [entry.name for entry in catalog.entries()] == ["orders", "revenue"]
    assert [entry.name for entry in catalog.entries("view")] == ["revenue"]
    assert Catalog(Warehouse(tmp_path).catalog).get("revenue").definition == {"sql": "SELECT 1", "reads": ["orders"]}
    assert catalog.drop("revenue") == view
    assert catalog.find("revenue") is None
    with pytest.raises(HeadwaterError, match="known here: orders") as error:
        catalog.get("revenue")
    assert error.value.key == "table.unknown"
    with pytest.raises(HeadwaterError):
        catalog.drop("revenue")


def test_a_name_is_taken_whatever_its_case(catalog: Catalog) -> None:
    catalog.put(Entry("table", "Orders", "1"))
    with pytest.raises(HeadwaterError) as error:
        catalog.put(Entry("view", "orders", "2"))
    assert error.value.key == "table.exists"
    catalog.put(Entry("table", "Orders", "1", {"new": 1}), replace=True)
    assert catalog.get("orders").definition == {"new": 1}
    catalog.drop("ORDERS")
    catalog.put(Entry("view", "orders", "2"))


def test_an_entry_succeeds_the_one_that_it_was_made_for(catalog: Catalog) -> None:
    catalog.put(Entry("view", "Totals", "1"))
    catalog.succeed(Entry("view", "totals", "2", {"new": 1}), "1")
    catalog.succeed(Entry("view", "totals", "3"), "1")
    assert (catalog.get("totals").id, catalog.get("totals").definition) == ("2", {"new": 1})
    catalog.drop("totals")
    catalog.succeed(Entry("view", "totals", "4"), "2")
    assert catalog.entries() == ()


def test_bad_names_do_not_enter(catalog: Catalog) -> None:
    with pytest.raises(HeadwaterError):
        catalog.put(Entry("table", "a/b", "1"))
    assert catalog.entries() == ()


def test_the_catalog_stays_small(catalog: Catalog, tmp_path) -> None:
    for n in range(50):
        catalog.put(Entry("table", f"t{n % 5}", str(n)), replace=True)
    catalog.drop("t4")
    assert [entry.id for entry in catalog.entries()] == ["45", "46", "47", "48"]
    again = Catalog(Warehouse(tmp_path).catalog)
    assert again.entries() == catalog.entries()
    assert len(again._folder.files()) <= FILES_KEPT


def test_history_keeps_rows_newest_first(tmp_path) -> None:
    path = Warehouse(tmp_path).history
    history = History(path)
    start = datetime.datetime(2024, 1, 1, tzinfo=datetime.UTC)
    for n in range(20):
        history.append(
            {"view": f"v{n % 2}", "sequence": n, "started_at": start + datetime.timedelta(n), "phases": {"read": 0.5}}
        )
    rows = History(path).read("v1", limit=3)
    assert rows.schema == SCHEMA
    assert rows.column("sequence").to_pylist() == [19, 17, 15]
    assert json.loads(rows.column("phases")[0].as_py()) == {"read": 0.5}
    assert History(path).read().num_rows == 20
    assert len(history._folder.files()) < FANOUT
    with pytest.raises(KeyError, match="colour"):
        history.append({"colour": 1})
