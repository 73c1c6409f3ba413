with totals as (
    select c_customer_id as id, c_first_name as first, c_last_name as last, c_email_address as email, d_year as year,
        sum((ss_ext_list_price - ss_ext_wholesale_cost - ss_ext_discount_amt + ss_ext_sales_price) / 2) as total,
        's' as channel
    from customer, store_sales, date_dim
    where c_customer_sk = ss_customer_sk and ss_sold_date_sk = d_date_sk
    group by c_customer_id, c_first_name, c_last_name, c_email_address, d_year
    union all
    select c_customer_id, c_first_name, c_last_name, c_email_address, d_year,
        sum((cs_ext_list_price - cs_ext_wholesale_cost - cs_ext_discount_amt + cs_ext_sales_price) / 2), 'c'
    from customer, catalog_sales, date_dim
    where c_customer_sk = cs_bill_customer_sk and cs_sold_date_sk = d_date_sk
    group by c_customer_id, c_first_name, c_last_name, c_email_address, d_year
    union all
    select c_customer_id, c_first_name, c_last_name, c_email_address, d_year,
        sum((ws_ext_list_price - ws_ext_wholesale_cost - ws_ext_discount_amt + ws_ext_sales_price) / 2), 'w'
    from customer, web_sales, date_dim
    where c_customer_sk = ws_bill_customer_sk and ws_sold_date_sk = d_date_sk
    group by c_customer_id, c_first_name, c_last_name, c_email_address, d_year
)
select s2.id, s2.first, s2.last, s2.email
from totals s1
join totals s2 on s2.id = s1.id
join totals c1 on c1.id = s1.id
join totals c2 on c2.id = s1.id
join totals w1 on w1.id = s1.id
join totals w2 on w2.id = s1.id
where s1.channel = 's' and s2.channel = 's' and c1.channel = 'c' and c2.channel = 'c' and w1.channel = 'w' and w2.channel = 'w'
    and s1.year = 1999 and s2.year = 2000
    and c1.year = 1999 and c2.year = 2000
    and w1.year = 1999 and w2.year = 2000
    and s1.total > 0 and c1.total > 0 and w1.total > 0
    and case when c1.total > 0 then c2.total / c1.total end > case when s1.total > 0 then s2.total / s1.total end
    and case when c1.total > 0 then c2.total / c1.total end > case when w1.total > 0 then w2.total / w1.total end
order by s2.id, s2.first, s2.last, s2.email
limit 100
