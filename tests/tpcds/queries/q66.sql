select w_warehouse_name, w_warehouse_sq_ft, w_city, w_state, ship_carriers, year,
    sum(jan_sales) as jan_sales, sum(nov_sales) as nov_sales, sum(dec_sales) as dec_sales,
    sum(nov_sales / nullif(w_warehouse_sq_ft, 0)) as nov_sales_per_sq_foot,
    sum(jan_net) as jan_net, sum(nov_net) as nov_net, sum(dec_net) as dec_net
from (
    select w_warehouse_name, w_warehouse_sq_ft, w_city, w_state, concat('DHL', ',', 'BARIAN') as ship_carriers,
        d_year as year,
        sum(case when d_moy = 1 then ws_ext_sales_price * ws_quantity else 0 end) as jan_sales,
        sum(case when d_moy = 11 then ws_ext_sales_price * ws_quantity else 0 end) as nov_sales,
        sum(case when d_moy = 12 then ws_ext_sales_price * ws_quantity else 0 end) as dec_sales,
        sum(case when d_moy = 1 then ws_net_paid * ws_quantity else 0 end) as jan_net,
        sum(case when d_moy = 11 then ws_net_paid * ws_quantity else 0 end) as nov_net,
        sum(case when d_moy = 12 then ws_net_paid * ws_quantity else 0 end) as dec_net
    from web_sales, warehouse, date_dim, time_dim, ship_mode
    where ws_warehouse_sk = w_warehouse_sk and ws_sold_date_sk = d_date_sk and ws_sold_time_sk = t_time_sk
        and ws_ship_mode_sk = sm_ship_mode_sk and d_year = 2000 and t_time between 30838 and 30838 + 28800
        and sm_carrier in ('DHL', 'BARIAN')
    group by w_warehouse_name, w_warehouse_sq_ft, w_city, w_state, d_year
    union all
    select w_warehouse_name, w_warehouse_sq_ft, w_city, w_state, concat('DHL', ',', 'BARIAN'), d_year,
        sum(case when d_moy = 1 then cs_sales_price * cs_quantity else 0 end),
        sum(case when d_moy = 11 then cs_sales_price * cs_quantity else 0 end),
        sum(case when d_moy = 12 then cs_sales_price * cs_quantity else 0 end),
        sum(case when d_moy = 1 then cs_net_paid_inc_tax * cs_quantity else 0 end),
        sum(case when d_moy = 11 then cs_net_paid_inc_tax * cs_quantity else 0 end),
        sum(case when d_moy = 12 then cs_net_paid_inc_tax * cs_quantity else 0 end)
    from catalog_sales, warehouse, date_dim, time_dim, ship_mode
    where cs_warehouse_sk = w_warehouse_sk and cs_sold_date_sk = d_date_sk and cs_sold_time_sk = t_time_sk
        and cs_ship_mode_sk = sm_ship_mode_sk and d_year = 2000 and t_time between 30838 and 30838 + 28800
        and sm_carrier in ('DHL', 'BARIAN')
    group by w_warehouse_name, w_warehouse_sq_ft, w_city, w_state, d_year
) as x
group by w_warehouse_name, w_warehouse_sq_ft, w_city, w_state, ship_carriers, year
order by w_warehouse_name
limit 100
