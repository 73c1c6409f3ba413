select distinct i_product_name
from item i1
where i_manufact_id between 1 and 8
    and (
        select count(*)
        from item
        where i_manufact = i1.i_manufact
            and (
                (i_category = 'Women' and i_color in ('pale', 'pink') and i_units in ('Oz', 'Each'))
                or (i_category = 'Men' and i_color in ('blue', 'red') and i_size in ('medium', 'large'))
                or (i_category = 'Books' and i_units in ('Box', 'Pound', 'Each'))
            )
    ) > 0
order by i_product_name
limit 100
