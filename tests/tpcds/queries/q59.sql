with wss as (
    select d_week_seq, ss_store_sk,
        sum(case when d_day_name = 'Sunday' then ss_sales_price end) as sun_sales,
        sum(case when d_day_name = 'Monday' then ss_sales_price end) as mon_sales,
        sum(case when d_day_name = 'Thursday' then ss_sales_price end) as thu_sales,
        sum(case when d_day_name = 'Saturday' then ss_sales_price end) as sat_sales
    from store_sales, date_dim
    where d_date_sk = ss_sold_date_sk
    group by d_week_seq, ss_store_sk
)
select y.store_name, y.store_id, y.week,
    y.sun_sales / nullif(x.sun_sales, 0) as sun,
    y.mon_sales / nullif(x.mon_sales, 0) as mon,
    y.thu_sales / nullif(x.thu_sales, 0) as thu,
    y.sat_sales / nullif(x.sat_sales, 0) as sat
from (
    select s_store_name as store_name, wss.d_week_seq as week, s_store_id as store_id, sun_sales, mon_sales, thu_sales, sat_sales
    from wss, store, date_dim d
    where d.d_week_seq = wss.d_week_seq and ss_store_sk = s_store_sk and d_month_seq between 1188 and 1199
) as y,
(
    select s_store_name as store_name, wss.d_week_seq as week, s_store_id as store_id, sun_sales, mon_sales, thu_sales, sat_sales
    from wss, store, date_dim d
    where d.d_week_seq = wss.d_week_seq and ss_store_sk = s_store_sk and d_month_seq between 1200 and 1211
) as x
where y.store_id = x.store_id and y.week = x.week - 52
order by y.store_name, y.store_id, y.week
limit 100
