"""How each table of the tiny TPC-DS changes: its key, what it points to, and what must stay as it is.

Limits: of the calendar only days come and go, and their names change: a scalar subquery that asks for the month of a
day must find one answer at most, or Spark and DuckDB both fail. An item's manufacturer and id have no such rule.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from tests.streams import Row, Rules, Stream
from tests.tpcds.data import date_row
from tests.tpcds.schema import KEYS, TABLES, schema_of

FACTS = {
    "store_sales": "ss_ticket_number",
    "catalog_sales": "cs_order_number",
    "web_sales": "ws_order_number",
}
RETURNS: dict[str, tuple[str, Mapping[str, str]]] = {
    "store_returns": ("store_sales", {"sr_item_sk": "ss_item_sk", "sr_ticket_number": "ss_ticket_number"}),
    "catalog_returns": ("catalog_sales", {"cr_item_sk": "cs_item_sk", "cr_order_number": "cs_order_number"}),
    "web_returns": ("web_sales", {"wr_item_sk": "ws_item_sk", "wr_order_number": "ws_order_number"}),
}
POINTERS = {
    "_date_sk": "date_dim",
    "_time_sk": "time_dim",
    "_item_sk": "item",
    "_customer_sk": "customer",
    "_addr_sk": "customer_address",
    "_cdemo_sk": "customer_demographics",
    "_hdemo_sk": "household_demographics",
    "_income_band_sk": "income_band",
    "_store_sk": "store",
    "_call_center_sk": "call_center",
    "_catalog_page_sk": "catalog_page",
    "_web_site_sk": "web_site",
    "_web_page_sk": "web_page",
    "_warehouse_sk": "warehouse",
    "_promo_sk": "promotion",
    "_reason_sk": "reason",
    "_ship_mode_sk": "ship_mode",
}
RENAMED = ("d_day_name", "d_holiday", "d_weekend")  # what of a day may change


def stream(lake: Any, seed: int = 0) -> Stream:
    return Stream(lake, {table: rules_of(table) for table in TABLES}, seed)


def rules_of(table: str) -> Rules:
    key = KEYS[table]
    if table == "date_dim":
        names = schema_of(table).names
        return Rules(key, fixed=frozenset(names) - set(RENAMED), make=_next_day, rows=2)
    counter = FACTS.get(table) or (key[0] if len(key) == 1 else None)
    big = table in FACTS or table in RETURNS or table == "inventory"
    return Rules(
        key,
        counter=counter,
        parent=RETURNS.get(table),
        fixed=frozenset(key),
        references=_references(table),
        rows=4 if big else 1,
        returned=0.4 if big else 0.8,
    )


def _references(table: str) -> dict[str, tuple[str, str]]:
    return {
        column: (target, KEYS[target][0])
        for column in schema_of(table).names
        for ending, target in POINTERS.items()
        if column.endswith(ending) and column not in KEYS[table]
    }


def _next_day(rows: list[Row]) -> Row:
    """The calendar goes on."""
    return date_row(max(row["d_date"] for row in rows) + timedelta(1))
