select *
from (
    select avg(ss_list_price) as b1_lp, count(ss_list_price) as b1_cnt, count(distinct ss_list_price) as b1_cntd
    from store_sales
    where ss_quantity between 0 and 5
        and (ss_list_price between 8 and 18 or ss_coupon_amt between 459 and 1459 or ss_wholesale_cost between 57 and 77)
) as b1
cross join (
    select avg(ss_list_price) as b2_lp, count(ss_list_price) as b2_cnt, count(distinct ss_list_price) as b2_cntd
    from store_sales
    where ss_quantity between 6 and 10
        and (ss_list_price between 90 and 100 or ss_coupon_amt between 323 and 1323 or ss_wholesale_cost between 31 and 51)
) as b2
cross join (
    select avg(ss_list_price) as b3_lp, count(ss_list_price) as b3_cnt, count(distinct ss_list_price) as b3_cntd
    from store_sales
    where ss_quantity between 11 and 15
        and (ss_list_price between 142 and 152 or ss_coupon_amt between 214 and 1214 or ss_wholesale_cost between 79 and 99)
) as b3
limit 100
