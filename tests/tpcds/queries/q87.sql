select count(*) as cool_customers
from (
    select distinct c_last_name, c_first_name, d_date
    from store_sales, date_dim, customer
    where ss_sold_date_sk = d_date_sk and ss_customer_sk = c_customer_sk and d_month_seq between 1200 and 1211
    except
    select distinct c_last_name, c_first_name, d_date
    from catalog_sales, date_dim, customer
    where cs_sold_date_sk = d_date_sk and cs_bill_customer_sk = c_customer_sk and d_month_seq between 1200 and 1211
    except
    select distinct c_last_name, c_first_name, d_date
    from web_sales, date_dim, customer
    where ws_sold_date_sk = d_date_sk and ws_bill_customer_sk = c_customer_sk and d_month_seq between 1200 and 1211
) as cool_cust
