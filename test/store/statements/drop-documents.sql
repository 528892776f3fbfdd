prepare statement_1 as
with step as (
  select e.id, e.cleared_sequence as done, least(e.acked_sequence, e.cleared_sequence + 2000) as upto, e.acked_sequence
  from webhook_endpoints e
  join directories d on d.id = e.directory_id and not d.log_webhook_events
  where e.directory_id = $1 and e.id = $2 and e.epoch = $3 and e.cleared_sequence < e.acked_sequence and not exists (
    select
    from webhook_replays r
    where r.endpoint_id = e.id and r.status = 'running'
  )
),
cleared as (
  update stored_events e
  set data = null, user_document = null, group_document = null
  from step
  where e.directory_id = $4 and e.sequence > step.done and e.sequence <= step.upto and e.data is not null and not exists (
    select
    from webhook_batches b
    where b.endpoint_id = step.id and b.status = 'skipped' and e.sequence between b.from_sequence and b.to_sequence
  )
  returning e.sequence
),
shown as (
  select e.user_document, e.group_document
  from step, stored_events e
  where e.directory_id = $5 and e.sequence > step.done and e.sequence <= step.upto and (e.user_document is not null or e.group_document is not null)
),
counted as (
  select (select count(*) from cleared), array_agg(distinct user_document) filter (where user_document is not null) || array_agg(distinct group_document) filter (where group_document is not null) as documents
  from shown
)
update webhook_endpoints e
set cleared_sequence = step.upto
from step, counted
where e.directory_id = $6 and e.id = step.id and e.epoch = $7
returning step.upto, step.upto < step.acked_sequence as has_more, counted.documents;
execute statement_1 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 1,
  /* $4 */ '10000000-0000-0000-0000-000000000001',
  /* $5 */ '10000000-0000-0000-0000-000000000001',
  /* $6 */ '10000000-0000-0000-0000-000000000001',
  /* $7 */ 1
);

prepare statement_2 as
delete from event_documents
where (directory_id, id) in (
  select d.directory_id, d.id
  from event_documents d
  where d.directory_id = $1 and d.id = any(cast($2 as uuid[])) and d.last_sequence <= $3 and not exists (
    select
    from webhook_batches b
    where b.endpoint_id = $4 and b.status = 'skipped' and b.from_sequence <= d.last_sequence and b.to_sequence >= d.first_sequence
  ) for update of d skip locked
);
execute statement_2 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '{"10000000-0000-0000-0000-000000000003"}',
  /* $3 */ 3,
  /* $4 */ '10000000-0000-0000-0000-000000000002'
);

prepare statement_3 as
with chosen as (
  select d.id, d.swept_sequence, e.acked_sequence
  from webhook_endpoints e
  join directories d on d.id = e.directory_id
  where e.directory_id > $1
  order by e.directory_id
  limit $2
),
old as (
  select chosen.id, (
    select max(sequence)
    from (
      select sequence
      from stored_events
      where directory_id = chosen.id and sequence <= edge.sequence
      order by sequence
      limit $3
    ) oldest
  ) as sequence
  from chosen
  cross join lateral (
    with recursive search(low, high) as (
      select chosen.swept_sequence, chosen.acked_sequence + 1
      union all
      select case when probe.occurred_at < now() - $4 * interval '1 millisecond' then probe.sequence else low end, case when probe.occurred_at < now() - $5 * interval '1 millisecond' then high else middle end
      from search
      cross join lateral (select low + (high - low) / 2 as middle) m
      left join lateral (
        select sequence, occurred_at
        from stored_events
        where directory_id = chosen.id and sequence >= middle
        order by directory_id, sequence
        limit 1
      ) probe on probe.sequence < high
      where high - low > 1
    )
    select low as sequence
    from search
    where high - low <= 1
  ) edge
),
dropped as (
  delete from stored_events e using old
  where e.directory_id = old.id and e.sequence <= old.sequence
  returning e.directory_id, e.sequence, e.txid
),
swept as (
  update directories d
  set swept_sequence = greatest(d.swept_sequence, last.sequence)
  from (
    select directory_id, max(sequence) as sequence
    from dropped
    group by directory_id
  ) last
  where d.id = last.directory_id
),
horizon as (
  update feed_horizon
  set swept_txid = greatest(swept_txid, (select txid from dropped order by txid desc limit 1))
  where exists (select from dropped)
)
select chosen.id, count(dropped.sequence) as count, count(dropped.sequence) = $6 as is_cut
from chosen
left join dropped on dropped.directory_id = chosen.id
group by chosen.id
order by chosen.id;
execute statement_3 (
  /* $1 */ '00000000-0000-0000-0000-000000000000',
  /* $2 */ 10,
  /* $3 */ 10,
  /* $4 */ 604800000,
  /* $5 */ 604800000,
  /* $6 */ 10
);

prepare statement_4 as
delete from event_documents
where (directory_id, id) in (
  select d.directory_id, d.id
  from event_documents d
  join directories o on o.id = d.directory_id
  where d.directory_id = any(cast($1 as uuid[])) and d.last_sequence <= o.swept_sequence for update of d skip locked
);
execute statement_4 (
  /* $1 */ '{"10000000-0000-0000-0000-000000000001"}'
);

prepare statement_5 as
with oldest as (
  select s.sequence, coalesce(s.total_bytes, 0) as total
  from webhook_endpoints e
  cross join lateral (
    select sequence, total_bytes
    from stored_events
    where directory_id = $1 and sequence <= e.acked_sequence
    order by sequence
    limit $2
  ) s
  where e.directory_id = $3
),
edge as (
  select max(sequence) as sequence
  from oldest
  where sequence < coalesce((select min(sequence) from oldest where total > $4), sequence + 1)
),
dropped as (
  delete from stored_events e using edge
  where e.directory_id = $5 and e.sequence <= edge.sequence
  returning e.sequence, e.txid
),
swept as (
  update directories d
  set swept_sequence = greatest(d.swept_sequence, (select max(sequence) from dropped)), trimmed_txid = greatest(d.trimmed_txid, (select txid from dropped order by txid desc limit 1))
  where d.id = $6 and exists (select from dropped)
)
select count(*) as count
from dropped;
execute statement_5 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 10,
  /* $3 */ '10000000-0000-0000-0000-000000000001',
  /* $4 */ 1000,
  /* $5 */ '10000000-0000-0000-0000-000000000001',
  /* $6 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_6 as
delete from event_documents
where (directory_id, id) in (
  select d.directory_id, d.id
  from event_documents d
  join directories o on o.id = d.directory_id
  where d.directory_id = $1 and d.last_sequence <= o.swept_sequence for update of d skip locked
);
execute statement_6 (
  /* $1 */ '10000000-0000-0000-0000-000000000001'
);
