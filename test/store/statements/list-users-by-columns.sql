prepare statement_1 as
select *
from (
  select *, count(*) over () as fetched, coalesce(sum(weight) over (order by id asc rows between unbounded preceding and 1 preceding), 0) as weight_before
  from (
    select *
    from (
      select "u".*, ('') as sort_key
      from "users" as "u"
      where "u"."directory_id" = $1 and ((u.display_name_key = cast($2 as text) and u.active = cast($3 as boolean) and (date_trunc('milliseconds', u.created_at) > cast($4 as timestamptz)) is not true))
    ) as "keyed"
    order by id asc
    limit $5
  ) as "page"
  cross join lateral (
    select json_weight(page.resource) + coalesce(json_weight(page.pushed), 0) + coalesce(json_weight(page.custom_attributes), 0) + case when page.roles is null then 0 else json_weight(page.roles) + coalesce(json_weight(page.group_roles), 0) end as weight
    offset 0
  ) weighed
) as "measured"
where "weight_before" < $6
order by id asc;
execute statement_1 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 'ada',
  /* $3 */ 'true',
  /* $4 */ '2026-01-01T00:00:00.000Z',
  /* $5 */ 11,
  /* $6 */ 8388608
);
