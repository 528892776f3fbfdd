prepare statement_1 as
with keys as (
  select k.*
  from unnest(cast($1 as uuid[])) as d(id)
  cross join lateral ((
    select directory_id, id, cast(cast('x' || left(replace(cast(id as text), '-', ''), 12) as bit(48)) as bigint) as at
    from "users" r
    where directory_id = d.id and id < cast($2 as uuid) and case when get_byte(uuid_send(id), 6) / 16 <> 7 then false else true end
    order by directory_id desc, id desc
    limit cast($3 as bigint) + $4 + 1
  ) union all (
    select directory_id, id, cast(extract(epoch from created_at) * 1000 as bigint)
    from "users" r
    where directory_id = d.id and get_byte(uuid_send(id), 6) / 16 <> 7
    order by directory_id desc, created_at desc, id desc
    limit cast($5 as bigint) + $6 + 1
  )) k
  order by at desc, id desc, directory_id desc
  offset cast($7 as bigint)
  limit cast($8 as bigint) + 1
),
measured as (
  select r.*, keys.at as listed_at, count(*) over () as fetched, coalesce(sum(json_weight(r.resource) + coalesce(json_weight(r.pushed), 0) + coalesce(json_weight(r.custom_attributes), 0) + case when r.roles is null then 0 else json_weight(r.roles) + coalesce(json_weight(r.group_roles), 0) end) over (order by keys.at desc, r.id desc, r.directory_id desc rows between unbounded preceding and 1 preceding), 0) as weight_before
  from keys
  join "users" r on r.directory_id = keys.directory_id and r.id = keys.id
)
select *
from measured
where weight_before < $9
order by listed_at desc, id desc, directory_id desc;
execute statement_1 (
  /* $1 */ '{"10000000-0000-0000-0000-000000000001"}',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 0,
  /* $4 */ 10,
  /* $5 */ 0,
  /* $6 */ 10,
  /* $7 */ 0,
  /* $8 */ 10,
  /* $9 */ 16777216
);

prepare statement_2 as
with keys as (
  select k.*
  from unnest(cast($1 as uuid[])) as d(id)
  cross join lateral ((
    select directory_id, id, cast(cast('x' || left(replace(cast(id as text), '-', ''), 12) as bit(48)) as bigint) as at
    from "groups" r
    where directory_id = d.id and id < cast($2 as uuid) and case when get_byte(uuid_send(id), 6) / 16 <> 7 then false else true end
    order by directory_id desc, id desc
    limit cast($3 as bigint) + $4 + 1
  ) union all (
    select directory_id, id, cast(extract(epoch from created_at) * 1000 as bigint)
    from "groups" r
    where directory_id = d.id and get_byte(uuid_send(id), 6) / 16 <> 7
    order by directory_id desc, created_at desc, id desc
    limit cast($5 as bigint) + $6 + 1
  )) k
  order by at desc, id desc, directory_id desc
  offset cast($7 as bigint)
  limit cast($8 as bigint) + 1
),
measured as (
  select r.*, keys.at as listed_at, count(*) over () as fetched, coalesce(sum(json_weight(r.resource) + coalesce(json_weight(r.pushed), 0)) over (order by keys.at desc, r.id desc, r.directory_id desc rows between unbounded preceding and 1 preceding), 0) as weight_before
  from keys
  join "groups" r on r.directory_id = keys.directory_id and r.id = keys.id
)
select *
from measured
where weight_before < $9
order by listed_at desc, id desc, directory_id desc;
execute statement_2 (
  /* $1 */ '{"10000000-0000-0000-0000-000000000001"}',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 0,
  /* $4 */ 10,
  /* $5 */ 0,
  /* $6 */ 10,
  /* $7 */ 0,
  /* $8 */ 10,
  /* $9 */ 16777216
);

prepare statement_3 as
select g.directory_id, g.id, g.member_count - (
  select count(*)
  from pending_members p
  where p.directory_id = g.directory_id and p.group_id = g.id
) as count
from unnest(cast($1 as uuid[]), cast($2 as uuid[])) as given(directory_id, id)
join groups g on g.directory_id = given.directory_id and g.id = given.id;
execute statement_3 (
  /* $1 */ '{"10000000-0000-0000-0000-000000000001"}',
  /* $2 */ '{"10000000-0000-0000-0000-000000000003"}'
);
