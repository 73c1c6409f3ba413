select c_last_name, c_first_name, ca_city, bought_city, ss_ticket_number, extended_price, extended_tax, list_price
from (
    select ss_ticket_number, ss_customer_sk, ca_city as bought_city, sum(ss_ext_sales_price) as extended_price,
        sum(ss_ext_list_price) as list_price, sum(ss_ext_tax) as extended_tax
    from store_sales, date_dim, store, household_demographics, customer_address
    where ss_sold_date_sk = d_date_sk and ss_store_sk = s_store_sk and ss_hdemo_sk = hd_demo_sk
        and ss_addr_sk = ca_address_sk and d_dom between 1 and 5 and (hd_dep_count = 5 or hd_vehicle_count = 3)
        and d_year in (1999, 2000, 2001) and s_city in ('Midway', 'Fairview', 'Union')
    group by ss_ticket_number, ss_customer_sk, ss_addr_sk, ca_city
) as dn, customer, customer_address current_addr
where ss_customer_sk = c_customer_sk and customer.c_current_addr_sk = current_addr.ca_address_sk
    and current_addr.ca_city <> bought_city
order by c_last_name, ss_ticket_number
limit 100
