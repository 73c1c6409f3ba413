select s_store_name, sum(ss_net_profit) as profit
from store_sales, date_dim, store, (
    select zip
    from (
        select substr(ca_zip, 1, 5) as zip
        from customer_address
        where substr(ca_zip, 1, 5) in ('24128', '35709', '76232', '88274')
        intersect
        select zip
        from (
            select substr(ca_zip, 1, 5) as zip, count(*) as cnt
            from customer_address, customer
            where ca_address_sk = c_current_addr_sk and c_preferred_cust_flag = 'Y'
            group by ca_zip
            having count(*) > 3
        ) as often
    ) as both
) as zips
where ss_store_sk = s_store_sk
    and ss_sold_date_sk = d_date_sk
    and d_qoy = 4 and d_year = 2000
    and substr(s_zip, 1, 2) = substr(zips.zip, 1, 2)
group by s_store_name
order by s_store_name
limit 100
