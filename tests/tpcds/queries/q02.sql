with sold as (
    select ws_sold_date_sk as day, ws_ext_sales_price as price from web_sales
    union all
    select cs_sold_date_sk, cs_ext_sales_price from catalog_sales
),
weekly as (
    select
        d_week_seq,
        sum(case when d_day_name = 'Sunday' then price end) as sun,
        sum(case when d_day_name = 'Monday' then price end) as mon,
        sum(case when d_day_name = 'Wednesday' then price end) as wed,
        sum(case when d_day_name = 'Saturday' then price end) as sat
    from sold
    join date_dim on d_date_sk = day
    group by d_week_seq
)
select
    this.week,
    round(this.sun / nullif(next.sun, 0), 5) as sun,
    round(this.mon / nullif(next.mon, 0), 5) as mon,
    round(this.wed / nullif(next.wed, 0), 5) as wed,
    round(this.sat / nullif(next.sat, 0), 5) as sat
from (
    select distinct weekly.d_week_seq as week, sun, mon, wed, sat
    from weekly join date_dim on date_dim.d_week_seq = weekly.d_week_seq
    where d_year = 2000
) this
join (
    select distinct weekly.d_week_seq as week, sun, mon, wed, sat
    from weekly join date_dim on date_dim.d_week_seq = weekly.d_week_seq
    where d_year = 2001
) next on this.week = next.week - 53
order by this.week
