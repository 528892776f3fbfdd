prepare statement_1 as
select max(sequence) as end
from (
  select sequence, sum(coalesce(bytes, 4096)) over (order by sequence) as total, row_number() over (order by sequence) as place
  from (
    select sequence, bytes
    from stored_events
    where directory_id = $1 and sequence > $2 and sequence <= $3
    order by directory_id, sequence
    limit $4
  ) next
) weighed
where total <= $5 or place = 1;
execute statement_1 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 0,
  /* $3 */ 9007199254740991,
  /* $4 */ 2000,
  /* $5 */ 33554432
);

prepare statement_2 as
with own as materialized (
  select e.data || coalesce(d.data, '{}') as data
  from stored_events e
  left join event_documents d on d.directory_id = e.directory_id and d.id = e.user_document
  where e.directory_id = $1 and e.sequence > $2 and e.sequence <= $3 and e.data is not null and (e.data ->> 'id' = $4 or exists (
    select
    from event_documents u
    where u.directory_id = e.directory_id and u.id = e.user_document and u.data ->> 'id' = $5
  ))
),
named as (
  select distinct n.value, n.is_external
  from own
  cross join lateral (
    select own.data -> 'raw' ->> 'userName' as value, false as is_external
    union all
    select own.data ->> 'email', false
    union all
    select own.data -> 'raw' ->> 'externalId', true
    union all
    select address ->> 'value', false
    from jsonb_path_query(own.data, '$.raw.emails[*]') address
  ) n
  where n.value <> '' and length(n.value) <= $6
  limit $7
)
select (
  select count(*)
  from own
  where own.data -> 'raw' is distinct from jsonb_build_object('id', cast($8 as text))
) as events, (select json_agg(named order by value) from named) as names;
execute statement_2 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 0,
  /* $3 */ 1,
  /* $4 */ '10000000-0000-0000-0000-000000000002',
  /* $5 */ '10000000-0000-0000-0000-000000000002',
  /* $6 */ 1000,
  /* $7 */ 1000,
  /* $8 */ '10000000-0000-0000-0000-000000000002'
);

prepare statement_3 as
select max(sequence) as end
from (
  select sequence, sum(coalesce(bytes, 4096)) over (order by sequence) as total, row_number() over (order by sequence) as place
  from (
    select sequence, bytes
    from stored_events
    where directory_id = $1 and sequence > $2 and sequence <= $3
    order by directory_id, sequence
    limit $4
  ) next
) weighed
where total <= $5 or place = 1;
execute statement_3 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1,
  /* $3 */ 9007199254740991,
  /* $4 */ 2000,
  /* $5 */ 33554432
);

prepare statement_4 as
with b as materialized (
  select body, sum(bytes) over (order by created_at desc, id desc) as total
  from (
    select *
    from webhook_batches
    where directory_id = $1
    order by created_at desc, id desc
    limit $2
  ) newest
),
u as materialized (
  select data ->> 'id' as id
  from event_documents
  where directory_id = $3
  order by directory_id, id
  limit $4
)
select exists (
  select
  from b
  where total <= $5 and b.body is not null and strpos(b.body, $6) > 0
) or exists (select from u where u.id = $7) as is_found, greatest((select count(*) from b), (select count(*) from u)) = $8 or exists (select from b where total > $9) as is_unread;
execute statement_4 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 500,
  /* $3 */ '10000000-0000-0000-0000-000000000001',
  /* $4 */ 500,
  /* $5 */ 33554432,
  /* $6 */ '"10000000-0000-0000-0000-000000000002"',
  /* $7 */ '10000000-0000-0000-0000-000000000002',
  /* $8 */ 500,
  /* $9 */ 33554432
);

prepare statement_5 as
select g.id, coalesce(g.public_id, cast(g.id as text)) as group_id, g.display_name as name, m.display, m.is_pending
from ((
  select group_id, display, false as is_pending
  from group_members
  where directory_id = $1 and member_id = $2 and group_id > $3
  order by group_id
  limit $4
) union all (
  select group_id, display, true
  from pending_members
  where directory_id = $5 and value_key = any(cast($6 as text[])) and group_id > $7
  order by group_id
  limit $8
)) m
join groups g on g.directory_id = $9 and g.id = m.group_id
order by g.id
limit $10;
execute statement_5 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ '00000000-0000-0000-0000-000000000000',
  /* $4 */ 500,
  /* $5 */ '10000000-0000-0000-0000-000000000001',
  /* $6 */ '{"10000000-0000-0000-0000-000000000002","ada"}',
  /* $7 */ '00000000-0000-0000-0000-000000000000',
  /* $8 */ 500,
  /* $9 */ '10000000-0000-0000-0000-000000000001',
  /* $10 */ 500
);

prepare statement_6 as
select max(sequence) as end
from (
  select sequence, sum(coalesce(bytes, 4096)) over (order by sequence) as total, row_number() over (order by sequence) as place
  from (
    select sequence, bytes
    from stored_events
    where directory_id = $1 and sequence > $2 and sequence <= $3
    order by directory_id, sequence
    limit $4
  ) next
) weighed
where total <= $5 or place = 1;
execute statement_6 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 0,
  /* $3 */ 9007199254740991,
  /* $4 */ 2000,
  /* $5 */ 33554432
);

prepare statement_7 as
with own as materialized (
  select sequence, sum(size) over (order by sequence asc) - size as before
  from (
    select e.sequence, coalesce(e.bytes, octet_length(cast(e.data as text))) as size
    from stored_events e
    where e.directory_id = $1 and e.sequence > $2 and e.sequence <= $3 and e.data is not null and (e.data ->> 'id' = $4 or exists (
      select
      from event_documents u
      where u.directory_id = e.directory_id and u.id = e.user_document and u.data ->> 'id' = $5
    ))
  ) found
)
select e.sequence, e.id, e.type, e.data, e.occurred_at, (select max(before) from own) >= $6 as is_cut
from own
cross join lateral (
  select *
  from events
  where directory_id = $7 and sequence = own.sequence
  offset 0
) e
where own.before < $8
order by e.sequence asc;
execute statement_7 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 0,
  /* $3 */ 1,
  /* $4 */ '10000000-0000-0000-0000-000000000002',
  /* $5 */ '10000000-0000-0000-0000-000000000002',
  /* $6 */ 4194304,
  /* $7 */ '10000000-0000-0000-0000-000000000001',
  /* $8 */ 4194304
);

prepare statement_8 as
with page as materialized (
  select b.id, b.created_at, sum(case when b.body is null then 0 else b.bytes end) over (order by b.created_at asc, b.id asc) as total,
    row_number() over (order by b.created_at asc, b.id asc) as place
  from (
    select id, created_at, body, bytes
    from webhook_batches
    where directory_id = $1 and (created_at, id) > (timestamptz 'epoch' + $2 * interval '1 microsecond', $3)
    order by created_at asc, id asc
    limit $4
  ) b
),
chosen as materialized (select id, created_at, place from page where total <= $5 or place = 1)
select chosen.id, b.status, b.body, b.created_at, b.done_at, b.body is null as is_other, cast(extract(epoch from chosen.created_at) * 1000000 as bigint) as at,
  a.attempts
from chosen
left join webhook_batches b on b.directory_id = $6 and b.id = chosen.id and b.body is not null and strpos(b.body, $7) > 0
left join lateral (
  select json_agg(json_build_object('number', number, 'at', started_at, 'outcome', outcome, 'status', status_code, 'response', left(response_body, 16384)) order by number) as attempts
  from (
    select *
    from webhook_attempts
    where directory_id = $8 and batch_id = b.id
    order by number desc
    limit $9
  ) newest
) a on true
order by chosen.created_at asc, chosen.id asc;
execute statement_8 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 0,
  /* $3 */ '',
  /* $4 */ 200,
  /* $5 */ 4194304,
  /* $6 */ '10000000-0000-0000-0000-000000000001',
  /* $7 */ '"10000000-0000-0000-0000-000000000002"',
  /* $8 */ '10000000-0000-0000-0000-000000000001',
  /* $9 */ 20
);

prepare statement_9 as
select min(sequence) as start
from (
  select sequence, sum(coalesce(bytes, 4096)) over (order by sequence desc) as total, row_number() over (order by sequence desc) as place
  from (
    select sequence, bytes
    from stored_events
    where directory_id = $1 and sequence < $2
    order by directory_id desc, sequence desc
    limit $3
  ) next
) weighed
where total <= $4 or place = 1;
execute statement_9 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 9007199254740991,
  /* $3 */ 2000,
  /* $4 */ 33554432
);

prepare statement_10 as
with own as materialized (
  select sequence, sum(size) over (order by sequence desc) - size as before
  from (
    select e.sequence, coalesce(e.bytes, octet_length(cast(e.data as text))) as size
    from stored_events e
    where e.directory_id = $1 and e.sequence < $2 and e.sequence >= $3 and e.data is not null and (e.data ->> 'id' = $4 or exists (
      select
      from event_documents u
      where u.directory_id = e.directory_id and u.id = e.user_document and u.data ->> 'id' = $5
    ))
  ) found
)
select e.sequence, e.id, e.type, e.data, e.occurred_at, (select max(before) from own) >= $6 as is_cut
from own
cross join lateral (
  select *
  from events
  where directory_id = $7 and sequence = own.sequence
  offset 0
) e
where own.before < $8
order by e.sequence desc;
execute statement_10 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 9007199254740991,
  /* $3 */ 1,
  /* $4 */ '10000000-0000-0000-0000-000000000002',
  /* $5 */ '10000000-0000-0000-0000-000000000002',
  /* $6 */ 4194304,
  /* $7 */ '10000000-0000-0000-0000-000000000001',
  /* $8 */ 4194304
);

prepare statement_11 as
with page as materialized (
  select b.id, b.created_at, sum(case when b.body is null then 0 else b.bytes end) over (order by b.created_at desc, b.id desc) as total,
    row_number() over (order by b.created_at desc, b.id desc) as place
  from (
    select id, created_at, body, bytes
    from webhook_batches
    where directory_id = $1 and (created_at, id) < (timestamptz 'epoch' + $2 * interval '1 microsecond', $3)
    order by created_at desc, id desc
    limit $4
  ) b
),
chosen as materialized (select id, created_at, place from page where total <= $5 or place = 1)
select chosen.id, b.status, b.body, b.created_at, b.done_at, b.body is null as is_other, cast(extract(epoch from chosen.created_at) * 1000000 as bigint) as at,
  a.attempts
from chosen
left join webhook_batches b on b.directory_id = $6 and b.id = chosen.id and b.body is not null and strpos(b.body, $7) > 0
left join lateral (
  select json_agg(json_build_object('number', number, 'at', started_at, 'outcome', outcome, 'status', status_code, 'response', left(response_body, 16384)) order by number) as attempts
  from (
    select *
    from webhook_attempts
    where directory_id = $8 and batch_id = b.id
    order by number desc
    limit $9
  ) newest
) a on true
order by chosen.created_at desc, chosen.id desc;
execute statement_11 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 9007199254740991,
  /* $3 */ '',
  /* $4 */ 200,
  /* $5 */ 4194304,
  /* $6 */ '10000000-0000-0000-0000-000000000001',
  /* $7 */ '"10000000-0000-0000-0000-000000000002"',
  /* $8 */ '10000000-0000-0000-0000-000000000001',
  /* $9 */ 20
);
