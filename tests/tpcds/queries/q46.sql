select c_last_name, c_first_name, ca_city, bought_city, ss_ticket_number, amt, profit
from (
    select ss_ticket_number, ss_customer_sk, ca_city as bought_city, sum(ss_coupon_amt) as amt, sum(ss_net_profit) as profit
    from store_sales, date_dim, store, household_demographics, customer_address
    where ss_sold_date_sk = d_date_sk and ss_store_sk = s_store_sk and ss_hdemo_sk = hd_demo_sk
        and ss_addr_sk = ca_address_sk
        and (hd_dep_count = 4 or hd_vehicle_count = 3)
        and d_dow in (6, 0) and d_year in (1999, 2000, 2001)
        and s_city in ('Fairview', 'Midway', 'Union', 'Oak Grove')
    group by ss_ticket_number, ss_customer_sk, ss_addr_sk, ca_city
) as dn, customer, customer_address current_addr
where ss_customer_sk = c_customer_sk and customer.c_current_addr_sk = current_addr.ca_address_sk
    and current_addr.ca_city <> bought_city
order by c_last_name, c_first_name, ca_city, bought_city, ss_ticket_number
limit 100
