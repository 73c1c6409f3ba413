with ss_items as (
    select i_item_id as item_id, sum(ss_ext_sales_price) as rev
    from store_sales, item, date_dim
    where ss_item_sk = i_item_sk
        and d_date in (
            select d_date from date_dim
            where d_month_seq = (select d_month_seq from date_dim where d_date = date '2000-11-15')
        )
        and ss_sold_date_sk = d_date_sk
    group by i_item_id
),
cs_items as (
    select i_item_id as item_id, sum(cs_ext_sales_price) as rev
    from catalog_sales, item, date_dim
    where cs_item_sk = i_item_sk
        and d_date in (
            select d_date from date_dim
            where d_month_seq = (select d_month_seq from date_dim where d_date = date '2000-11-15')
        )
        and cs_sold_date_sk = d_date_sk
    group by i_item_id
),
ws_items as (
    select i_item_id as item_id, sum(ws_ext_sales_price) as rev
    from web_sales, item, date_dim
    where ws_item_sk = i_item_sk
        and d_date in (
            select d_date from date_dim
            where d_month_seq = (select d_month_seq from date_dim where d_date = date '2000-11-15')
        )
        and ws_sold_date_sk = d_date_sk
    group by i_item_id
)
select ss_items.item_id, ss_items.rev as ss_item_rev,
    ss_items.rev / nullif((ss_items.rev + cs_items.rev + ws_items.rev) / 3, 0) * 100 as ss_dev,
    cs_items.rev as cs_item_rev,
    ws_items.rev as ws_item_rev,
    (ss_items.rev + cs_items.rev + ws_items.rev) / 3 as average
from ss_items, cs_items, ws_items
where ss_items.item_id = cs_items.item_id and ss_items.item_id = ws_items.item_id
    and ss_items.rev between 0.3 * cs_items.rev and 4 * cs_items.rev
    and cs_items.rev between 0.1 * ws_items.rev and 9 * ws_items.rev
order by ss_items.item_id, ss_item_rev
limit 100
