select *
from (
    select i_manager_id, sum(ss_sales_price) as sum_sales,
        avg(sum(ss_sales_price)) over (partition by i_manager_id) as avg_monthly_sales
    from item, store_sales, date_dim, store
    where ss_item_sk = i_item_sk and ss_sold_date_sk = d_date_sk and ss_store_sk = s_store_sk
        and d_month_seq in (1200, 1201, 1202, 1203, 1204, 1205, 1206, 1207, 1208, 1209, 1210, 1211)
        and (
            (i_category in ('Books', 'Children', 'Electronics') and i_class in ('accent', 'classical', 'fiction'))
            or (i_category in ('Women', 'Music', 'Men') and i_class in ('accent', 'fiction', 'pants'))
        )
    group by i_manager_id, d_moy
) as tmp1
where case when avg_monthly_sales > 0 then abs(sum_sales - avg_monthly_sales) / avg_monthly_sales end > 0.1
order by i_manager_id, avg_monthly_sales, sum_sales
limit 100
