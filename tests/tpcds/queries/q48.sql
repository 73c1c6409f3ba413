select sum(ss_quantity) as quantity
from store_sales, store, customer_demographics, customer_address, date_dim
where s_store_sk = ss_store_sk and ss_sold_date_sk = d_date_sk and d_year = 2000
    and (
        (cd_demo_sk = ss_cdemo_sk and cd_marital_status = 'M' and cd_education_status in ('4 yr Degree', 'College')
            and ss_sales_price between 10.00 and 150.00)
        or (cd_demo_sk = ss_cdemo_sk and cd_marital_status = 'D' and cd_education_status = '2 yr Degree'
            and ss_sales_price between 5.00 and 100.00)
        or (cd_demo_sk = ss_cdemo_sk and cd_marital_status = 'S' and ss_sales_price between 15.00 and 200.00)
    )
    and (
        (ss_addr_sk = ca_address_sk and ca_country = 'United States' and ca_state in ('TX', 'IN')
            and ss_net_profit between -5000 and 2000)
        or (ss_addr_sk = ca_address_sk and ca_country = 'United States' and ca_state in ('CA', 'TN', 'GA')
            and ss_net_profit between -3000 and 3000)
    )
