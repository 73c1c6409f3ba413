select cc_call_center_id as call_center, cc_name as call_center_name, cc_manager as manager, sum(cr_net_loss) as returns_loss
from call_center, catalog_returns, date_dim, customer, customer_address, customer_demographics, household_demographics
where cr_call_center_sk = cc_call_center_sk and cr_returned_date_sk = d_date_sk and cr_returning_customer_sk = c_customer_sk
    and cd_demo_sk = c_current_cdemo_sk and hd_demo_sk = c_current_hdemo_sk and ca_address_sk = c_current_addr_sk
    and d_year = 2000
    and ((cd_marital_status = 'M' and cd_education_status in ('Unknown', 'College', '2 yr Degree'))
        or (cd_marital_status in ('W', 'S') and cd_education_status in ('Advanced Degree', '2 yr Degree')))
    and (hd_buy_potential like 'Unknown%' or hd_buy_potential like '5%' or hd_buy_potential like '1%')
    and ca_gmt_offset in (-5, -8)
group by cc_call_center_id, cc_name, cc_manager, cd_marital_status, cd_education_status
order by returns_loss desc
