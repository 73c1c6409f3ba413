with per_item as (
    select ss_store_sk as store_sk, ss_item_sk as item_sk, sum(ss_sales_price) as revenue
    from store_sales, date_dim
    where ss_sold_date_sk = d_date_sk and d_month_seq between 1200 and 1211
    group by ss_store_sk, ss_item_sk
)
select s_store_name, i_item_desc, sc.revenue, i_current_price, i_wholesale_cost, i_brand
from store, item, (select store_sk, avg(revenue) as ave from per_item group by store_sk) sb, per_item sc
where sb.store_sk = sc.store_sk and sc.revenue <= 0.1 * sb.ave and s_store_sk = sc.store_sk and i_item_sk = sc.item_sk
order by s_store_name, i_item_desc, sc.revenue
limit 100
