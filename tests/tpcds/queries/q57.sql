with v1 as (
    select i_category, i_brand, cc_name, d_year, d_moy, sum(cs_sales_price) as sum_sales,
        avg(sum(cs_sales_price)) over (partition by i_category, i_brand, cc_name, d_year) as avg_monthly_sales,
        rank() over (partition by i_category, i_brand, cc_name order by d_year, d_moy) as rn
    from item, catalog_sales, date_dim, call_center
    where cs_item_sk = i_item_sk and cs_sold_date_sk = d_date_sk and cc_call_center_sk = cs_call_center_sk
        and (d_year = 2000 or (d_year = 1999 and d_moy = 12) or (d_year = 2001 and d_moy = 1))
    group by i_category, i_brand, cc_name, d_year, d_moy
),
v2 as (
    select v1.i_category, v1.i_brand, v1.cc_name, v1.d_year, v1.d_moy, v1.avg_monthly_sales, v1.sum_sales,
        lagging.sum_sales as psum, leading.sum_sales as nsum
    from v1, v1 lagging, v1 leading
    where v1.i_category = lagging.i_category and v1.i_category = leading.i_category
        and v1.i_brand = lagging.i_brand and v1.i_brand = leading.i_brand
        and v1.cc_name = lagging.cc_name and v1.cc_name = leading.cc_name
        and v1.rn = lagging.rn + 1 and v1.rn = leading.rn - 1
)
select *
from v2
where d_year = 2000 and avg_monthly_sales > 0
    and case when avg_monthly_sales > 0 then abs(sum_sales - avg_monthly_sales) / avg_monthly_sales end > 0.1
order by sum_sales - avg_monthly_sales, psum
limit 100
