prepare statement_1 as
select max(sequence) as end
from (
  select sequence, sum(coalesce(bytes, 4096)) over (order by sequence) as total, row_number() over (order by sequence) as place
  from (
    select sequence, bytes
    from stored_events
    where directory_id = $1 and sequence > $2 and sequence <= $3 and true
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
    where directory_id = $1 and sequence > $2 and sequence <= $3 and true
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
) or exists (select from u where u.id = $7) or exists (select from stored_events where directory_id = $8 and user_id = $9) as is_found, greatest((select count(*) from b), (select count(*) from u)) = $10 or exists (select from b where total > $11) as is_unread;
execute statement_4 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 500,
  /* $3 */ '10000000-0000-0000-0000-000000000001',
  /* $4 */ 500,
  /* $5 */ 33554432,
  /* $6 */ '"10000000-0000-0000-0000-000000000002"',
  /* $7 */ '10000000-0000-0000-0000-000000000002',
  /* $8 */ '10000000-0000-0000-0000-000000000001',
  /* $9 */ '10000000-0000-0000-0000-000000000002',
  /* $10 */ 500,
  /* $11 */ 33554432
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
with own as materialized (
  select sequence, sum(size) over (order by sequence asc) - size as before
  from (
    select e.sequence, case when data is null then 0 else coalesce(bytes, octet_length(cast(data as text))) end as size
    from stored_events e
    where e.directory_id = $1 and e.user_id = $2 and e.sequence > $3
    order by e.sequence asc
    limit $4
  ) found
)
select e.sequence, e.id, e.type, e.data, e.occurred_at, (select max(before) from own) >= $5 as is_cut
from own
cross join lateral (
  select *
  from events
  where directory_id = $6 and sequence = own.sequence
  offset 0
) e
where own.before < $7
order by e.sequence asc;
execute statement_6 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 0,
  /* $4 */ 500,
  /* $5 */ 4194304,
  /* $6 */ '10000000-0000-0000-0000-000000000001',
  /* $7 */ 4194304
);

prepare statement_7 as
with own as materialized (
  select e.sequence
  from stored_events e
  where e.directory_id = $1 and e.user_id = $2 and e.sequence >= $3
  order by e.sequence asc
  limit $4
),
carrying as materialized (
  select own.sequence, b.id, row_number() over (order by own.sequence asc, b.id) as place, sum(case when b.has_no_body then 0 else b.bytes end + coalesce((
    select sum(1024 + 6 * least(coalesce(octet_length(response_body), 0), 16384))
    from (
      select response_body
      from webhook_attempts
      where directory_id = $5 and batch_id = b.id
      order by number desc
      limit $6
    ) newest
  ), 0)) over (order by own.sequence asc, b.id) as total
  from own
  join webhook_endpoints p on p.directory_id = $7
  cross join lateral ((
    select b.id, b.created_at, b.kind, b.event_count, b.from_sequence, b.to_sequence, b.body is null as has_no_body, b.bytes
    from webhook_batches b
    where b.directory_id = $8 and b.endpoint_id = p.id and b.from_sequence <= own.sequence
    order by b.from_sequence desc, b.id desc
    limit $9
  ) union (
    select b.id, b.created_at, b.kind, b.event_count, b.from_sequence, b.to_sequence, b.body is null as has_no_body, b.bytes
    from webhook_batches b
    where b.directory_id = $10 and b.endpoint_id = p.id and b.from_sequence <= own.sequence and b.status = 'skipped'
    order by b.from_sequence desc
    limit 1
  )) b
  where b.to_sequence >= own.sequence and (b.kind = 'live' or b.event_count = b.to_sequence - b.from_sequence + 1) and (own.sequence <> $11 or b.id > $12)
    and not exists (
    select
    from stored_events e
    where e.directory_id = $13 and e.user_id = $14 and e.sequence < own.sequence and e.sequence >= b.from_sequence
  )
),
chosen as materialized (select * from carrying where place <= $15 and (total <= $16 or place = 1)),
counted as (
  select count(*) = $17 as has_more, max(sequence) as last_event, (select count(*) from carrying) > (select count(*) from chosen) as is_cut
  from own
)
select counted.is_cut, case when counted.has_more then counted.last_event end as last_event, chosen.sequence, b.id, b.status,
  b.from_sequence, b.to_sequence, b.event_count, b.body, b.created_at, b.done_at, a.attempts
from counted
left join chosen on true
left join webhook_batches b on b.directory_id = $18 and b.id = chosen.id
left join lateral (
  select json_agg(json_build_object('number', number, 'at', started_at, 'outcome', outcome, 'status', status_code, 'response', left(response_body, 16384)) order by number) as attempts
  from (
    select *
    from webhook_attempts
    where directory_id = $19 and batch_id = b.id
    order by number desc
    limit $20
  ) newest
) a on true
order by chosen.place;
execute statement_7 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 0,
  /* $4 */ 50,
  /* $5 */ '10000000-0000-0000-0000-000000000001',
  /* $6 */ 20,
  /* $7 */ '10000000-0000-0000-0000-000000000001',
  /* $8 */ '10000000-0000-0000-0000-000000000001',
  /* $9 */ 200,
  /* $10 */ '10000000-0000-0000-0000-000000000001',
  /* $11 */ 0,
  /* $12 */ '',
  /* $13 */ '10000000-0000-0000-0000-000000000001',
  /* $14 */ '10000000-0000-0000-0000-000000000002',
  /* $15 */ 200,
  /* $16 */ 4194304,
  /* $17 */ 50,
  /* $18 */ '10000000-0000-0000-0000-000000000001',
  /* $19 */ '10000000-0000-0000-0000-000000000001',
  /* $20 */ 20
);

prepare statement_8 as
select max(sequence) as end
from (
  select sequence, sum(coalesce(bytes, 4096)) over (order by sequence) as total, row_number() over (order by sequence) as place
  from (
    select sequence, bytes
    from stored_events
    where directory_id = $1 and sequence > $2 and sequence <= $3 and user_id is null and type not in ('group.created', 'group.updated', 'group.deleted')
    order by directory_id, sequence
    limit $4
  ) next
) weighed
where total <= $5 or place = 1;
execute statement_8 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 0,
  /* $3 */ 9007199254740991,
  /* $4 */ 2000,
  /* $5 */ 33554432
);

prepare statement_9 as
with page as materialized (
  select b.id, b.created_at, row_number() over place as place, sum(case when b.body is null then 0 else b.bytes end + coalesce((
    select sum(1024 + 6 * least(coalesce(octet_length(response_body), 0), 16384))
    from (
      select response_body
      from webhook_attempts
      where directory_id = $1 and batch_id = b.id
      order by number desc
      limit $2
    ) newest
  ), 0)) over place as total, count(b.body) over place as bodies
  from (
    select id, created_at, body, bytes
    from webhook_batches
    where directory_id = $3 and (created_at, id) > (timestamptz 'epoch' + $4 * interval '1 microsecond', $5)
    order by created_at asc, id asc
    limit $6
  ) b
  window place as (order by b.created_at asc, b.id asc)
),
chosen as materialized (
  select id, created_at, place
  from page
  where (total <= $7 and bodies <= $8) or place = 1
),
last as (
  select id as last_id, cast(extract(epoch from created_at) * 1000000 as bigint) as at
  from chosen
  order by place desc
  limit 1
),
found as (
  select chosen.place, b.id
  from chosen
  join webhook_batches b on b.directory_id = $9 and b.id = chosen.id
  where b.body is not null and strpos(b.body, $10) > 0 and not exists (
    select
    from stored_events e
    where e.directory_id = $11 and e.user_id = $12 and e.sequence between b.from_sequence and b.to_sequence and (b.kind = 'live' or b.event_count = b.to_sequence - b.from_sequence + 1)
      and (
      select count(*)
      from (
        select
        from webhook_batches n
        where n.directory_id = $13 and n.endpoint_id = b.endpoint_id and (n.from_sequence, n.id) > (b.from_sequence, b.id)
          and n.from_sequence <= e.sequence
        limit $14
      ) nearer
    ) < $15
  )
)
select last.at, last.last_id, b.id, b.status, b.from_sequence, b.to_sequence, b.event_count, b.body, b.created_at, b.done_at,
  a.attempts
from last
left join found on true
left join webhook_batches b on b.directory_id = $16 and b.id = found.id
left join lateral (
  select json_agg(json_build_object('number', number, 'at', started_at, 'outcome', outcome, 'status', status_code, 'response', left(response_body, 16384)) order by number) as attempts
  from (
    select *
    from webhook_attempts
    where directory_id = $17 and batch_id = b.id
    order by number desc
    limit $18
  ) newest
) a on true
order by found.place;
execute statement_9 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 20,
  /* $3 */ '10000000-0000-0000-0000-000000000001',
  /* $4 */ 0,
  /* $5 */ '',
  /* $6 */ 2000,
  /* $7 */ 4194304,
  /* $8 */ 200,
  /* $9 */ '10000000-0000-0000-0000-000000000001',
  /* $10 */ '"10000000-0000-0000-0000-000000000002"',
  /* $11 */ '10000000-0000-0000-0000-000000000001',
  /* $12 */ '10000000-0000-0000-0000-000000000002',
  /* $13 */ '10000000-0000-0000-0000-000000000001',
  /* $14 */ 200,
  /* $15 */ 200,
  /* $16 */ '10000000-0000-0000-0000-000000000001',
  /* $17 */ '10000000-0000-0000-0000-000000000001',
  /* $18 */ 20
);

prepare statement_10 as
with own as materialized (
  select sequence, sum(size) over (order by sequence desc) - size as before
  from (
    select e.sequence, case when data is null then 0 else coalesce(bytes, octet_length(cast(data as text))) end as size
    from stored_events e
    where e.directory_id = $1 and e.user_id = $2 and e.sequence < $3
    order by e.sequence desc
    limit $4
  ) found
)
select e.sequence, e.id, e.type, e.data, e.occurred_at, (select max(before) from own) >= $5 as is_cut
from own
cross join lateral (
  select *
  from events
  where directory_id = $6 and sequence = own.sequence
  offset 0
) e
where own.before < $7
order by e.sequence desc;
execute statement_10 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 9007199254740991,
  /* $4 */ 500,
  /* $5 */ 4194304,
  /* $6 */ '10000000-0000-0000-0000-000000000001',
  /* $7 */ 4194304
);

prepare statement_11 as
with own as materialized (
  select e.sequence
  from stored_events e
  where e.directory_id = $1 and e.user_id = $2 and e.sequence <= $3
  order by e.sequence desc
  limit $4
),
carrying as materialized (
  select own.sequence, b.id, row_number() over (order by own.sequence desc, b.id) as place, sum(case when b.has_no_body then 0 else b.bytes end + coalesce((
    select sum(1024 + 6 * least(coalesce(octet_length(response_body), 0), 16384))
    from (
      select response_body
      from webhook_attempts
      where directory_id = $5 and batch_id = b.id
      order by number desc
      limit $6
    ) newest
  ), 0)) over (order by own.sequence desc, b.id) as total
  from own
  join webhook_endpoints p on p.directory_id = $7
  cross join lateral ((
    select b.id, b.created_at, b.kind, b.event_count, b.from_sequence, b.to_sequence, b.body is null as has_no_body, b.bytes
    from webhook_batches b
    where b.directory_id = $8 and b.endpoint_id = p.id and b.from_sequence <= own.sequence
    order by b.from_sequence desc, b.id desc
    limit $9
  ) union (
    select b.id, b.created_at, b.kind, b.event_count, b.from_sequence, b.to_sequence, b.body is null as has_no_body, b.bytes
    from webhook_batches b
    where b.directory_id = $10 and b.endpoint_id = p.id and b.from_sequence <= own.sequence and b.status = 'skipped'
    order by b.from_sequence desc
    limit 1
  )) b
  where b.to_sequence >= own.sequence and (b.kind = 'live' or b.event_count = b.to_sequence - b.from_sequence + 1) and (own.sequence <> $11 or b.id > $12)
    and not exists (
    select
    from stored_events e
    where e.directory_id = $13 and e.user_id = $14 and e.sequence > own.sequence and e.sequence <= b.to_sequence
  )
),
chosen as materialized (select * from carrying where place <= $15 and (total <= $16 or place = 1)),
counted as (
  select count(*) = $17 as has_more, min(sequence) as last_event, (select count(*) from carrying) > (select count(*) from chosen) as is_cut
  from own
)
select counted.is_cut, case when counted.has_more then counted.last_event end as last_event, chosen.sequence, b.id, b.status,
  b.from_sequence, b.to_sequence, b.event_count, b.body, b.created_at, b.done_at, a.attempts
from counted
left join chosen on true
left join webhook_batches b on b.directory_id = $18 and b.id = chosen.id
left join lateral (
  select json_agg(json_build_object('number', number, 'at', started_at, 'outcome', outcome, 'status', status_code, 'response', left(response_body, 16384)) order by number) as attempts
  from (
    select *
    from webhook_attempts
    where directory_id = $19 and batch_id = b.id
    order by number desc
    limit $20
  ) newest
) a on true
order by chosen.place;
execute statement_11 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 9007199254740991,
  /* $4 */ 50,
  /* $5 */ '10000000-0000-0000-0000-000000000001',
  /* $6 */ 20,
  /* $7 */ '10000000-0000-0000-0000-000000000001',
  /* $8 */ '10000000-0000-0000-0000-000000000001',
  /* $9 */ 200,
  /* $10 */ '10000000-0000-0000-0000-000000000001',
  /* $11 */ 9007199254740991,
  /* $12 */ '',
  /* $13 */ '10000000-0000-0000-0000-000000000001',
  /* $14 */ '10000000-0000-0000-0000-000000000002',
  /* $15 */ 200,
  /* $16 */ 4194304,
  /* $17 */ 50,
  /* $18 */ '10000000-0000-0000-0000-000000000001',
  /* $19 */ '10000000-0000-0000-0000-000000000001',
  /* $20 */ 20
);

prepare statement_12 as
select min(sequence) as start
from (
  select sequence, sum(coalesce(bytes, 4096)) over (order by sequence desc) as total, row_number() over (order by sequence desc) as place
  from (
    select sequence, bytes
    from stored_events
    where directory_id = $1 and sequence < $2 and user_id is null and type not in ('group.created', 'group.updated', 'group.deleted')
    order by directory_id desc, sequence desc
    limit $3
  ) next
) weighed
where total <= $4 or place = 1;
execute statement_12 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 9007199254740991,
  /* $3 */ 2000,
  /* $4 */ 33554432
);

prepare statement_13 as
with page as materialized (
  select b.id, b.created_at, row_number() over place as place, sum(case when b.body is null then 0 else b.bytes end + coalesce((
    select sum(1024 + 6 * least(coalesce(octet_length(response_body), 0), 16384))
    from (
      select response_body
      from webhook_attempts
      where directory_id = $1 and batch_id = b.id
      order by number desc
      limit $2
    ) newest
  ), 0)) over place as total, count(b.body) over place as bodies
  from (
    select id, created_at, body, bytes
    from webhook_batches
    where directory_id = $3 and (created_at, id) < (timestamptz 'epoch' + $4 * interval '1 microsecond', $5)
    order by created_at desc, id desc
    limit $6
  ) b
  window place as (order by b.created_at desc, b.id desc)
),
chosen as materialized (
  select id, created_at, place
  from page
  where (total <= $7 and bodies <= $8) or place = 1
),
last as (
  select id as last_id, cast(extract(epoch from created_at) * 1000000 as bigint) as at
  from chosen
  order by place desc
  limit 1
),
found as (
  select chosen.place, b.id
  from chosen
  join webhook_batches b on b.directory_id = $9 and b.id = chosen.id
  where b.body is not null and strpos(b.body, $10) > 0 and not exists (
    select
    from stored_events e
    where e.directory_id = $11 and e.user_id = $12 and e.sequence between b.from_sequence and b.to_sequence and (b.kind = 'live' or b.event_count = b.to_sequence - b.from_sequence + 1)
      and (
      select count(*)
      from (
        select
        from webhook_batches n
        where n.directory_id = $13 and n.endpoint_id = b.endpoint_id and (n.from_sequence, n.id) > (b.from_sequence, b.id)
          and n.from_sequence <= e.sequence
        limit $14
      ) nearer
    ) < $15
  )
)
select last.at, last.last_id, b.id, b.status, b.from_sequence, b.to_sequence, b.event_count, b.body, b.created_at, b.done_at,
  a.attempts
from last
left join found on true
left join webhook_batches b on b.directory_id = $16 and b.id = found.id
left join lateral (
  select json_agg(json_build_object('number', number, 'at', started_at, 'outcome', outcome, 'status', status_code, 'response', left(response_body, 16384)) order by number) as attempts
  from (
    select *
    from webhook_attempts
    where directory_id = $17 and batch_id = b.id
    order by number desc
    limit $18
  ) newest
) a on true
order by found.place;
execute statement_13 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 20,
  /* $3 */ '10000000-0000-0000-0000-000000000001',
  /* $4 */ 9007199254740991,
  /* $5 */ '',
  /* $6 */ 2000,
  /* $7 */ 4194304,
  /* $8 */ 200,
  /* $9 */ '10000000-0000-0000-0000-000000000001',
  /* $10 */ '"10000000-0000-0000-0000-000000000002"',
  /* $11 */ '10000000-0000-0000-0000-000000000001',
  /* $12 */ '10000000-0000-0000-0000-000000000002',
  /* $13 */ '10000000-0000-0000-0000-000000000001',
  /* $14 */ 200,
  /* $15 */ 200,
  /* $16 */ '10000000-0000-0000-0000-000000000001',
  /* $17 */ '10000000-0000-0000-0000-000000000001',
  /* $18 */ 20
);
