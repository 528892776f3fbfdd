prepare statement_1 as
select *
from (
  select *, count(*) over () as fetched, coalesce(sum(weight) over (order by id asc rows between unbounded preceding and 1 preceding), 0) as weight_before
  from (
    select *
    from (
      select "u".*, ('') as sort_key
      from "users" as "u"
      where "u"."directory_id" = $1 and (((exists (
        select
        from group_members i
        where i.directory_id = u.directory_id and i.member_id = u.id and i.group_id = cast($2 as uuid)
      ) and (exists (
        select
        from (
          select m.directory_id, m.member_id, m.position, x.id, x.public_id, x.display_name, x.display_name_key
          from group_members m
          join groups x on x.directory_id = m.directory_id and x.id = m.group_id
        ) filter_0
        where filter_0.directory_id = u.directory_id and filter_0.member_id = u.id and (filter_0.id = cast($3 as uuid))
      ))) or (exists (
        select
        from (
          select m.directory_id, m.member_id, m.position, x.id, x.public_id, x.display_name, x.display_name_key
          from group_members m
          join groups x on x.directory_id = m.directory_id and x.id = m.group_id
        ) filter_1
        where filter_1.directory_id = u.directory_id and filter_1.member_id = u.id and (position(cast($4 as text) in filter_1.display_name_key) > 0)
      ))))
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
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ '10000000-0000-0000-0000-000000000002',
  /* $4 */ 'team',
  /* $5 */ 11,
  /* $6 */ 8388608
);
