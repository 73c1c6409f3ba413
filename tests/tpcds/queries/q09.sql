select
    case when (select count(*) from store_sales where ss_quantity between 1 and 20) > 300
        then (select avg(ss_ext_discount_amt) from store_sales where ss_quantity between 1 and 20)
        else (select avg(ss_net_paid) from store_sales where ss_quantity between 1 and 20) end as bucket1,
    case when (select count(*) from store_sales where ss_quantity between 21 and 40) > 400
        then (select avg(ss_ext_discount_amt) from store_sales where ss_quantity between 21 and 40)
        else (select avg(ss_net_paid) from store_sales where ss_quantity between 21 and 40) end as bucket2,
    case when (select count(*) from store_sales where ss_quantity between 41 and 60) > 200
        then (select avg(ss_ext_discount_amt) from store_sales where ss_quantity between 41 and 60)
        else (select avg(ss_net_paid) from store_sales where ss_quantity between 41 and 60) end as bucket3
from reason
where r_reason_sk = 1
