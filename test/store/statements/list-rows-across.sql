prepare statement_1 as
with keys as (
  select k.directory_id, k.id
  from unnest(cast($1 as uuid[])) as d(id)
  cross join lateral (
    select directory_id, id
    from "users"
    where directory_id = d.id
    order by directory_id desc, id desc
    limit cast($2 as bigint) + $3
  ) k
  order by k.id desc, k.directory_id desc
  offset $4
  limit $5
),
measured as (
  select r.*, count(*) over () as fetched, coalesce(sum(json_weight(r.resource) + coalesce(json_weight(r.pushed), 0)) over (order by r.id desc, r.directory_id desc rows between unbounded preceding and 1 preceding), 0) as weight_before
  from keys
  join "users" r on r.directory_id = keys.directory_id and r.id = keys.id
)
select *
from measured
where weight_before < $6
order by id desc, directory_id desc;
execute statement_1 (
  /* $1 */ '{"10000000-0000-0000-0000-000000000001"}',
  /* $2 */ 0,
  /* $3 */ 10,
  /* $4 */ 0,
  /* $5 */ 10,
  /* $6 */ 16777216
);

prepare statement_2 as
with keys as (
  select k.directory_id, k.id
  from unnest(cast($1 as uuid[])) as d(id)
  cross join lateral (
    select directory_id, id
    from "groups"
    where directory_id = d.id
    order by directory_id desc, id desc
    limit cast($2 as bigint) + $3
  ) k
  order by k.id desc, k.directory_id desc
  offset $4
  limit $5
),
measured as (
  select r.*, count(*) over () as fetched, coalesce(sum(json_weight(r.resource) + coalesce(json_weight(r.pushed), 0)) over (order by r.id desc, r.directory_id desc rows between unbounded preceding and 1 preceding), 0) as weight_before
  from keys
  join "groups" r on r.directory_id = keys.directory_id and r.id = keys.id
)
select *
from measured
where weight_before < $6
order by id desc, directory_id desc;
execute statement_2 (
  /* $1 */ '{"10000000-0000-0000-0000-000000000001"}',
  /* $2 */ 0,
  /* $3 */ 10,
  /* $4 */ 0,
  /* $5 */ 10,
  /* $6 */ 16777216
);
