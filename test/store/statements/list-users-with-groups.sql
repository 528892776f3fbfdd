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

prepare statement_2 as
select member_id, count(*) as groups
from group_members
where directory_id = $1 and member_id = any(cast($2 as uuid[]))
group by member_id;
execute statement_2 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '{"10000000-0000-0000-0000-000000000002","10000000-0000-0000-0000-000000000003"}'
);

prepare statement_3 as
select m.member_id, cast(sum(300 + 2 * octet_length(g.display_name)) as float8) as weight
from group_members m
join groups g on g.directory_id = m.directory_id and g.id = m.group_id
where m.directory_id = $1 and m.member_id = any(cast($2 as uuid[]))
group by m.member_id;
execute statement_3 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '{"10000000-0000-0000-0000-000000000002","10000000-0000-0000-0000-000000000003"}'
);

prepare statement_4 as
select m.member_id, json_agg(json_build_object('id', coalesce(g.public_id, cast(g.id as text)), 'displayName', g.display_name) order by g.id) as groups
from group_members m
join groups g on g.directory_id = m.directory_id and g.id = m.group_id
where m.directory_id = $1 and m.member_id = any(cast($2 as uuid[]))
group by m.member_id;
execute statement_4 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '{"10000000-0000-0000-0000-000000000002","10000000-0000-0000-0000-000000000003"}'
);
