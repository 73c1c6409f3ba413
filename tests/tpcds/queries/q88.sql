select *
from (
    select count(*) as h8_30_to_9
    from store_sales, household_demographics, time_dim, store
    where ss_sold_time_sk = t_time_sk and ss_hdemo_sk = hd_demo_sk and ss_store_sk = s_store_sk
        and t_hour = 8 and t_minute >= 30
        and ((hd_dep_count = 4 and hd_vehicle_count <= 6) or (hd_dep_count = 2 and hd_vehicle_count <= 4)
            or (hd_dep_count = 0 and hd_vehicle_count <= 2))
        and s_store_name in ('ese', 'able', 'bar')
) as s1
cross join (
    select count(*) as h9_to_9_30
    from store_sales, household_demographics, time_dim, store
    where ss_sold_time_sk = t_time_sk and ss_hdemo_sk = hd_demo_sk and ss_store_sk = s_store_sk
        and t_hour = 9 and t_minute < 30
        and ((hd_dep_count = 4 and hd_vehicle_count <= 6) or (hd_dep_count = 2 and hd_vehicle_count <= 4)
            or (hd_dep_count = 0 and hd_vehicle_count <= 2))
        and s_store_name in ('ese', 'able', 'bar')
) as s2
cross join (
    select count(*) as h9_30_to_10
    from store_sales, household_demographics, time_dim, store
    where ss_sold_time_sk = t_time_sk and ss_hdemo_sk = hd_demo_sk and ss_store_sk = s_store_sk
        and t_hour = 9 and t_minute >= 30
        and ((hd_dep_count = 4 and hd_vehicle_count <= 6) or (hd_dep_count = 2 and hd_vehicle_count <= 4)
            or (hd_dep_count = 0 and hd_vehicle_count <= 2))
        and s_store_name in ('ese', 'able', 'bar')
) as s3
