with v1 as (
    select i_category, i_brand, s_store_name, s_company_name, d_year, d_moy, sum(ss_sales_price) as sum_sales,
        avg(sum(ss_sales_price)) over (
            partition by i_category, i_brand, s_store_name, s_company_name, d_year
        ) as avg_monthly_sales,
        rank() over (
            partition by i_category, i_brand, s_store_name, s_company_name order by d_year, d_moy
        ) as rn
    from item, store_sales, date_dim, store
    where ss_item_sk = i_item_sk and ss_sold_date_sk = d_date_sk and ss_store_sk = s_store_sk
        and (d_year = 2000 or (d_year = 1999 and d_moy = 12) or (d_year = 2001 and d_moy = 1))
    group by i_category, i_brand, s_store_name, s_company_name, d_year, d_moy
)
select v1.i_category, v1.i_brand, v1.s_store_name, v1.s_company_name, v1.d_year, v1.d_moy, v1.avg_monthly_sales,
    v1.sum_sales, lagging.sum_sales as psum, leading.sum_sales as nsum
from v1, v1 lagging, v1 leading
where v1.i_category = lagging.i_category and v1.i_category = leading.i_category
    and v1.i_brand = lagging.i_brand and v1.i_brand = leading.i_brand
    and v1.s_store_name = lagging.s_store_name and v1.s_store_name = leading.s_store_name
    and v1.s_company_name = lagging.s_company_name and v1.s_company_name = leading.s_company_name
    and v1.rn = lagging.rn + 1 and v1.rn = leading.rn - 1
    and v1.d_year = 2000 and v1.avg_monthly_sales > 0
    and case when v1.avg_monthly_sales > 0 then abs(v1.sum_sales - v1.avg_monthly_sales) / v1.avg_monthly_sales end > 0.1
order by v1.sum_sales - v1.avg_monthly_sales, v1.s_store_name
limit 100
