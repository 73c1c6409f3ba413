"""A tiny database in the shape of TPC-DS: the benchmark's tables, keys and habits, none of its data.

Idea: one seeded pass makes the dimensions, then baskets of sales in three channels, then the returns of some of them,
and catalogue purchases of what the same customer returned, which several queries follow. Few items and customers,
drawn with skew, so that joins of three facts still meet; about one foreign key in thirty is NULL.
Invariant: the same seed gives the same tables; keys are unique; a return belongs to a sale; the dates are those of
1999 to 2001, the ends included.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import pyarrow as pa

from tests.tpcds.schema import TABLES, schema_of

Row = dict[str, Any]

SEED = 19_980_102
FIRST_DAY, LAST_DAY = date(1999, 1, 1), date(2001, 12, 31)
JULIAN = 2_415_021  # the key of 1900-01-01; keys of dates count days
EPOCH = date(1900, 1, 1)  # a Monday
NULLS = 0.03  # share of NULLs among foreign keys
ITEMS, CUSTOMERS, ADDRESSES, DEMOGRAPHICS, HOUSEHOLDS = 60, 120, 70, 48, 40
STORES, SITES, PAGES, CENTERS, CATALOG_PAGES, WAREHOUSES, PROMOTIONS = 6, 4, 10, 4, 12, 4, 10
TICKETS, ORDERS, WEB_ORDERS = 420, 240, 220
RETURNED = 0.22  # share of sales that come back
BOUGHT_AGAIN = 0.5  # share of store returns that lead to a purchase by catalogue

CATEGORIES = ("Books", "Children", "Electronics", "Home", "Jewelry", "Men", "Music", "Shoes", "Sports", "Women")
CLASSES = ("accent", "classical", "fiction", "pants")
COLORS = ("blue", "orchid", "pale", "pink", "red", "snow")
UNITS = ("Box", "Each", "Oz", "Pound")
SIZES = ("extra large", "large", "medium", "petite", "small")
FIRST_NAMES = ("Ann", "Bo", "Carla", "Dmitri", "Élodie", "Fay", "Gus", "Hana")
LAST_NAMES = ("Brown", "Ito", "Jones", "Lopez", "Müller", "Smith")
COUNTRIES = ("CANADA", "JAPAN", "TOGO", "UNITED STATES")
STATES = {"CA": -8, "GA": -5, "IN": -5, "TN": -5, "TX": -6}
CITIES = ("Fairview", "Midway", "Oak Grove", "Union")
COUNTIES = ("Orange County", "Walker County", "Williamson County", "Ziebach County")
ZIPS = ("24128", "35709", "60069", "76232", "85669", "88274")
EDUCATION = ("2 yr Degree", "4 yr Degree", "Advanced Degree", "College", "Secondary", "Unknown")
CREDIT = ("Good", "High Risk", "Low Risk")
POTENTIAL = (">10000", "0-500", "1001-5000", "5001-10000", "501-1000", "Unknown")
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MEALS = {7: "breakfast", 8: "breakfast", 12: "lunch", 13: "lunch", 19: "dinner", 20: "dinner"}


def generate(seed: int = SEED) -> dict[str, pa.Table]:
    """All tables."""
    made = _Maker(random.Random(seed)).tables()
    return {name: pa.Table.from_pylist(made[name], schema_of(name)) for name in TABLES}


def date_row(day: date) -> Row:
    """The row of date_dim for a day."""
    days = (day - EPOCH).days
    quarter = (day.month - 1) // 3 + 1
    return {
        "d_date_sk": JULIAN + days,
        "d_date_id": f"DATE{JULIAN + days}",
        "d_date": day,
        "d_month_seq": (day.year - 1900) * 12 + day.month - 1,
        "d_week_seq": days // 7 + 1,
        "d_quarter_seq": (day.year - 1900) * 4 + quarter,
        "d_year": day.year,
        "d_dow": (days + 1) % 7,
        "d_moy": day.month,
        "d_dom": day.day,
        "d_qoy": quarter,
        "d_day_name": DAYS[days % 7],
        "d_quarter_name": f"{day.year}Q{quarter}",
        "d_holiday": "Y" if (day.month, day.day) in ((1, 1), (12, 25)) else "N",
        "d_weekend": "Y" if days % 7 >= 5 else "N",
    }


class _Maker:
    def __init__(self, rng: random.Random) -> None:
        self._rng = rng

    def tables(self) -> dict[str, list[Row]]:
        made = self._dimensions()
        store = [row for ticket in range(1, TICKETS + 1) for row in self._basket(ticket)]
        returns = [self._store_return(row) for row in store if self._chance(RETURNED)]
        catalog = [row for order in range(1, ORDERS + 1) for row in self._catalog_order(order)]
        catalog += self._bought_again(returns)
        web = [row for order in range(1, WEB_ORDERS + 1) for row in self._web_order(order)]
        return made | {
            "store_sales": store,
            "store_returns": returns,
            "catalog_sales": catalog,
            "catalog_returns": [self._catalog_return(row) for row in catalog if self._chance(RETURNED)],
            "web_sales": web,
            "web_returns": [self._web_return(row) for row in web if self._chance(RETURNED)],
            "inventory": self._inventory(),
        }

    # -- draws

    def _chance(self, share: float) -> bool:
        return self._rng.random() < share

    def _key(self, count: int, nulls: float = NULLS) -> int | None:
        """A foreign key: low ones are drawn more often."""
        return None if self._chance(nulls) else 1 + min(count - 1, int(count * self._rng.random() ** 1.6))

    def _day(self, low: date = FIRST_DAY, high: date = LAST_DAY) -> int:
        """The key of a day; every third sale falls into the last two months of a year, as presents do."""
        day = low + timedelta(self._rng.randint(0, (high - low).days))
        if low == FIRST_DAY and self._chance(0.33):
            day = day.replace(month=self._rng.choice((11, 12)), day=min(day.day, 30))
        return JULIAN + (day - EPOCH).days

    def _later(self, day: int | None, low: int, high: int) -> int | None:
        """A day some time after another, within the years that date_dim has."""
        if day is None or self._chance(NULLS):
            return None
        return min(day + self._rng.randint(low, high), JULIAN + (LAST_DAY - EPOCH).days)

    def _pick(self, values: Sequence[Any], nulls: float = 0.0) -> Any:
        return None if nulls and self._chance(nulls) else self._rng.choice(values)

    def _money(self, low: float, high: float) -> Decimal:
        return _cents(self._rng.randint(round(low * 100), round(high * 100)))

    # -- dimensions

    def _dimensions(self) -> dict[str, list[Row]]:
        days = range((LAST_DAY - FIRST_DAY).days + 1)
        return {
            "date_dim": [date_row(FIRST_DAY + timedelta(day)) for day in days],
            "time_dim": [self._time(seconds) for seconds in range(0, 86_400, 900)],
            "item": [self._item(key) for key in range(1, ITEMS + 1)],
            "customer": [self._customer(key) for key in range(1, CUSTOMERS + 1)],
            "customer_address": [
                {
                    "ca_address_sk": key,
                    **self._place("ca"),
                    "ca_location_type": self._pick(("apartment", "condo"), 0.05),
                }
                for key in range(1, ADDRESSES + 1)
            ],
            "customer_demographics": [self._demographics(key) for key in range(1, DEMOGRAPHICS + 1)],
            "household_demographics": [self._household(key) for key in range(1, HOUSEHOLDS + 1)],
            "income_band": [
                {"ib_income_band_sk": key, "ib_lower_bound": (key - 1) * 10_000 + 1, "ib_upper_bound": key * 10_000}
                for key in range(1, 11)
            ],
            "store": [self._store(key) for key in range(1, STORES + 1)],
            "call_center": [
                {
                    "cc_call_center_sk": key,
                    "cc_call_center_id": f"CC{key:04}",
                    "cc_name": ("NY Metro", "Mid Atlantic", "North Midwest")[key % 3],
                    "cc_manager": f"Manager {key}",
                    "cc_county": COUNTIES[key % len(COUNTIES)],
                }
                for key in range(1, CENTERS + 1)
            ],
            "catalog_page": [
                {"cp_catalog_page_sk": key, "cp_catalog_page_id": f"CP{key // 2:04}"}
                for key in range(1, CATALOG_PAGES + 1)
            ],
            "web_site": [
                {
                    "web_site_sk": key,
                    "web_site_id": f"SITE{key // 2:04}",
                    "web_name": f"site_{key // 2}",
                    "web_company_name": ("pri", "able", "ought")[key % 3],
                }
                for key in range(1, SITES + 1)
            ],
            "web_page": [
                {"wp_web_page_sk": key, "wp_char_count": self._rng.randint(4_500, 5_500)} for key in range(1, PAGES + 1)
            ],
            "warehouse": [
                {
                    "w_warehouse_sk": key,
                    "w_warehouse_name": f"Warehouse number {key}" if key < WAREHOUSES else None,
                    "w_warehouse_sq_ft": 100_000 * key,
                    "w_city": CITIES[key % 4],
                    "w_county": COUNTIES[key % 4],
                    "w_state": "TN" if key % 2 else "GA",
                    "w_country": "United States",
                }
                for key in range(1, WAREHOUSES + 1)
            ],
            "promotion": [
                {
                    "p_promo_sk": key,
                    "p_promo_name": ("ought", "able", "pri")[key % 3],
                    "p_channel_dmail": self._pick("YN"),
                    "p_channel_email": self._pick("NNY"),
                    "p_channel_tv": self._pick("NNY", 0.1),
                    "p_channel_event": self._pick("NY"),
                }
                for key in range(1, PROMOTIONS + 1)
            ],
            "reason": [{"r_reason_sk": key, "r_reason_desc": f"reason {key}"} for key in range(1, 9)],
            "ship_mode": [
                {
                    "sm_ship_mode_sk": key,
                    "sm_type": ("EXPRESS", "OVERNIGHT", "REGULAR")[key % 3],
                    "sm_code": ("AIR", "SEA")[key % 2],
                    "sm_carrier": ("DHL", "BARIAN", "UPS")[key % 3],
                }
                for key in range(1, 7)
            ],
        }

    def _time(self, seconds: int) -> Row:
        hour = seconds // 3600
        return {
            "t_time_sk": seconds,
            "t_time": seconds,
            "t_hour": hour,
            "t_minute": seconds // 60 % 60,
            "t_meal_time": MEALS.get(hour),
        }

    def _item(self, key: int) -> Row:
        category = key % len(CATEGORIES)
        class_ = key % len(CLASSES)
        brand = category * 10 + class_ * 2 + self._rng.randint(0, 1)
        manufacturer = 1 + key % 12
        return {
            "i_item_sk": key,
            "i_item_id": f"ITEM{(key + 1) // 2:06}",  # revisions of an item share their id
            "i_item_desc": f"Goods of kind {key % 17}" if key % 23 else None,
            "i_current_price": self._money(0.5, 99.5),
            "i_wholesale_cost": self._money(0.3, 70),
            "i_brand_id": 1_000_000 + brand,
            "i_brand": f"brand #{brand}",
            "i_class_id": class_ + 1,
            "i_class": CLASSES[class_],
            "i_category_id": category + 1,
            "i_category": CATEGORIES[category],
            "i_manufact_id": manufacturer,
            "i_manufact": f"maker {manufacturer}",
            "i_size": self._pick(SIZES, 0.05),
            "i_color": self._pick(COLORS),
            "i_units": self._pick(UNITS),
            "i_manager_id": 1 + key % 8,
            "i_product_name": f"product {key}" if key % 29 else None,
        }

    def _customer(self, key: int) -> Row:
        first = self._day(FIRST_DAY, date(2000, 12, 31))
        return {
            "c_customer_sk": key,
            "c_customer_id": f"CUSTOMER{key:06}",
            "c_current_cdemo_sk": self._key(DEMOGRAPHICS),
            "c_current_hdemo_sk": self._key(HOUSEHOLDS),
            "c_current_addr_sk": self._key(ADDRESSES),
            "c_first_shipto_date_sk": first + 30,
            "c_first_sales_date_sk": first,
            "c_salutation": self._pick(("Dr.", "Miss", "Mr.", "Sir"), 0.05),
            "c_first_name": self._pick(FIRST_NAMES, 0.03),
            "c_last_name": self._pick(LAST_NAMES, 0.03),
            "c_preferred_cust_flag": self._pick("YNY", 0.05),
            "c_birth_day": self._rng.randint(1, 28),
            "c_birth_month": self._rng.randint(1, 12),
            "c_birth_year": self._rng.randint(1930, 1990),
            "c_birth_country": self._pick(COUNTRIES, 0.03),
            "c_login": None,
            "c_email_address": f"c{key}@example.org",
            "c_last_review_date_sk": first + 60,
        }

    def _place(self, prefix: str) -> Row:
        state = self._pick(tuple(STATES))
        values = {
            "street_number": str(self._rng.randint(1, 999)),
            "street_name": self._pick(("Elm", "Main", "Oak", "Park")),
            "street_type": self._pick(("Ave", "Blvd", "Ct.")),
            "suite_number": f"Suite {self._rng.randint(0, 40) * 10}",
            "city": self._pick(CITIES),
            "county": self._pick(COUNTIES),
            "state": state,
            "zip": self._pick(ZIPS),
            "country": "United States",
            "gmt_offset": Decimal(STATES[state]).quantize(Decimal("0.01")),
        }
        return {f"{prefix}_{name}": value for name, value in values.items()}

    def _demographics(self, key: int) -> Row:
        return {
            "cd_demo_sk": key,
            "cd_gender": "MF"[key % 2],
            "cd_marital_status": "DMSW"[key // 2 % 4],
            "cd_education_status": EDUCATION[key // 8 % len(EDUCATION)],
            "cd_purchase_estimate": 500 * self._rng.randint(1, 4),
            "cd_credit_rating": self._pick(CREDIT),
            "cd_dep_count": self._rng.randint(0, 3),
            "cd_dep_employed_count": self._rng.randint(0, 3),
            "cd_dep_college_count": self._rng.randint(0, 3),
        }

    def _household(self, key: int) -> Row:
        return {
            "hd_demo_sk": key,
            "hd_income_band_sk": 1 + key % 10,
            "hd_buy_potential": POTENTIAL[key % len(POTENTIAL)],
            "hd_dep_count": self._rng.randint(0, 6),
            "hd_vehicle_count": self._rng.randint(-1, 4),
        }

    def _store(self, key: int) -> Row:
        return {
            "s_store_sk": key,
            "s_store_id": f"STORE{(key + 1) // 2:04}",
            "s_store_name": ("able", "ation", "bar", "ese")[key % 4],
            "s_number_employees": 200 + 20 * key,
            "s_floor_space": 5_000_000 + 1_000 * key,
            "s_market_id": 1 + key % 3,
            "s_company_id": 1 + key % 2,
            "s_company_name": "Unknown",
            **self._place("s"),
        }

    # -- facts

    def _measures(self, prefix: str) -> Row:
        quantity = self._rng.randint(1, 100)
        wholesale = self._rng.randint(100, 10_000)
        listed = wholesale * self._rng.randint(100, 250) // 100
        sold = listed * self._rng.randint(20, 100) // 100
        coupon = sold * quantity // self._rng.randint(2, 9) if self._chance(0.2) else 0
        paid = sold * quantity - coupon
        tax = paid * self._rng.randint(0, 9) // 100
        cents = {
            "wholesale_cost": wholesale,
            "list_price": listed,
            "sales_price": sold,
            "ext_discount_amt": (listed - sold) * quantity,
            "ext_sales_price": sold * quantity,
            "ext_wholesale_cost": wholesale * quantity,
            "ext_list_price": listed * quantity,
            "ext_tax": tax,
            "coupon_amt": coupon,
            "net_paid": paid,
            "net_paid_inc_tax": paid + tax,
            "net_profit": paid - wholesale * quantity,
        }
        row: Row = {f"{prefix}_quantity": quantity if self._chance(0.97) else None}
        return row | {
            f"{prefix}_{name}": _cents(value) if self._chance(0.98) else None for name, value in cents.items()
        }

    def _shipping(self, prefix: str, row: Row) -> Row:
        cost = self._money(0, 900)
        paid, taxed = row[f"{prefix}_net_paid"], row[f"{prefix}_net_paid_inc_tax"]
        return {
            f"{prefix}_ext_ship_cost": cost,
            f"{prefix}_net_paid_inc_ship": None if paid is None else paid + cost,
            f"{prefix}_net_paid_inc_ship_tax": None if taxed is None else taxed + cost,
        }

    def _items(self, most: int) -> list[int]:
        count = self._rng.randint(1, most) if self._chance(0.93) else 3 * most
        return sorted({key for _ in range(count) if (key := self._key(ITEMS, 0)) is not None})

    def _basket(self, ticket: int) -> list[Row]:
        shared = {
            "ss_sold_date_sk": self._day() if self._chance(1 - NULLS) else None,
            "ss_sold_time_sk": self._rng.randrange(28_800, 79_200, 900),
            "ss_customer_sk": self._key(CUSTOMERS),
            "ss_cdemo_sk": self._key(DEMOGRAPHICS),
            "ss_hdemo_sk": self._key(HOUSEHOLDS),
            "ss_addr_sk": self._key(ADDRESSES),
            "ss_store_sk": self._key(STORES),
            "ss_ticket_number": ticket,
        }
        return [
            {**shared, "ss_item_sk": item, "ss_promo_sk": self._key(PROMOTIONS), **self._measures("ss")}
            for item in self._items(6)
        ]

    def _catalog_order(
        self, order: int, customer: int | None = None, item: int | None = None, day: int = 0
    ) -> list[Row]:
        sold = day or (self._day() if self._chance(1 - NULLS) else None)
        bill = customer or self._key(CUSTOMERS)
        address = self._key(ADDRESSES)
        shared = {
            "cs_sold_date_sk": sold,
            "cs_sold_time_sk": self._rng.randrange(0, 86_400, 900),
            "cs_bill_customer_sk": bill,
            "cs_bill_cdemo_sk": self._key(DEMOGRAPHICS),
            "cs_bill_hdemo_sk": self._key(HOUSEHOLDS),
            "cs_bill_addr_sk": address,
            "cs_ship_customer_sk": bill if self._chance(0.8) else self._key(CUSTOMERS),
            "cs_ship_addr_sk": address if self._chance(0.8) else self._key(ADDRESSES),
            "cs_call_center_sk": self._key(CENTERS),
            "cs_order_number": order,
        }
        rows = []
        for key in [item] if item else self._items(5):
            row = {
                **shared,
                "cs_item_sk": key,
                "cs_ship_date_sk": self._later(sold, 2, 130),
                "cs_catalog_page_sk": self._key(CATALOG_PAGES),
                "cs_ship_mode_sk": self._key(6),
                "cs_warehouse_sk": self._key(WAREHOUSES),
                "cs_promo_sk": self._key(PROMOTIONS),
                **self._measures("cs"),
            }
            rows.append(row | self._shipping("cs", row))
        return rows

    def _bought_again(self, returns: list[Row]) -> list[Row]:
        """What a customer gave back to a store, bought once more by catalogue."""
        rows: list[Row] = []
        for row in returns:
            day = self._later(row["sr_returned_date_sk"], 1, 150)
            if day is not None and row["sr_customer_sk"] is not None and self._chance(BOUGHT_AGAIN):
                rows += self._catalog_order(ORDERS + 1 + len(rows), row["sr_customer_sk"], row["sr_item_sk"], day)
        return rows

    def _web_order(self, order: int) -> list[Row]:
        sold = self._day() if self._chance(1 - NULLS) else None
        bill, address = self._key(CUSTOMERS), self._key(ADDRESSES)
        shared = {
            "ws_sold_date_sk": sold,
            "ws_sold_time_sk": self._rng.randrange(0, 86_400, 900),
            "ws_bill_customer_sk": bill,
            "ws_bill_addr_sk": address,
            "ws_ship_customer_sk": bill if self._chance(0.8) else self._key(CUSTOMERS),
            "ws_ship_hdemo_sk": self._key(HOUSEHOLDS),
            "ws_ship_addr_sk": address if self._chance(0.8) else self._key(ADDRESSES),
            "ws_web_site_sk": self._key(SITES),
            "ws_order_number": order,
        }
        rows = []
        for key in self._items(5):
            row = {
                **shared,
                "ws_item_sk": key,
                "ws_ship_date_sk": self._later(sold, 2, 130),
                "ws_web_page_sk": self._key(PAGES),
                "ws_ship_mode_sk": self._key(6),
                "ws_warehouse_sk": self._key(WAREHOUSES),
                "ws_promo_sk": self._key(PROMOTIONS),
                **self._measures("ws"),
            }
            rows.append(row | self._shipping("ws", row))
        return rows

    def _refund(self, prefix: str, sale: Row, amount: str) -> Row:
        """The measures that all three kinds of returns have; `sale` has its own prefix."""
        sold = next(key for key in sale if key.endswith("_quantity")).split("_")[0]
        quantity = self._rng.randint(1, sale[f"{sold}_quantity"] or 5)
        price = sale[f"{sold}_sales_price"] or Decimal("9.99")
        back = price * quantity
        return {
            f"{prefix}_return_quantity": quantity if self._chance(0.97) else None,
            f"{prefix}_{amount}": back,
            f"{prefix}_return_tax": _cents(int(back * 100) * 5 // 100),
            f"{prefix}_fee": self._money(0.5, 100),
            f"{prefix}_refunded_cash": _cents(int(back * 100) * self._rng.randint(0, 100) // 100),
            f"{prefix}_net_loss": self._money(0.5, 500),
        }

    def _store_return(self, sale: Row) -> Row:
        return {
            "sr_returned_date_sk": self._later(sale["ss_sold_date_sk"], 1, 150),
            "sr_item_sk": sale["ss_item_sk"],
            "sr_customer_sk": sale["ss_customer_sk"],
            "sr_cdemo_sk": self._key(DEMOGRAPHICS),
            "sr_hdemo_sk": sale["ss_hdemo_sk"],
            "sr_addr_sk": self._key(ADDRESSES),
            "sr_store_sk": sale["ss_store_sk"],
            "sr_reason_sk": self._key(8),
            "sr_ticket_number": sale["ss_ticket_number"],
            **self._refund("sr", sale, "return_amt"),
        }

    def _catalog_return(self, sale: Row) -> Row:
        refund = self._refund("cr", sale, "return_amount")
        return {
            "cr_returned_date_sk": self._later(sale["cs_sold_date_sk"], 5, 120),
            "cr_item_sk": sale["cs_item_sk"],
            "cr_refunded_customer_sk": sale["cs_bill_customer_sk"],
            "cr_returning_customer_sk": sale["cs_bill_customer_sk"] if self._chance(0.8) else self._key(CUSTOMERS),
            "cr_returning_addr_sk": sale["cs_bill_addr_sk"],
            "cr_call_center_sk": sale["cs_call_center_sk"],
            "cr_catalog_page_sk": sale["cs_catalog_page_sk"],
            "cr_reason_sk": self._key(8),
            "cr_order_number": sale["cs_order_number"],
            **refund,
            "cr_return_amt_inc_tax": refund["cr_return_amount"] + refund["cr_return_tax"],
            "cr_reversed_charge": self._money(0, 50),
            "cr_store_credit": self._money(0, 50),
        }

    def _web_return(self, sale: Row) -> Row:
        cdemo = self._key(DEMOGRAPHICS)
        return {
            "wr_returned_date_sk": self._later(sale["ws_sold_date_sk"], 5, 120),
            "wr_item_sk": sale["ws_item_sk"],
            "wr_refunded_customer_sk": sale["ws_bill_customer_sk"],
            "wr_refunded_cdemo_sk": cdemo,
            "wr_refunded_addr_sk": sale["ws_bill_addr_sk"],
            "wr_returning_customer_sk": sale["ws_bill_customer_sk"] if self._chance(0.8) else self._key(CUSTOMERS),
            "wr_returning_cdemo_sk": cdemo if self._chance(0.8) else self._key(DEMOGRAPHICS),
            "wr_returning_addr_sk": sale["ws_bill_addr_sk"],
            "wr_web_page_sk": sale["ws_web_page_sk"],
            "wr_reason_sk": self._key(8),
            "wr_order_number": sale["ws_order_number"],
            **self._refund("wr", sale, "return_amt"),
        }

    def _inventory(self) -> list[Row]:
        """Stock is counted on Mondays, of some items in some weeks, and piles up now and then."""
        rows = []
        for start, weeks in ((date(2000, 1, 3), 26), (date(2001, 1, 1), 13)):
            for week in range(weeks):
                day = JULIAN + (start - EPOCH).days + 7 * week
                for item in range(1, ITEMS + 1):
                    for warehouse in range(1, WAREHOUSES + 1):
                        if self._chance(0.25):
                            stock = int(1000 * self._rng.random() ** 4)
                            rows.append(
                                {
                                    "inv_date_sk": day,
                                    "inv_item_sk": item,
                                    "inv_warehouse_sk": warehouse,
                                    "inv_quantity_on_hand": stock if self._chance(0.97) else None,
                                }
                            )
        return rows


def _cents(value: int) -> Decimal:
    return Decimal(value).scaleb(-2)
