prepare statement_1 as
select *
from (
  select *, count(*) over () as fetched, coalesce(sum(weight) over (order by id asc rows between unbounded preceding and 1 preceding), 0) as weight_before
  from (
    select *
    from (select "u".*, ('') as sort_key from "users" as "u" where "u"."directory_id" = $1) as "keyed"
    order by id asc
    limit $2
  ) as "page"
  cross join lateral (
    select json_weight(page.resource) + coalesce(json_weight(page.pushed), 0) + coalesce(json_weight(page.custom_attributes), 0) + case when page.roles is null then 0 else json_weight(page.roles) + coalesce(json_weight(page.group_roles), 0) end as weight
    offset 0
  ) weighed
) as "measured"
where "weight_before" < $3
order by id asc;
execute statement_1 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 11,
  /* $3 */ 8388608
);
