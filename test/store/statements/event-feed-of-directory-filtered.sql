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
with d as materialized (
  select id, tenant, product, last_sequence, swept_sequence
  from directories
  where id = $1 and (cast($2 as text) is null or tenant = $3) and (cast($4 as text) is null or product = $5)
),
matching as materialized (
  select sequence
  from (
    select *
    from (
      select sequence, type, occurred_at
      from stored_events
      where directory_id = $6 and sequence > greatest(cast($7 as bigint), (select swept_sequence from d))
      order by directory_id asc, sequence asc
      limit $8
    ) ahead
    where sequence <= least(cast($9 as bigint), (select last_sequence from d))
  ) scanned
  where true and type = any($10) and occurred_at >= $11 and occurred_at < $12
  order by sequence asc
  limit cast($13 as int) + 1
),
sized as (
  select sequence, sum(size) over (order by sequence asc rows between unbounded preceding and 1 preceding) as size_before
  from matching m
  cross join lateral (
    select case when data is null then 0 else coalesce(bytes, octet_length(cast(data as text))) end as size
    from stored_events
    where directory_id = $14 and sequence = m.sequence
    offset 0
  ) e
),
page as (
  select e.*, row_number() over by_place as place, sum(weight) over (by_place rows between unbounded preceding and 1 preceding) as bytes_before
  from (select sequence from sized where coalesce(size_before, 0) < $15) m
  cross join lateral (
    select sequence, id, type, data, occurred_at, coalesce(case when pg_column_size(data) < 2048 and pg_column_compression(data) is null then 2 * pg_column_size(data) else json_weight(data) end, 0) as weight
    from events
    where directory_id = $16 and sequence = m.sequence
    offset 0
  ) e
  window by_place as (order by e.sequence asc)
),
scan as (
  select count(*) as scanned, max(sequence) as scanned_to
  from (
    select *
    from (
      select sequence, type, occurred_at
      from stored_events
      where directory_id = $17 and sequence > greatest(cast($18 as bigint), (select swept_sequence from d))
      order by directory_id asc, sequence asc
      limit $19
    ) ahead
    where sequence <= least(cast($20 as bigint), (select last_sequence from d))
  ) scanned
  where (select count(*) from matching) <= $21
)
select d.id as directory_id, d.tenant, d.product, d.last_sequence, d.swept_sequence, (select count(*) from matching) as matched, scan.scanned, scan.scanned_to, page.place, page.sequence, page.id, page.type, page.data, page.occurred_at, page.weight
from d
cross join scan
left join page on page.place <= $22 and coalesce(page.bytes_before, 0) < $23
order by page.place;
execute statement_3 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ null,
  /* $3 */ null,
  /* $4 */ null,
  /* $5 */ null,
  /* $6 */ '10000000-0000-0000-0000-000000000001',
  /* $7 */ 0,
  /* $8 */ 10000,
  /* $9 */ 0,
  /* $10 */ '{"user.created"}',
  /* $11 */ '2026-01-01T00:00:00.000Z',
  /* $12 */ '2026-01-01T00:00:00.000Z',
  /* $13 */ 10,
  /* $14 */ '10000000-0000-0000-0000-000000000001',
  /* $15 */ 8388608,
  /* $16 */ '10000000-0000-0000-0000-000000000001',
  /* $17 */ '10000000-0000-0000-0000-000000000001',
  /* $18 */ 0,
  /* $19 */ 10000,
  /* $20 */ 0,
  /* $21 */ 10,
  /* $22 */ 10,
  /* $23 */ 8388608
);
