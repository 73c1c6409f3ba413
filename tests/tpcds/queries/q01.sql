with returned as (
    select sr_customer_sk as customer, sr_store_sk as store, sum(sr_return_amt) as total
    from store_returns
    join date_dim on sr_returned_date_sk = d_date_sk
    where d_year = 2000
    group by sr_customer_sk, sr_store_sk
)
select c_customer_id
from returned r, store, customer
where r.total > (select avg(other.total) * 1.2 from returned other where other.store = r.store)
    and s_store_sk = r.store
    and s_state in ('TN', 'GA', 'CA')
    and r.customer = c_customer_sk
order by c_customer_id
limit 100
