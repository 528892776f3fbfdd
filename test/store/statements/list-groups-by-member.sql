prepare statement_1 as
select *
from (
  select *, count(*) over () as fetched, coalesce(sum(weight) over (order by id asc rows between unbounded preceding and 1 preceding), 0) as weight_before
  from (
    select *
    from (
      select "g".*, ('') as sort_key
      from "groups" as "g"
      where "g"."directory_id" = $1 and (((exists (
        select
        from (
          select directory_id, group_id
          from group_members
          where member_id = cast($2 as uuid)
          union all
          select directory_id, group_id
          from pending_members
          where value_key = cast($3 as text)
        ) i
        where i.directory_id = g.directory_id and i.group_id = g.id
      ) and (exists (
        select
        from group_members filter_0
        where filter_0.directory_id = g.directory_id and filter_0.group_id = g.id and (filter_0.member_id = cast($4 as uuid))
      ) or exists (
        select
        from pending_members filter_1
        where filter_1.directory_id = g.directory_id and filter_1.group_id = g.id and (filter_1.value = cast($5 as text))
      ))) and right(g.display_name_key, length(cast($6 as text))) = cast($7 as text)))
    ) as "keyed"
    order by id asc
    limit $8
  ) as "page"
  cross join lateral (
    select json_weight(page.resource) + coalesce(json_weight(page.pushed), 0) as weight
    offset 0
  ) weighed
) as "measured"
where "weight_before" < $9
order by id asc;
execute statement_1 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ '10000000-0000-0000-0000-000000000002',
  /* $4 */ '10000000-0000-0000-0000-000000000002',
  /* $5 */ '10000000-0000-0000-0000-000000000002',
  /* $6 */ 'm',
  /* $7 */ 'm',
  /* $8 */ 11,
  /* $9 */ 8388608
);

prepare statement_2 as
select group_id, cast(sum(240 + coalesce(octet_length(display), 0)) as float8) as weight
from (
  select group_id, display
  from group_members
  where directory_id = $1 and group_id = any(cast($2 as uuid[]))
  union all
  select group_id, display
  from pending_members
  where directory_id = $3 and group_id = any(cast($4 as uuid[]))
) found
group by group_id;
execute statement_2 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '{"10000000-0000-0000-0000-000000000003"}',
  /* $3 */ '10000000-0000-0000-0000-000000000001',
  /* $4 */ '{"10000000-0000-0000-0000-000000000003"}'
);

prepare statement_3 as
select group_id, json_agg(member order by is_pending, position) as members
from (
  select group_id, position, false as is_pending, case when display is null then json_build_array(member.id, left(kind, 1)) else json_build_array(member.id, left(kind, 1), display) end as member
  from group_members
  cross join lateral (
    select case when substr(cast(group_members.member_id as text), 15, 1) = '8' then coalesce((
      select public_id
      from users
      where directory_id = group_members.directory_id and id = group_members.member_id
    ), (
      select public_id
      from groups
      where directory_id = group_members.directory_id and id = group_members.member_id
    )) else cast(group_members.member_id as text) end as id
    offset 0
  ) member
  where directory_id = $1 and group_id = any(cast($2 as uuid[]))
  union all
  select group_id, position, true, case when display is null then json_build_array(value, null) else json_build_array(value, null, display) end
  from pending_members
  where directory_id = $3 and group_id = any(cast($4 as uuid[]))
) found
group by group_id;
execute statement_3 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '{"10000000-0000-0000-0000-000000000003"}',
  /* $3 */ '10000000-0000-0000-0000-000000000001',
  /* $4 */ '{"10000000-0000-0000-0000-000000000003"}'
);
