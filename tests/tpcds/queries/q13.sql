select avg(ss_quantity) as quantity, avg(ss_ext_sales_price) as price, avg(ss_ext_wholesale_cost) as cost,
    sum(ss_ext_wholesale_cost) as total_cost
from store_sales, store, customer_demographics, household_demographics, customer_address, date_dim
where s_store_sk = ss_store_sk
    and ss_sold_date_sk = d_date_sk and d_year = 2001
    and (
        (ss_hdemo_sk = hd_demo_sk and cd_demo_sk = ss_cdemo_sk and cd_marital_status = 'M'
            and cd_education_status = '4 yr Degree' and ss_sales_price between 1.00 and 150.00 and hd_dep_count >= 1)
        or (ss_hdemo_sk = hd_demo_sk and cd_demo_sk = ss_cdemo_sk and cd_marital_status = 'S'
            and cd_education_status in ('College', '2 yr Degree') and ss_sales_price between 50.00 and 200.00)
        or (ss_hdemo_sk = hd_demo_sk and cd_demo_sk = ss_cdemo_sk and cd_marital_status = 'W'
            and ss_sales_price between 10.00 and 200.00 and hd_dep_count <= 4)
    )
    and (
        (ss_addr_sk = ca_address_sk and ca_country = 'United States' and ca_state in ('TX', 'IN')
            and ss_net_profit between -5000 and 2000)
        or (ss_addr_sk = ca_address_sk and ca_country = 'United States' and ca_state in ('GA', 'TN')
            and ss_net_profit between -3000 and 3000)
    )
