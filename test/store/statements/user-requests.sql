prepare statement_1 as
with present as (
  select d.id, coalesce((
    select max(e.requests_until) + interval '60 seconds'
    from user_erasures e
    where e.directory_id = d.id
  ), '-infinity') as erased_at
  from directories d
  where d.id = any(cast($1 as uuid[])) for key share of d skip locked
),
sent as (
  select distinct r.directory_id, r.id, cast(s.subject as uuid) as subject, r.at, r.method, r.path, r.status, r.detail, r.duration_ms,
    r.request_id, r.is_shared
  from json_to_recordset(cast($2 as json)) as r(directory_id uuid, id uuid, subjects json, at timestamptz, method text, path text, status integer, detail text, duration_ms integer, request_id text, is_shared boolean)
  join present on present.id = r.directory_id and r.at > present.erased_at
  cross join lateral json_array_elements_text(r.subjects) s(subject)
),
newest as (
  select *, row_number() over (partition by directory_id, subject order by id desc) as place
  from sent
),
surplus as (
  select r.directory_id, r.id, r.subject
  from user_requests r
  where (r.directory_id, r.id, r.subject) in (
    select o.directory_id, o.id, o.subject
    from (
      select directory_id, subject, count(*) as new
      from sent
      group by directory_id, subject
    ) s
    cross join lateral (
      select directory_id, id, subject
      from user_requests
      where subject = s.subject and directory_id = s.directory_id
      order by subject desc, directory_id desc, id desc
      offset greatest($3 - s.new, 0)
    ) o
  ) for update skip locked
),
trimmed as (
  delete from user_requests r using surplus s
  where r.directory_id = s.directory_id and r.id = s.id and r.subject = s.subject
)
insert into user_requests(directory_id, id, subject, at, method, path, status, detail, duration_ms, request_id, is_shared)
select directory_id, id, subject, at, method, path, status, detail, duration_ms, request_id, is_shared
from newest
where place <= $4
on conflict do nothing;
execute statement_1 (
  /* $1 */ '{"10000000-0000-0000-0000-000000000001"}',
  /* $2 */ '[{"directory_id":"10000000-0000-0000-0000-000000000001","id":"10000000-0000-0000-0000-000000000002","subjects":["10000000-0000-0000-0000-000000000003"],"at":"2026-01-01T00:00:00.000Z","method":"GET","path":"/Users/x","status":200,"duration_ms":1,"request_id":"r","is_shared":false}]',
  /* $3 */ 50,
  /* $4 */ 50
);

prepare statement_2 as
delete from user_requests
where (directory_id, id, subject) in (
  select directory_id, id, subject
  from user_requests
  where directory_id = $1 and id <= (
    select id
    from user_requests
    where directory_id = $2
    order by directory_id desc, id desc
    offset $3
    limit 1
  )
  order by directory_id, id
  limit $4 for update skip locked
);
execute statement_2 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ 1000000,
  /* $4 */ 50000
);

prepare statement_3 as
select u.*, r.scim_type, r.user_agent, r.content_type, r.body, coalesce(r.body_state, 'expired') as body_state, r.body_bytes
from (
  select distinct on (u.id) u.*
  from unnest(cast($1 as uuid[])) k
  cross join lateral (
    select *
    from user_requests
    where subject = k and directory_id = $2 and id < $3 and true
    order by subject desc, directory_id desc, id desc
    limit $4
  ) u
  order by u.id desc
  offset $5
  limit $6
) u
left join scim_requests r on r.directory_id = $7 and r.id = u.id
order by u.id desc;
execute statement_3 (
  /* $1 */ '{"10000000-0000-0000-0000-000000000003"}',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ 'ffffffff-ffff-ffff-ffff-ffffffffffff',
  /* $4 */ 11,
  /* $5 */ 0,
  /* $6 */ 11,
  /* $7 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_4 as
delete from user_requests
where (directory_id, id, subject) in (
  select directory_id, id, subject
  from user_requests
  where at < now() - $1 * interval '1 millisecond'
  order by at
  limit $2
);
execute statement_4 (
  /* $1 */ 86400000,
  /* $2 */ 10
);
