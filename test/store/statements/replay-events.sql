prepare statement_1 as
select edge.sequence
from directories d
cross join lateral (
  with recursive search(low, high) as (
    select d.swept_sequence, d.last_sequence + 1
    union all
    select case when probe.occurred_at < $1 then probe.sequence else low end, case when probe.occurred_at < $2 then high else middle end
    from search
    cross join lateral (select low + (high - low) / 2 as middle) m
    left join lateral (
      select sequence, occurred_at
      from stored_events
      where directory_id = d.id and sequence >= middle
      order by directory_id, sequence
      limit 1
    ) probe on probe.sequence < high
    where high - low > 1
  )
  select low as sequence
  from search
  where high - low <= 1
) edge
where d.id = $3;
execute statement_1 (
  /* $1 */ '2026-01-01T00:00:00.000Z',
  /* $2 */ '2026-01-01T00:00:00.000Z',
  /* $3 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_2 as
select edge.sequence
from directories d
cross join lateral (
  with recursive search(low, high) as (
    select d.swept_sequence, d.last_sequence + 1
    union all
    select case when probe.occurred_at < $1 then probe.sequence else low end, case when probe.occurred_at < $2 then high else middle end
    from search
    cross join lateral (select low + (high - low) / 2 as middle) m
    left join lateral (
      select sequence, occurred_at
      from stored_events
      where directory_id = d.id and sequence >= middle
      order by directory_id, sequence
      limit 1
    ) probe on probe.sequence < high
    where high - low > 1
  )
  select low as sequence
  from search
  where high - low <= 1
) edge
where d.id = $3;
execute statement_2 (
  /* $1 */ '2026-01-01T00:00:00.000Z',
  /* $2 */ '2026-01-01T00:00:00.000Z',
  /* $3 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_3 as
select "sequence"
from "stored_events"
where "directory_id" = $1 and "id" = $2 and "sequence" between $3 and $4
limit $5;
execute statement_3 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 1,
  /* $4 */ 0,
  /* $5 */ 1
);

prepare statement_4 as
select edge.sequence
from directories d
cross join lateral (
  with recursive search(low, high) as (
    select d.swept_sequence, d.last_sequence + 1
    union all
    select case when probe.occurred_at < $1 then probe.sequence else low end, case when probe.occurred_at < $2 then high else middle end
    from search
    cross join lateral (select low + (high - low) / 2 as middle) m
    left join lateral (
      select sequence, occurred_at
      from stored_events
      where directory_id = d.id and sequence >= middle
      order by directory_id, sequence
      limit 1
    ) probe on probe.sequence < high
    where high - low > 1
  )
  select low as sequence
  from search
  where high - low <= 1
) edge
where d.id = $3;
execute statement_4 (
  /* $1 */ '2026-01-01T00:00:00.000Z',
  /* $2 */ '2026-01-01T00:00:00.000Z',
  /* $3 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_5 as
select min(sequence) as first, max(sequence) as last
from stored_events
where directory_id = $1 and sequence between $2 and least($3, (select acked_sequence from webhook_endpoints where directory_id = $4)) and occurred_at >= coalesce(cast($5 as timestamptz), '-infinity') and occurred_at <= coalesce(cast($6 as timestamptz), 'infinity');
execute statement_5 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1,
  /* $3 */ 9007199254740991,
  /* $4 */ '10000000-0000-0000-0000-000000000001',
  /* $5 */ '2026-01-01T00:00:00.000Z',
  /* $6 */ null
);

prepare statement_6 as
select b.from_sequence, b.to_sequence
from webhook_batches b
where b.directory_id = $1 and b.attempts > 0 and (b.status = 'skipped' or (b.status = 'exhausted' and b.kind = 'replay'))
  and b.from_sequence <= $2 and b.to_sequence >= $3
order by b.from_sequence
limit $4;
execute statement_6 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 9,
  /* $3 */ 1,
  /* $4 */ 10
);

prepare statement_7 as
select b.from_sequence, b.to_sequence
from webhook_batches b
where b.directory_id = $1 and b.status = 'skipped' and b.attempts = 0 and b.from_sequence <= $2 and b.to_sequence >= $3
order by b.from_sequence
limit $4;
execute statement_7 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 9,
  /* $3 */ 1,
  /* $4 */ 10
);

prepare statement_8 as
select coalesce(cast(sum(found.count) as bigint), 0) as count
from jsonb_array_elements(cast($1 as jsonb)) range
cross join lateral (
  select count(*) as count
  from stored_events
  where directory_id = $2 and data is not null and sequence between cast(range ->> 0 as bigint) and cast(range ->> 1 as bigint)
) found;
execute statement_8 (
  /* $1 */ '[[1,9]]',
  /* $2 */ '10000000-0000-0000-0000-000000000001'
);
