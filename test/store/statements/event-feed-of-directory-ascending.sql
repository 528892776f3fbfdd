prepare statement_1 as
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
  where true
  order by sequence asc
  limit cast($10 as int) + 1
),
sized as (
  select sequence, sum(size) over (order by sequence asc rows between unbounded preceding and 1 preceding) as size_before
  from matching m
  cross join lateral (
    select case when data is null then 0 else coalesce(bytes, octet_length(cast(data as text))) end as size
    from stored_events
    where directory_id = $11 and sequence = m.sequence
    offset 0
  ) e
),
page as (
  select e.*, row_number() over by_place as place, sum(weight) over (by_place rows between unbounded preceding and 1 preceding) as bytes_before
  from (select sequence from sized where coalesce(size_before, 0) < $12) m
  cross join lateral (
    select sequence, id, type, data, occurred_at, coalesce(case when pg_column_size(data) < 2048 and pg_column_compression(data) is null then 2 * pg_column_size(data) else json_weight(data) end, 0) as weight
    from events
    where directory_id = $13 and sequence = m.sequence
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
      where directory_id = $14 and sequence > greatest(cast($15 as bigint), (select swept_sequence from d))
      order by directory_id asc, sequence asc
      limit $16
    ) ahead
    where sequence <= least(cast($17 as bigint), (select last_sequence from d))
  ) scanned
  where (select count(*) from matching) <= $18
)
select d.id as directory_id, d.tenant, d.product, d.last_sequence, d.swept_sequence, (select count(*) from matching) as matched, scan.scanned, scan.scanned_to, page.place, page.sequence, page.id, page.type, page.data, page.occurred_at, page.weight
from d
cross join scan
left join page on page.place <= $19 and coalesce(page.bytes_before, 0) < $20
order by page.place;
execute statement_1 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ null,
  /* $3 */ null,
  /* $4 */ null,
  /* $5 */ null,
  /* $6 */ '10000000-0000-0000-0000-000000000001',
  /* $7 */ 0,
  /* $8 */ 11,
  /* $9 */ 9007199254740991,
  /* $10 */ 10,
  /* $11 */ '10000000-0000-0000-0000-000000000001',
  /* $12 */ 8388608,
  /* $13 */ '10000000-0000-0000-0000-000000000001',
  /* $14 */ '10000000-0000-0000-0000-000000000001',
  /* $15 */ 0,
  /* $16 */ 11,
  /* $17 */ 9007199254740991,
  /* $18 */ 10,
  /* $19 */ 10,
  /* $20 */ 8388608
);
