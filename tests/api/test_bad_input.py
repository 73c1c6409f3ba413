"""Bad input gets a clear error that names what to do, and changes nothing."""

from __future__ import annotations

import pytest

import headwater as hw


@pytest.fixture
def shop(lake):
    lake.create_table("orders", [{"id": 1, "customer": "ada"}, {"id": 2, "customer": "bob"}])
    return lake


def key_of(action) -> str:
    with pytest.raises(hw.HeadwaterError) as raised:
        action()
    assert str(raised.value)
    return raised.value.key


@pytest.mark.parametrize(
    ("rows", "key"),
    [
        ([{"id": 3}], "data.missing_column"),
        ([{"id": 3, "customer": "x", "more": 1}], "data.extra_column"),
        ([{"id": "three", "customer": "x"}], "data.wrong_type"),
        (object(), "data.unknown_kind"),
    ],
)
def test_append_that_does_not_fit(shop, rows, key):
    table = shop.table("orders")
    before = table.version
    assert key_of(lambda: table.append(rows)) == key
    assert table.version == before


def test_conditions(shop):
    table = shop.table("orders")
    before = table.version
    assert key_of(lambda: table.delete("nope = 1")) == "data.predicate"
    assert key_of(lambda: table.delete("id = = 1")) == "data.predicate"
    assert key_of(lambda: table.update({"nope": "1"})) == "data.predicate"
    assert key_of(lambda: table.upsert([{"id": 1, "customer": "x"}], on=["nope"])) == "data.upsert_key"
    assert table.version == before


def test_names(shop):
    assert key_of(lambda: shop.create_table("orders", {"a": "int"})) == "table.exists"
    assert key_of(lambda: shop.create_table("../x", {"a": "int"})) == "table.name"
    assert key_of(lambda: shop.table("nope")) == "table.unknown"
    assert key_of(lambda: shop.view("orders")) == "view.unknown"


@pytest.mark.parametrize(
    ("sql", "key", "placed"),
    [
        ("SELECT id FROM nope", "table.unknown", True),
        ("SELECT nope FROM orders", "sql.invalid", True),
        ("SELECT id FROM orders WHERE", "sql.syntax", True),
        ("SELECT id FROM v", "view.cycle", True),
        ("DELETE FROM orders", "sql.not_a_query", False),
        ("", "sql.not_a_query", False),
    ],
)
def test_views_that_cannot_be(shop, sql, key, placed):
    with pytest.raises(hw.HeadwaterError) as raised:
        shop.create_view("v", sql)
    assert raised.value.key == key
    assert (raised.value.position is not None) == placed
    assert shop.views() == []


def test_a_cycle_over_another_view(shop):
    shop.create_view("first", "SELECT id FROM orders")
    shop.create_view("second", "SELECT id FROM first")
    assert key_of(lambda: shop.create_view("first", "SELECT id FROM second", replace=True)) == "view.cycle"


def test_policies(shop):
    assert key_of(lambda: shop.create_view("v", "SELECT id FROM orders", policy="often")) == "view.policy"
    assert key_of(lambda: shop.create_view("v", "SELECT id, rand() AS r FROM orders", policy="strict")) == "view.strict"
    view = shop.create_view("v", "SELECT id, rand() AS r FROM orders")
    assert "rand()" in view.explain().reason


def test_versions(shop):
    table = shop.table("orders")
    for version in (-1, 99, "one"):
        assert key_of(lambda version=version: table.arrow(version)) == "version.unknown"
    assert key_of(lambda: table.changes(5)) == "version.unknown"


def test_refresh_arguments(shop):
    view = shop.create_view("v", "SELECT id FROM orders")
    assert key_of(lambda: view.refresh(tables=["nope"])) == "view.not_read"
    assert key_of(lambda: view.refresh(lane="warp")) == "lane.unknown"


def test_tables_in_use_and_columns_gone(shop):
    from deltalake import DeltaTable, write_deltalake

    view = shop.create_view("v", "SELECT customer FROM orders")
    rows = view.arrow()
    assert key_of(lambda: shop.drop_table("orders")) == "table.in_use"
    table = shop.table("orders")
    write_deltalake(table.path, table.arrow().drop_columns(["customer"]), mode="overwrite", schema_mode="overwrite")
    assert DeltaTable(table.path).version() == table.version
    assert key_of(view.refresh) == "view.source_changed"
    assert view.arrow() == rows


def test_unreadable_delta_tables(shop, tmp_path):
    import json

    log = tmp_path / "vectors" / "_delta_log"
    log.mkdir(parents=True)
    protocol = {
        "minReaderVersion": 3,
        "minWriterVersion": 7,
        "readerFeatures": ["deletionVectors"],
        "writerFeatures": ["deletionVectors"],
    }
    schema = {"type": "struct", "fields": [{"name": "a", "type": "long", "nullable": True, "metadata": {}}]}
    metadata = {
        "id": "x",
        "format": {"provider": "parquet", "options": {}},
        "schemaString": json.dumps(schema),
        "partitionColumns": [],
        "configuration": {"delta.enableDeletionVectors": "true"},
        "createdTime": 0,
    }
    lines = [json.dumps({"protocol": protocol}), json.dumps({"metaData": metadata})]
    (log / "00000000000000000000.json").write_text("\n".join(lines))
    assert key_of(lambda: shop.attach("vectors", tmp_path / "vectors")) == "table.feature"
    assert key_of(lambda: shop.attach("nothing", tmp_path / "nothing")) == "table.not_delta"


def test_warehouse_that_is_a_file(tmp_path):
    (tmp_path / "file").write_text("x")
    assert key_of(lambda: hw.connect(tmp_path / "file")) == "warehouse.not_folder"


def test_closed(tmp_path):
    lake = hw.connect(tmp_path / "w")
    lake.close()
    assert key_of(lake.tables) == "warehouse.closed"
