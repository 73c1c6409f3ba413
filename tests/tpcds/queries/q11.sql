with totals as (
    select c_customer_id as id, c_first_name as first, c_last_name as last, c_preferred_cust_flag as flag,
        d_year as year, sum(ss_ext_list_price - ss_ext_discount_amt) as total, 's' as channel
    from customer, store_sales, date_dim
    where c_customer_sk = ss_customer_sk and ss_sold_date_sk = d_date_sk
    group by c_customer_id, c_first_name, c_last_name, c_preferred_cust_flag, d_year
    union all
    select c_customer_id, c_first_name, c_last_name, c_preferred_cust_flag, d_year,
        sum(ws_ext_list_price - ws_ext_discount_amt), 'w'
    from customer, web_sales, date_dim
    where c_customer_sk = ws_bill_customer_sk and ws_sold_date_sk = d_date_sk
    group by c_customer_id, c_first_name, c_last_name, c_preferred_cust_flag, d_year
)
select s2.id, s2.first, s2.last, s2.flag
from totals s1, totals s2, totals w1, totals w2
where s2.id = s1.id and s1.id = w2.id and s1.id = w1.id
    and s1.channel = 's' and w1.channel = 'w' and s2.channel = 's' and w2.channel = 'w'
    and s1.year = 2000 and s2.year = 2001 and w1.year = 2000 and w2.year = 2001
    and s1.total > 0 and w1.total > 0
    and case when w1.total > 0 then w2.total / w1.total else 0.0 end
        > case when s1.total > 0 then s2.total / s1.total else 0.0 end
order by s2.id, s2.first, s2.last, s2.flag
limit 100
