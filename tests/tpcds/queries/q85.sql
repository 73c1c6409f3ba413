select substr(r_reason_desc, 1, 20) as reason, avg(ws_quantity) as quantity, avg(wr_refunded_cash) as cash, avg(wr_fee) as fee
from web_sales, web_returns, web_page, customer_demographics cd1, customer_demographics cd2, customer_address, date_dim, reason
where ws_web_page_sk = wp_web_page_sk and ws_item_sk = wr_item_sk and ws_order_number = wr_order_number
    and ws_sold_date_sk = d_date_sk and d_year in (2000, 2001)
    and cd1.cd_demo_sk = wr_refunded_cdemo_sk and cd2.cd_demo_sk = wr_returning_cdemo_sk
    and ca_address_sk = wr_refunded_addr_sk and r_reason_sk = wr_reason_sk
    and (
        (cd1.cd_marital_status = 'M' and cd1.cd_marital_status = cd2.cd_marital_status
            and cd1.cd_education_status = cd2.cd_education_status and ws_sales_price between 10.00 and 150.00)
        or (cd1.cd_marital_status in ('S', 'D') and cd1.cd_marital_status = cd2.cd_marital_status
            and ws_sales_price between 5.00 and 200.00)
        or (cd1.cd_marital_status = 'W' and cd1.cd_education_status = cd2.cd_education_status)
    )
    and (
        (ca_country = 'United States' and ca_state in ('IN', 'TX') and ws_net_profit between -5000 and 2000)
        or (ca_country = 'United States' and ca_state in ('CA', 'TN', 'GA') and ws_net_profit between -4000 and 3000)
    )
group by r_reason_desc
order by reason, quantity, cash, fee
limit 100
