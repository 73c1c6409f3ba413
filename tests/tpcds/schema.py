"""The tables of TPC-DS with the columns that the queries here read: names and types as the benchmark has them.

Idea: a table is one line of text per few columns; what a row is known by (its key) stands beside it, since the
stream of changes needs it.
"""

from __future__ import annotations

import pyarrow as pa

TYPES = {
    "int": pa.int32(),
    "string": pa.string(),
    "date": pa.date32(),
    "money": pa.decimal128(7, 2),
    "offset": pa.decimal128(5, 2),
}

SALE = "{p}_quantity int, {p}_wholesale_cost money, {p}_list_price money, {p}_sales_price money, "
SALE += "{p}_ext_discount_amt money, {p}_ext_sales_price money, {p}_ext_wholesale_cost money, {p}_ext_list_price money,"
SALE += "{p}_ext_tax money, {p}_coupon_amt money, {p}_net_paid money, {p}_net_paid_inc_tax money, {p}_net_profit money"
SHIPPED = "{p}_ext_ship_cost money, {p}_net_paid_inc_ship money, {p}_net_paid_inc_ship_tax money"
PLACE = "{p}_street_number string, {p}_street_name string, {p}_street_type string, {p}_suite_number string, "
PLACE += "{p}_city string, {p}_county string, {p}_state string, {p}_zip string, {p}_country string, "
PLACE += "{p}_gmt_offset offset"

COLUMNS = {
    "date_dim": """d_date_sk int, d_date_id string, d_date date, d_month_seq int, d_week_seq int, d_quarter_seq int,
        d_year int, d_dow int, d_moy int, d_dom int, d_qoy int, d_day_name string, d_quarter_name string,
        d_holiday string, d_weekend string""",
    "time_dim": "t_time_sk int, t_time int, t_hour int, t_minute int, t_meal_time string",
    "item": """i_item_sk int, i_item_id string, i_item_desc string, i_current_price money, i_wholesale_cost money,
        i_brand_id int, i_brand string, i_class_id int, i_class string, i_category_id int, i_category string,
        i_manufact_id int, i_manufact string, i_size string, i_color string, i_units string, i_manager_id int,
        i_product_name string""",
    "customer": """c_customer_sk int, c_customer_id string, c_current_cdemo_sk int, c_current_hdemo_sk int,
        c_current_addr_sk int, c_first_shipto_date_sk int, c_first_sales_date_sk int, c_salutation string,
        c_first_name string, c_last_name string, c_preferred_cust_flag string, c_birth_day int, c_birth_month int,
        c_birth_year int, c_birth_country string, c_login string, c_email_address string,
        c_last_review_date_sk int""",
    "customer_address": "ca_address_sk int, " + PLACE.format(p="ca") + ", ca_location_type string",
    "customer_demographics": """cd_demo_sk int, cd_gender string, cd_marital_status string, cd_education_status string,
        cd_purchase_estimate int, cd_credit_rating string, cd_dep_count int, cd_dep_employed_count int,
        cd_dep_college_count int""",
    "household_demographics": """hd_demo_sk int, hd_income_band_sk int, hd_buy_potential string, hd_dep_count int,
        hd_vehicle_count int""",
    "income_band": "ib_income_band_sk int, ib_lower_bound int, ib_upper_bound int",
    "store": """s_store_sk int, s_store_id string, s_store_name string, s_number_employees int, s_floor_space int,
        s_market_id int, s_company_id int, s_company_name string, """
    + PLACE.format(p="s"),
    "call_center": """cc_call_center_sk int, cc_call_center_id string, cc_name string, cc_manager string,
        cc_county string""",
    "catalog_page": "cp_catalog_page_sk int, cp_catalog_page_id string",
    "web_site": "web_site_sk int, web_site_id string, web_name string, web_company_name string",
    "web_page": "wp_web_page_sk int, wp_char_count int",
    "warehouse": """w_warehouse_sk int, w_warehouse_name string, w_warehouse_sq_ft int, w_city string, w_county string,
        w_state string, w_country string""",
    "promotion": """p_promo_sk int, p_promo_name string, p_channel_dmail string, p_channel_email string,
        p_channel_tv string, p_channel_event string""",
    "reason": "r_reason_sk int, r_reason_desc string",
    "ship_mode": "sm_ship_mode_sk int, sm_type string, sm_code string, sm_carrier string",
    "store_sales": """ss_sold_date_sk int, ss_sold_time_sk int, ss_item_sk int, ss_customer_sk int, ss_cdemo_sk int,
        ss_hdemo_sk int, ss_addr_sk int, ss_store_sk int, ss_promo_sk int, ss_ticket_number int, """
    + SALE.format(p="ss"),
    "store_returns": """sr_returned_date_sk int, sr_item_sk int, sr_customer_sk int, sr_cdemo_sk int, sr_hdemo_sk int,
        sr_addr_sk int, sr_store_sk int, sr_reason_sk int, sr_ticket_number int, sr_return_quantity int,
        sr_return_amt money, sr_return_tax money, sr_fee money, sr_refunded_cash money, sr_net_loss money""",
    "catalog_sales": """cs_sold_date_sk int, cs_sold_time_sk int, cs_ship_date_sk int, cs_bill_customer_sk int,
        cs_bill_cdemo_sk int, cs_bill_hdemo_sk int, cs_bill_addr_sk int, cs_ship_customer_sk int, cs_ship_addr_sk int,
        cs_call_center_sk int, cs_catalog_page_sk int, cs_ship_mode_sk int, cs_warehouse_sk int, cs_item_sk int,
        cs_promo_sk int, cs_order_number int, """
    + SALE.format(p="cs")
    + ", "
    + SHIPPED.format(p="cs"),
    "catalog_returns": """cr_returned_date_sk int, cr_item_sk int, cr_refunded_customer_sk int,
        cr_returning_customer_sk int, cr_returning_addr_sk int, cr_call_center_sk int, cr_catalog_page_sk int,
        cr_reason_sk int, cr_order_number int, cr_return_quantity int, cr_return_amount money, cr_return_tax money,
        cr_return_amt_inc_tax money, cr_fee money, cr_refunded_cash money, cr_reversed_charge money,
        cr_store_credit money, cr_net_loss money""",
    "web_sales": """ws_sold_date_sk int, ws_sold_time_sk int, ws_ship_date_sk int, ws_item_sk int,
        ws_bill_customer_sk int, ws_bill_addr_sk int, ws_ship_customer_sk int, ws_ship_hdemo_sk int,
        ws_ship_addr_sk int, ws_web_page_sk int, ws_web_site_sk int, ws_ship_mode_sk int, ws_warehouse_sk int,
        ws_promo_sk int, ws_order_number int, """
    + SALE.format(p="ws")
    + ", "
    + SHIPPED.format(p="ws"),
    "web_returns": """wr_returned_date_sk int, wr_item_sk int, wr_refunded_customer_sk int, wr_refunded_cdemo_sk int,
        wr_refunded_addr_sk int, wr_returning_customer_sk int, wr_returning_cdemo_sk int, wr_returning_addr_sk int,
        wr_web_page_sk int, wr_reason_sk int, wr_order_number int, wr_return_quantity int, wr_return_amt money,
        wr_return_tax money, wr_fee money, wr_refunded_cash money, wr_net_loss money""",
    "inventory": "inv_date_sk int, inv_item_sk int, inv_warehouse_sk int, inv_quantity_on_hand int",
}

KEYS: dict[str, tuple[str, ...]] = {
    "date_dim": ("d_date_sk",),
    "time_dim": ("t_time_sk",),
    "item": ("i_item_sk",),
    "customer": ("c_customer_sk",),
    "customer_address": ("ca_address_sk",),
    "customer_demographics": ("cd_demo_sk",),
    "household_demographics": ("hd_demo_sk",),
    "income_band": ("ib_income_band_sk",),
    "store": ("s_store_sk",),
    "call_center": ("cc_call_center_sk",),
    "catalog_page": ("cp_catalog_page_sk",),
    "web_site": ("web_site_sk",),
    "web_page": ("wp_web_page_sk",),
    "warehouse": ("w_warehouse_sk",),
    "promotion": ("p_promo_sk",),
    "reason": ("r_reason_sk",),
    "ship_mode": ("sm_ship_mode_sk",),
    "store_sales": ("ss_item_sk", "ss_ticket_number"),
    "store_returns": ("sr_item_sk", "sr_ticket_number"),
    "catalog_sales": ("cs_item_sk", "cs_order_number"),
    "catalog_returns": ("cr_item_sk", "cr_order_number"),
    "web_sales": ("ws_item_sk", "ws_order_number"),
    "web_returns": ("wr_item_sk", "wr_order_number"),
    "inventory": ("inv_date_sk", "inv_item_sk", "inv_warehouse_sk"),
}

TABLES = tuple(COLUMNS)


def schema_of(table: str) -> pa.Schema:
    columns = (column.split() for column in COLUMNS[table].split(","))
    return pa.schema([(name, TYPES[kind]) for name, kind in columns])
