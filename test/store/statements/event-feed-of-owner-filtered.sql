prepare statement_1 as
with recursive search(low, high) as (
  select coalesce((select cast(cast(swept_txid as text) as bigint) from feed_horizon limit 1), 0), cast(cast(pg_snapshot_xmin(pg_current_snapshot()) as text) as bigint)
  union all
  select case when probe.occurred_at < $1 then probe.number else low end, case when probe.occurred_at < $2 then high else middle end
  from search
  cross join lateral (select low + (high - low) / 2 as middle) m
  left join lateral (
    select cast(cast(txid as text) as bigint) as number, occurred_at
    from stored_events
    where txid >= cast(cast(middle as text) as xid8)
    order by txid, directory_id, sequence
    limit 1
  ) probe on probe.number < high
  where high - low > 1
)
select cast(low as text) as txid
from search
where high - low <= 1;
execute statement_1 (
  /* $1 */ '2026-01-01T00:00:00.000Z',
  /* $2 */ '2026-01-01T00:00:00.000Z'
);

prepare statement_2 as
with recursive search(low, high) as (
  select coalesce((select cast(cast(swept_txid as text) as bigint) from feed_horizon limit 1), 0), cast(cast(pg_snapshot_xmin(pg_current_snapshot()) as text) as bigint)
  union all
  select case when probe.occurred_at < $1 then probe.number else low end, case when probe.occurred_at < $2 then high else middle end
  from search
  cross join lateral (select low + (high - low) / 2 as middle) m
  left join lateral (
    select cast(cast(txid as text) as bigint) as number, occurred_at
    from stored_events
    where txid >= cast(cast(middle as text) as xid8)
    order by txid, directory_id, sequence
    limit 1
  ) probe on probe.number < high
  where high - low > 1
)
select cast(low as text) as txid
from search
where high - low <= 1;
execute statement_2 (
  /* $1 */ '2026-01-01T00:00:00.000Z',
  /* $2 */ '2026-01-01T00:00:00.000Z'
);

prepare statement_3 as
with horizon as materialized (
  select concat_ws('-', (select xmin from knex_migrations order by id limit 1), (select xmin from encryption_check order by sealed limit 1)) as database, pg_snapshot_xmin(pg_current_snapshot()) as watermark, greatest((select swept_txid from feed_horizon limit 1), (
    select trimmed_txid
    from directories
    where trimmed_txid is not null and tenant = $1 and product = $2
    order by trimmed_txid desc
    limit 1
  ), '0') as swept
),
edge as materialized (
  select horizon.*, case when swept >= cast($3 as xid8) then swept else cast($4 as xid8) end as start_txid, case when swept >= cast($5 as xid8) then cast('ffffffff-ffff-ffff-ffff-ffffffffffff' as uuid) else cast($6 as uuid) end as start_directory_id,
    case when swept >= cast($7 as xid8) then 9223372036854775807 else cast($8 as bigint) end as start_sequence
  from horizon
),
matching as materialized (
  select txid, directory_id, sequence
  from (
    select *
    from (
      select txid, directory_id, sequence, type, occurred_at
      from stored_events
      where (txid, directory_id, sequence) > ((select start_txid from edge), (select start_directory_id from edge), (select start_sequence from edge))
      order by txid asc, directory_id asc, sequence asc
      limit $9
    ) ahead
    where txid < (select watermark from edge) and txid <= cast($10 as xid8)
  ) scanned
  where true and type = any($11) and occurred_at >= $12 and occurred_at < $13 and directory_id in (select id from directories where tenant = $14 and product = $15)
  order by txid asc, directory_id asc, sequence asc
  limit cast($16 as int) + 1
),
sized as (
  select m.*, lead(m.txid) over by_place as next_txid, sum(size) over (by_place rows between unbounded preceding and 1 preceding) as size_before
  from matching m
  cross join lateral (
    select case when data is null then 0 else coalesce(bytes, octet_length(cast(data as text))) end as size
    from stored_events
    where directory_id = m.directory_id and sequence = m.sequence
    offset 0
  ) e
  window by_place as (order by m.txid asc, m.directory_id asc, m.sequence asc)
),
page as (
  select m.txid, m.next_txid, e.*, row_number() over by_place as place, sum(weight) over (by_place rows between unbounded preceding and 1 preceding) as bytes_before
  from (select * from sized where coalesce(size_before, 0) < $17) m
  cross join lateral (
    select e.directory_id, d.tenant, d.product, e.sequence, e.id, e.type, e.data, e.occurred_at, coalesce(case when pg_column_size(e.data) < 2048 and pg_column_compression(e.data) is null then 2 * pg_column_size(e.data) else json_weight(e.data) end, 0) as weight
    from events e
    join directories d on d.id = e.directory_id
    where e.directory_id = m.directory_id and e.sequence = m.sequence
    offset 0
  ) e
  window by_place as (order by m.txid asc, m.directory_id asc, m.sequence asc)
),
scan as (
  select count(*) over () as scanned, txid as scanned_txid, directory_id as scanned_directory_id, sequence as scanned_sequence
  from (
    select *
    from (
      select txid, directory_id, sequence, type, occurred_at
      from stored_events
      where (txid, directory_id, sequence) > ((select start_txid from edge), (select start_directory_id from edge), (select start_sequence from edge))
      order by txid asc, directory_id asc, sequence asc
      limit $18
    ) ahead
    where txid < (select watermark from edge) and txid <= cast($19 as xid8)
  ) scanned
  where (select count(*) from matching) <= $20
  order by txid desc, directory_id desc, sequence desc
  limit 1
)
select edge.*, exists (select id from directories where tenant = $21 and product = $22) as is_known, (select count(*) from matching) as matched, coalesce(scanned, 0) as scanned, scanned_txid, scanned_directory_id, scanned_sequence, page.place, page.txid,
  page.next_txid, page.directory_id, page.tenant, page.product, page.sequence, page.id, page.type, page.data, page.occurred_at,
  page.weight
from edge
left join scan on true
left join page on page.place <= $23 and coalesce(page.bytes_before, 0) < $24
order by page.place;
execute statement_3 (
  /* $1 */ 't',
  /* $2 */ 'p',
  /* $3 */ '0',
  /* $4 */ '0',
  /* $5 */ '0',
  /* $6 */ 'ffffffff-ffff-ffff-ffff-ffffffffffff',
  /* $7 */ '0',
  /* $8 */ '9223372036854775807',
  /* $9 */ 11,
  /* $10 */ '0',
  /* $11 */ '{"user.created"}',
  /* $12 */ '2026-01-01T00:00:00.000Z',
  /* $13 */ '2026-01-01T00:00:00.000Z',
  /* $14 */ 't',
  /* $15 */ 'p',
  /* $16 */ 10,
  /* $17 */ 8388608,
  /* $18 */ 11,
  /* $19 */ '0',
  /* $20 */ 10,
  /* $21 */ 't',
  /* $22 */ 'p',
  /* $23 */ 10,
  /* $24 */ 8388608
);
