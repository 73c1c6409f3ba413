select c_last_name, c_first_name, substr(s_city, 1, 30) as city, ss_ticket_number, amt, profit
from (
    select ss_ticket_number, ss_customer_sk, s_city, sum(ss_coupon_amt) as amt, sum(ss_net_profit) as profit
    from store_sales, date_dim, store, household_demographics
    where ss_sold_date_sk = d_date_sk and ss_store_sk = s_store_sk and ss_hdemo_sk = hd_demo_sk
        and (hd_dep_count = 6 or hd_vehicle_count > 2) and d_dow = 1 and d_year in (1999, 2000, 2001)
        and s_number_employees between 200 and 295
    group by ss_ticket_number, ss_customer_sk, ss_addr_sk, s_city
) as ms, customer
where ss_customer_sk = c_customer_sk
order by c_last_name, c_first_name, city, profit, ss_ticket_number
limit 100
