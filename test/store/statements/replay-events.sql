prepare statement_1 as
select "sequence"
from "stored_events"
where "directory_id" = $1 and "id" = $2
limit $3;
execute statement_1 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 1
);

prepare statement_2 as
select min(sequence) as first, max(sequence) as last
from stored_events
where directory_id = $1 and sequence <= (select acked_sequence from webhook_endpoints where directory_id = $2) and occurred_at >= coalesce(cast($3 as timestamptz), '-infinity') and occurred_at <= coalesce(cast($4 as timestamptz), 'infinity');
execute statement_2 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ '2026-01-01T00:00:00.000Z',
  /* $4 */ null
);

prepare statement_3 as
select b.from_sequence, b.to_sequence
from webhook_batches b
where b.directory_id = $1 and b.attempts > 0 and (b.status = 'skipped' or (b.status = 'exhausted' and b.kind = 'replay'))
  and b.from_sequence <= $2 and b.to_sequence >= $3
order by b.from_sequence
limit $4;
execute statement_3 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 9,
  /* $3 */ 1,
  /* $4 */ 10
);

prepare statement_4 as
select b.from_sequence, b.to_sequence
from webhook_batches b
where b.directory_id = $1 and b.status = 'skipped' and b.attempts = 0 and b.from_sequence <= $2 and b.to_sequence >= $3
order by b.from_sequence
limit $4;
execute statement_4 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 9,
  /* $3 */ 1,
  /* $4 */ 10
);

prepare statement_5 as
select count(*) as count
from jsonb_array_elements(cast($1 as jsonb)) range
join stored_events e on e.directory_id = $2 and e.data is not null and e.sequence between cast(range ->> 0 as bigint) and cast(range ->> 1 as bigint);
execute statement_5 (
  /* $1 */ '[[1,9]]',
  /* $2 */ '10000000-0000-0000-0000-000000000001'
);
