select set_config('idle_in_transaction_session_timeout', '240s', true), set_config('jit', 'off', true);

prepare statement_2 as
select tenant, product, last_sequence, inactive_users, inactive_users_upto, now() as at
from directories
where id = $1;
execute statement_2 (
  /* $1 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_3 as
select pg_try_advisory_xact_lock(hashtextextended($1, 7265636532)) as is_locked;
execute statement_3 (
  /* $1 */ 't'
);

prepare statement_4 as
select pg_try_advisory_xact_lock(7265636533 + cast($1 as int)) as is_locked;
execute statement_4 (
  /* $1 */ 1
);

prepare statement_5 as
select *
from (
  select page.*, sum(weight) over (order by id rows between unbounded preceding and 1 preceding) as weight_before
  from (
    select r.*, case when pg_column_size(r.resource) < 2048 and pg_column_compression(r.resource) is null then 2 * pg_column_size(r.resource) else json_weight(r.resource) end + coalesce(case when pg_column_size(r.pushed) < 2048 and pg_column_compression(r.pushed) is null then 2 * pg_column_size(r.pushed) else json_weight(r.pushed) end, 0) + coalesce(case when pg_column_size(r.custom_attributes) < 2048 and pg_column_compression(r.custom_attributes) is null then 2 * pg_column_size(r.custom_attributes) else json_weight(r.custom_attributes) end, 0) + case when r.roles is null then 0 else json_weight(r.roles) + coalesce(json_weight(r.group_roles), 0) end as weight
    from users r
    where directory_id = $1 and id > $2
    order by directory_id, id
    limit $3
  ) page
) weighed
where coalesce(weight_before, 0) < $4
order by id;
execute statement_5 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '00000000-0000-0000-0000-000000000000',
  /* $3 */ 500,
  /* $4 */ 2097152
);

prepare statement_6 as
select *
from (
  select page.*, sum(weight) over (order by id rows between unbounded preceding and 1 preceding) as weight_before
  from (
    select r.*, case when pg_column_size(r.resource) < 2048 and pg_column_compression(r.resource) is null then 2 * pg_column_size(r.resource) else json_weight(r.resource) end + coalesce(case when pg_column_size(r.pushed) < 2048 and pg_column_compression(r.pushed) is null then 2 * pg_column_size(r.pushed) else json_weight(r.pushed) end, 0) + coalesce(case when pg_column_size(r.custom_attributes) < 2048 and pg_column_compression(r.custom_attributes) is null then 2 * pg_column_size(r.custom_attributes) else json_weight(r.custom_attributes) end, 0) + case when r.roles is null then 0 else json_weight(r.roles) + coalesce(json_weight(r.group_roles), 0) end as weight
    from users r
    where directory_id = $1 and id > $2
    order by directory_id, id
    limit $3
  ) page
) weighed
where coalesce(weight_before, 0) < $4
order by id;
execute statement_6 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 16,
  /* $4 */ 2097152
);

prepare statement_7 as
select *
from (
  select page.*, sum(weight) over (order by id rows between unbounded preceding and 1 preceding) as weight_before
  from (
    select r.*, case when pg_column_size(r.resource) < 2048 and pg_column_compression(r.resource) is null then 2 * pg_column_size(r.resource) else json_weight(r.resource) end + coalesce(case when pg_column_size(r.pushed) < 2048 and pg_column_compression(r.pushed) is null then 2 * pg_column_size(r.pushed) else json_weight(r.pushed) end, 0) as weight
    from groups r
    where directory_id = $1 and id > $2
    order by directory_id, id
    limit $3
  ) page
) weighed
where coalesce(weight_before, 0) < $4
order by id;
execute statement_7 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '00000000-0000-0000-0000-000000000000',
  /* $3 */ 500,
  /* $4 */ 2097152
);

prepare statement_8 as
select g.directory_id, g.id, g.member_count - (
  select count(*)
  from pending_members p
  where p.directory_id = g.directory_id and p.group_id = g.id
) as count
from unnest(cast($1 as uuid[]), cast($2 as uuid[])) as given(directory_id, id)
join groups g on g.directory_id = given.directory_id and g.id = given.id;
execute statement_8 (
  /* $1 */ '{"10000000-0000-0000-0000-000000000001"}',
  /* $2 */ '{"10000000-0000-0000-0000-000000000003"}'
);

prepare statement_9 as
select *
from (
  select page.*, sum(weight) over (order by id rows between unbounded preceding and 1 preceding) as weight_before
  from (
    select r.*, case when pg_column_size(r.resource) < 2048 and pg_column_compression(r.resource) is null then 2 * pg_column_size(r.resource) else json_weight(r.resource) end + coalesce(case when pg_column_size(r.pushed) < 2048 and pg_column_compression(r.pushed) is null then 2 * pg_column_size(r.pushed) else json_weight(r.pushed) end, 0) as weight
    from groups r
    where directory_id = $1 and id > $2
    order by directory_id, id
    limit $3
  ) page
) weighed
where coalesce(weight_before, 0) < $4
order by id;
execute statement_9 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000003',
  /* $3 */ 16,
  /* $4 */ 2097152
);

prepare statement_10 as
select string_agg(line, '') as lines, cast(count(*) as int) as count, (array_agg(group_key))[count(*)] as group_key, (array_agg(member_key))[count(*)] as member_key
from (
  select m.group_id as group_key, m.member_id as member_key, '{"type":"membership","data":{"group_id":' || cast(to_json(case when substr(cast(m.group_id as text), 15, 1) = '8' then (
    select coalesce(public_id, cast(id as text))
    from groups
    where directory_id = m.directory_id and id = m.group_id
  ) else cast(m.group_id as text) end) as text) || ',"user_id":' || cast(to_json(case when substr(cast(m.member_id as text), 15, 1) = '8' then coalesce((
    select public_id
    from users
    where directory_id = m.directory_id and id = m.member_id
  ), (
    select public_id
    from groups
    where directory_id = m.directory_id and id = m.member_id
  )) else cast(m.member_id as text) end) as text) || '}}' || chr(10) as line
  from group_members m
  where directory_id = $1 and (group_id, member_id) > (cast($2 as uuid), cast($3 as uuid)) and kind = 'user'
  order by directory_id, group_id, member_id
  limit $4
) page having count(*) > 0;
execute statement_10 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '00000000-0000-0000-0000-000000000000',
  /* $3 */ '00000000-0000-0000-0000-000000000000',
  /* $4 */ 5000
);

prepare statement_11 as
select string_agg(line, '') as lines, cast(count(*) as int) as count, (array_agg(group_key))[count(*)] as group_key, (array_agg(member_key))[count(*)] as member_key
from (
  select m.group_id as group_key, m.member_id as member_key, '{"type":"membership","data":{"group_id":' || cast(to_json(case when substr(cast(m.group_id as text), 15, 1) = '8' then (
    select coalesce(public_id, cast(id as text))
    from groups
    where directory_id = m.directory_id and id = m.group_id
  ) else cast(m.group_id as text) end) as text) || ',"user_id":' || cast(to_json(case when substr(cast(m.member_id as text), 15, 1) = '8' then coalesce((
    select public_id
    from users
    where directory_id = m.directory_id and id = m.member_id
  ), (
    select public_id
    from groups
    where directory_id = m.directory_id and id = m.member_id
  )) else cast(m.member_id as text) end) as text) || '}}' || chr(10) as line
  from group_members m
  where directory_id = $1 and (group_id, member_id) > (cast($2 as uuid), cast($3 as uuid)) and kind = 'user'
  order by directory_id, group_id, member_id
  limit $4
) page having count(*) > 0;
execute statement_11 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000003',
  /* $3 */ '10000000-0000-0000-0000-000000000002',
  /* $4 */ 5000
);

prepare statement_12 as
select (select count(*) from users where directory_id = $1) as users, (select count(*) from groups where directory_id = $2) as groups, (select count(*) from group_members where directory_id = $3 and kind = 'user') as memberships;
execute statement_12 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ '10000000-0000-0000-0000-000000000001'
);
