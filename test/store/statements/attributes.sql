prepare statement_1 as
select pg_advisory_xact_lock(hashtextextended($1, 7265636534));
execute statement_1 (
  /* $1 */ 'app'
);

prepare statement_2 as
select "attributes"
from "attribute_schemas"
where "product" = $1
limit $2;
execute statement_2 (
  /* $1 */ 'app',
  /* $2 */ 1
);

prepare statement_3 as
select count(*) as count
from directories
where product = $1 and jsonb_exists_any(attribute_mapping, cast($2 as text[]));
execute statement_3 (
  /* $1 */ 'app',
  /* $2 */ '{"level"}'
);

prepare statement_4 as
insert into "attribute_schemas"("attributes", "product")
values ($1, $2)
on conflict("product") do update
set "attributes" = $3, "updated_at" = clock_timestamp();
execute statement_4 (
  /* $1 */ '[{"name":"job_title","type":"string","multiValued":false,"required":true}]',
  /* $2 */ 'app',
  /* $3 */ '[{"name":"job_title","type":"string","multiValued":false,"required":true}]'
);

prepare statement_5 as
insert into audit_log(body)
values ($1);
execute statement_5 (
  /* $1 */ '{"id":"10000000-0000-0000-0000-000000000001","action":"attribute_schema.updated","occurred_at":"2026-01-01T00:00:00.000Z","actor":{"type":"service","id":"rollcall","name":"Rollcall"},"targets":[{"type":"attribute_schema","id":"app","product":"app"}],"context":{"location":null,"user_agent":null,"request_id":null},"changes":{"attributes":{"from":{},"to":{"job_title":"string"}}},"result":"success"}'
);

prepare statement_6 as
with concerned as materialized (
  select id, revision
  from all_directories
  where product = $1 and deleting_at is null
  order by id for no key update
),
moved as (
  update all_directories d
  set revision = d.revision + 1
  from concerned
  where d.id = concerned.id
),
import_goes_on as (
  update imported_directories i
  set revision = i.revision + 1
  from concerned
  where i.directory_id = concerned.id and i.revision = concerned.revision
)
insert into attribute_recomputes as r(directory_id, id)
select id, gen_random_uuid()
from concerned
on conflict(directory_id) do update
set id = excluded.id, after = null, done = 0, requested_at = excluded.requested_at, progressed_at = excluded.progressed_at,
  finished_at = null
returning r.directory_id, r.id;
execute statement_6 (
  /* $1 */ 'app'
);

prepare statement_7 as
select "product"
from "directories"
where "id" = $1
limit $2;
execute statement_7 (
  /* $1 */ '10000000-0000-0000-0000-000000000002',
  /* $2 */ 1
);

prepare statement_8 as
select pg_advisory_xact_lock_shared(hashtextextended($1, 7265636534));
execute statement_8 (
  /* $1 */ 'p'
);

prepare statement_9 as
select "attributes"
from "attribute_schemas"
where "product" = $1
limit $2;
execute statement_9 (
  /* $1 */ 'p',
  /* $2 */ 1
);

prepare statement_10 as
select attribute_mapping
from directories
where id = $1 for no key update;
execute statement_10 (
  /* $1 */ '10000000-0000-0000-0000-000000000002'
);

prepare statement_11 as
update "all_directories"
set "attribute_mapping" = $1
where "id" = $2;
execute statement_11 (
  /* $1 */ '{"job_title":{"path":"title"}}',
  /* $2 */ '10000000-0000-0000-0000-000000000002'
);

prepare statement_12 as
select "id", "tenant", "product"
from "all_directories"
where "id" = $1
limit $2;
execute statement_12 (
  /* $1 */ '10000000-0000-0000-0000-000000000002',
  /* $2 */ 1
);

prepare statement_13 as
insert into audit_log(body)
values ($1);
execute statement_13 (
  /* $1 */ '{"id":"10000000-0000-0000-0000-000000000003","action":"directory.mapping_updated","occurred_at":"2026-01-01T00:00:00.000Z","actor":{"type":"service","id":"rollcall","name":"Rollcall"},"targets":[{"type":"directory","id":"10000000-0000-0000-0000-000000000002","tenant":"t","product":"p"}],"context":{"location":null,"user_agent":null,"request_id":null},"changes":{"attributes":{"from":{},"to":{"job_title":["title"]}}},"result":"success"}'
);

prepare statement_14 as
with concerned as materialized (
  select id, revision
  from all_directories
  where id = $1 and deleting_at is null
  order by id for no key update
),
moved as (
  update all_directories d
  set revision = d.revision + 1
  from concerned
  where d.id = concerned.id
),
import_goes_on as (
  update imported_directories i
  set revision = i.revision + 1
  from concerned
  where i.directory_id = concerned.id and i.revision = concerned.revision
)
insert into attribute_recomputes as r(directory_id, id)
select id, cast($2 as uuid)
from concerned
on conflict(directory_id) do update
set id = excluded.id, after = null, done = 0, requested_at = excluded.requested_at, progressed_at = excluded.progressed_at,
  finished_at = null
returning r.directory_id, r.id;
execute statement_14 (
  /* $1 */ '10000000-0000-0000-0000-000000000002',
  /* $2 */ '10000000-0000-0000-0000-000000000004'
);

prepare statement_15 as
select "id"
from "webhook_endpoints"
where "directory_id" = $1 and "wake" = $2
limit $3;
execute statement_15 (
  /* $1 */ '10000000-0000-0000-0000-000000000002',
  /* $2 */ true,
  /* $3 */ 1
);

prepare statement_16 as
with noted as materialized (
  select array(
    select cast(id as text)
    from (
      select id, coalesce(sum(weight) over (order by id rows between unbounded preceding and 1 preceding), 0) as weight_before
      from (
        select next.id, coalesce(case when pg_column_size(found.resource) < 2048 and pg_column_compression(found.resource) is null then 2 * pg_column_size(found.resource) else json_weight(found.resource) end + coalesce(case when pg_column_size(found.pushed) < 2048 and pg_column_compression(found.pushed) is null then 2 * pg_column_size(found.pushed) else json_weight(found.pushed) end, 0) + coalesce(case when pg_column_size(found.custom_attributes) < 2048 and pg_column_compression(found.custom_attributes) is null then 2 * pg_column_size(found.custom_attributes) else json_weight(found.custom_attributes) end, 0) + case when found.roles is null then 0 else json_weight(found.roles) + coalesce(json_weight(found.group_roles), 0) end, 0) as weight
        from (
          select user_id as id
          from users_to_recompute
          where directory_id = $1
          order by user_id
          limit cast($2 as int)
        ) next
        left join users found on found.directory_id = $3 and found.id = next.id
      ) weighed
    ) so_far
    where weight_before < cast($4 as float8)
    order by id
  ) as ids
)
select noted.ids as noted, case when cardinality(noted.ids) = 0 then array(
  select cast(id as text)
  from (
    select id, coalesce(sum(weight) over (order by id rows between unbounded preceding and 1 preceding), 0) as weight_before
    from (
      select next.id, coalesce(case when pg_column_size(found.resource) < 2048 and pg_column_compression(found.resource) is null then 2 * pg_column_size(found.resource) else json_weight(found.resource) end + coalesce(case when pg_column_size(found.pushed) < 2048 and pg_column_compression(found.pushed) is null then 2 * pg_column_size(found.pushed) else json_weight(found.pushed) end, 0) + coalesce(case when pg_column_size(found.custom_attributes) < 2048 and pg_column_compression(found.custom_attributes) is null then 2 * pg_column_size(found.custom_attributes) else json_weight(found.custom_attributes) end, 0) + case when found.roles is null then 0 else json_weight(found.roles) + coalesce(json_weight(found.group_roles), 0) end, 0) as weight
      from (
        select id
        from users u
        where u.directory_id = $5 and u.id > greatest(r.after, cast($6 as uuid))
        order by u.directory_id, u.id
        limit cast($7 as int)
      ) next
      left join users found on found.directory_id = $8 and found.id = next.id
    ) weighed
  ) so_far
  where weight_before < cast($9 as float8)
  order by id
) end as ids, exists (
  select
  from (
    select id, outcome
    from mutations
    where applied_at > (select clock_timestamp() - interval '1 second')
    order by applied_at desc
    limit 200
  ) recent
  where outcome ->> 'resourceId' <> cast(id as text)
) as is_busy
from noted
cross join attribute_recomputes r
join directories d on d.id = r.directory_id
where r.directory_id = $10 and r.id = cast($11 as uuid) and r.finished_at is null;
execute statement_16 (
  /* $1 */ '10000000-0000-0000-0000-000000000002',
  /* $2 */ 64,
  /* $3 */ '10000000-0000-0000-0000-000000000002',
  /* $4 */ 8388608,
  /* $5 */ '10000000-0000-0000-0000-000000000002',
  /* $6 */ '00000000-0000-0000-0000-000000000000',
  /* $7 */ 64,
  /* $8 */ '10000000-0000-0000-0000-000000000002',
  /* $9 */ 8388608,
  /* $10 */ '10000000-0000-0000-0000-000000000002',
  /* $11 */ '10000000-0000-0000-0000-000000000004'
);

prepare statement_17 as
update "attribute_recomputes"
set "progressed_at" = clock_timestamp()
where "directory_id" = $1 and "id" = $2 and "finished_at" is null;
execute statement_17 (
  /* $1 */ '10000000-0000-0000-0000-000000000002',
  /* $2 */ '10000000-0000-0000-0000-000000000004'
);

prepare statement_18 as
update attribute_recomputes
set after = $1, done = done + $2, progressed_at = clock_timestamp()
where directory_id = $3 and id = $4 and (after is null or after < $5);
execute statement_18 (
  /* $1 */ '10000000-0000-0000-0000-000000000005',
  /* $2 */ 1,
  /* $3 */ '10000000-0000-0000-0000-000000000002',
  /* $4 */ '10000000-0000-0000-0000-000000000004',
  /* $5 */ '10000000-0000-0000-0000-000000000005'
);

prepare statement_19 as
with noted as materialized (
  select array(
    select cast(id as text)
    from (
      select id, coalesce(sum(weight) over (order by id rows between unbounded preceding and 1 preceding), 0) as weight_before
      from (
        select next.id, coalesce(case when pg_column_size(found.resource) < 2048 and pg_column_compression(found.resource) is null then 2 * pg_column_size(found.resource) else json_weight(found.resource) end + coalesce(case when pg_column_size(found.pushed) < 2048 and pg_column_compression(found.pushed) is null then 2 * pg_column_size(found.pushed) else json_weight(found.pushed) end, 0) + coalesce(case when pg_column_size(found.custom_attributes) < 2048 and pg_column_compression(found.custom_attributes) is null then 2 * pg_column_size(found.custom_attributes) else json_weight(found.custom_attributes) end, 0) + case when found.roles is null then 0 else json_weight(found.roles) + coalesce(json_weight(found.group_roles), 0) end, 0) as weight
        from (
          select user_id as id
          from users_to_recompute
          where directory_id = $1
          order by user_id
          limit cast($2 as int)
        ) next
        left join users found on found.directory_id = $3 and found.id = next.id
      ) weighed
    ) so_far
    where weight_before < cast($4 as float8)
    order by id
  ) as ids
)
select noted.ids as noted, case when cardinality(noted.ids) = 0 then array(
  select cast(id as text)
  from (
    select id, coalesce(sum(weight) over (order by id rows between unbounded preceding and 1 preceding), 0) as weight_before
    from (
      select next.id, coalesce(case when pg_column_size(found.resource) < 2048 and pg_column_compression(found.resource) is null then 2 * pg_column_size(found.resource) else json_weight(found.resource) end + coalesce(case when pg_column_size(found.pushed) < 2048 and pg_column_compression(found.pushed) is null then 2 * pg_column_size(found.pushed) else json_weight(found.pushed) end, 0) + coalesce(case when pg_column_size(found.custom_attributes) < 2048 and pg_column_compression(found.custom_attributes) is null then 2 * pg_column_size(found.custom_attributes) else json_weight(found.custom_attributes) end, 0) + case when found.roles is null then 0 else json_weight(found.roles) + coalesce(json_weight(found.group_roles), 0) end, 0) as weight
      from (
        select id
        from users u
        where u.directory_id = $5 and u.id > greatest(r.after, cast($6 as uuid))
        order by u.directory_id, u.id
        limit cast($7 as int)
      ) next
      left join users found on found.directory_id = $8 and found.id = next.id
    ) weighed
  ) so_far
  where weight_before < cast($9 as float8)
  order by id
) end as ids, exists (
  select
  from (
    select id, outcome
    from mutations
    where applied_at > (select clock_timestamp() - interval '1 second')
    order by applied_at desc
    limit 200
  ) recent
  where outcome ->> 'resourceId' <> cast(id as text)
) as is_busy
from noted
cross join attribute_recomputes r
join directories d on d.id = r.directory_id
where r.directory_id = $10 and r.id = cast($11 as uuid) and r.finished_at is null;
execute statement_19 (
  /* $1 */ '10000000-0000-0000-0000-000000000002',
  /* $2 */ 64,
  /* $3 */ '10000000-0000-0000-0000-000000000002',
  /* $4 */ 8388608,
  /* $5 */ '10000000-0000-0000-0000-000000000002',
  /* $6 */ '00000000-0000-0000-0000-000000000000',
  /* $7 */ 64,
  /* $8 */ '10000000-0000-0000-0000-000000000002',
  /* $9 */ 8388608,
  /* $10 */ '10000000-0000-0000-0000-000000000002',
  /* $11 */ '10000000-0000-0000-0000-000000000004'
);

prepare statement_20 as
select "id"
from "attribute_recomputes"
where "directory_id" = $1 and "id" = $2
limit $3 for update;
execute statement_20 (
  /* $1 */ '10000000-0000-0000-0000-000000000002',
  /* $2 */ '10000000-0000-0000-0000-000000000004',
  /* $3 */ 1
);

prepare statement_21 as
select "user_id"
from "users_to_recompute"
where "directory_id" = $1
limit $2;
execute statement_21 (
  /* $1 */ '10000000-0000-0000-0000-000000000002',
  /* $2 */ 1
);

prepare statement_22 as
update "attribute_recomputes"
set "finished_at" = clock_timestamp()
where "directory_id" = $1 and "id" = $2;
execute statement_22 (
  /* $1 */ '10000000-0000-0000-0000-000000000002',
  /* $2 */ '10000000-0000-0000-0000-000000000004'
);

prepare statement_23 as
select "attributes"
from "attribute_schemas"
where "product" = $1
limit $2;
execute statement_23 (
  /* $1 */ 'app',
  /* $2 */ 1
);

prepare statement_24 as
select d.product, d.type, d.inactive_users, d.inactive_users_upto, a.attributes as schema, d.attribute_mapping, d.user_count,
  r.id as recompute_id, r.done, r.requested_at, r.finished_at
from directories d
left join attribute_schemas a on a.product = d.product
left join attribute_recomputes r on r.directory_id = d.id
where d.id = $1;
execute statement_24 (
  /* $1 */ '10000000-0000-0000-0000-000000000002'
);

prepare statement_25 as
select r.directory_id, r.id
from attribute_recomputes r
join directories d on d.id = r.directory_id
where r.finished_at is null and r.progressed_at < now() - interval '30 seconds'
order by r.progressed_at
limit $1;
execute statement_25 (
  /* $1 */ 10
);

prepare statement_26 as
select pg_advisory_xact_lock(hashtextextended($1, 7265636534));
execute statement_26 (
  /* $1 */ 'app'
);

prepare statement_27 as
select "attributes"
from "attribute_schemas"
where "product" = $1
limit $2;
execute statement_27 (
  /* $1 */ 'app',
  /* $2 */ 1
);

prepare statement_28 as
delete from "attribute_schemas"
where "product" = $1;
execute statement_28 (
  /* $1 */ 'app'
);

prepare statement_29 as
insert into audit_log(body)
values ($1);
execute statement_29 (
  /* $1 */ '{"id":"10000000-0000-0000-0000-000000000006","action":"attribute_schema.updated","occurred_at":"2026-01-01T00:00:00.000Z","actor":{"type":"service","id":"rollcall","name":"Rollcall"},"targets":[{"type":"attribute_schema","id":"app","product":"app"}],"context":{"location":null,"user_agent":null,"request_id":null},"changes":{"attributes":{"from":{"job_title":"string"},"to":{}}},"result":"success"}'
);

prepare statement_30 as
with concerned as materialized (
  select id, revision
  from all_directories
  where product = $1 and deleting_at is null
  order by id for no key update
),
moved as (
  update all_directories d
  set revision = d.revision + 1
  from concerned
  where d.id = concerned.id
),
import_goes_on as (
  update imported_directories i
  set revision = i.revision + 1
  from concerned
  where i.directory_id = concerned.id and i.revision = concerned.revision
)
insert into attribute_recomputes as r(directory_id, id)
select id, gen_random_uuid()
from concerned
on conflict(directory_id) do update
set id = excluded.id, after = null, done = 0, requested_at = excluded.requested_at, progressed_at = excluded.progressed_at,
  finished_at = null
returning r.directory_id, r.id;
execute statement_30 (
  /* $1 */ 'app'
);
