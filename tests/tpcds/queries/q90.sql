select cast(amc as decimal(15, 4)) / nullif(cast(pmc as decimal(15, 4)), 0) as am_pm_ratio
from (
    select count(*) as amc
    from web_sales, household_demographics, time_dim, web_page
    where ws_sold_time_sk = t_time_sk and ws_ship_hdemo_sk = hd_demo_sk and ws_web_page_sk = wp_web_page_sk
        and t_hour between 8 and 9 and hd_dep_count >= 3 and wp_char_count between 4500 and 5400
) as morning
cross join (
    select count(*) as pmc
    from web_sales, household_demographics, time_dim, web_page
    where ws_sold_time_sk = t_time_sk and ws_ship_hdemo_sk = hd_demo_sk and ws_web_page_sk = wp_web_page_sk
        and t_hour between 19 and 20 and hd_dep_count >= 3 and wp_char_count between 4500 and 5400
) as evening
order by am_pm_ratio
limit 100
