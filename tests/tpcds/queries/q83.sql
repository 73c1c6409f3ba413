with sr_items as (
    select i_item_id as item_id, sum(sr_return_quantity) as qty
    from store_returns, item, date_dim
    where sr_item_sk = i_item_sk
        and d_date in (
            select d_date from date_dim
            where d_month_seq in (
                select d_month_seq from date_dim
                where d_date in (date '2000-06-30', date '2000-11-17', date '2000-12-17', date '2001-01-09')
            )
        )
        and sr_returned_date_sk = d_date_sk
    group by i_item_id
),
cr_items as (
    select i_item_id as item_id, sum(cr_return_quantity) as qty
    from catalog_returns, item, date_dim
    where cr_item_sk = i_item_sk
        and d_date in (
            select d_date from date_dim
            where d_month_seq in (
                select d_month_seq from date_dim
                where d_date in (date '2000-06-30', date '2000-11-17', date '2000-12-17', date '2001-01-09')
            )
        )
        and cr_returned_date_sk = d_date_sk
    group by i_item_id
),
wr_items as (
    select i_item_id as item_id, sum(wr_return_quantity) as qty
    from web_returns, item, date_dim
    where wr_item_sk = i_item_sk
        and d_date in (
            select d_date from date_dim
            where d_month_seq in (
                select d_month_seq from date_dim
                where d_date in (date '2000-06-30', date '2000-11-17', date '2000-12-17', date '2001-01-09')
            )
        )
        and wr_returned_date_sk = d_date_sk
    group by i_item_id
)
select sr_items.item_id, sr_items.qty as sr_item_qty,
    sr_items.qty / nullif(sr_items.qty + cr_items.qty + wr_items.qty, 0) / 3.0 * 100 as sr_dev,
    cr_items.qty as cr_item_qty, wr_items.qty as wr_item_qty,
    (sr_items.qty + cr_items.qty + wr_items.qty) / 3.0 as average
from sr_items, cr_items, wr_items
where sr_items.item_id = cr_items.item_id and sr_items.item_id = wr_items.item_id
order by sr_items.item_id, sr_item_qty
limit 100
