prepare statement_1 as
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
  select horizon.*, case when watermark <= cast($3 as xid8) then watermark else cast($4 as xid8) end as start_txid, case when watermark <= cast($5 as xid8) then cast('00000000-0000-0000-0000-000000000000' as uuid) else cast($6 as uuid) end as start_directory_id,
    case when watermark <= cast($7 as xid8) then 0 else cast($8 as bigint) end as start_sequence
  from horizon
),
matching as materialized (
  select txid, directory_id, sequence
  from (
    select *
    from (
      select txid, directory_id, sequence, type, occurred_at
      from stored_events
      where (txid, directory_id, sequence) < ((select start_txid from edge), (select start_directory_id from edge), (select start_sequence from edge))
      order by txid desc, directory_id desc, sequence desc
      limit $9
    ) ahead
    where txid > (select greatest(swept, cast($10 as xid8)) from edge)
  ) scanned
  where true and directory_id in (select id from directories where tenant = $11 and product = $12)
  order by txid desc, directory_id desc, sequence desc
  limit cast($13 as int) + 1
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
  window by_place as (order by m.txid desc, m.directory_id desc, m.sequence desc)
),
page as (
  select m.txid, m.next_txid, e.*, row_number() over by_place as place, sum(weight) over (by_place rows between unbounded preceding and 1 preceding) as bytes_before
  from (select * from sized where coalesce(size_before, 0) < $14) m
  cross join lateral (
    select e.directory_id, d.tenant, d.product, e.sequence, e.id, e.type, e.data, e.occurred_at, coalesce(case when pg_column_size(e.data) < 2048 and pg_column_compression(e.data) is null then 2 * pg_column_size(e.data) else json_weight(e.data) end, 0) as weight
    from events e
    join directories d on d.id = e.directory_id
    where e.directory_id = m.directory_id and e.sequence = m.sequence
    offset 0
  ) e
  window by_place as (order by m.txid desc, m.directory_id desc, m.sequence desc)
),
scan as (
  select count(*) over () as scanned, txid as scanned_txid, directory_id as scanned_directory_id, sequence as scanned_sequence
  from (
    select *
    from (
      select txid, directory_id, sequence, type, occurred_at
      from stored_events
      where (txid, directory_id, sequence) < ((select start_txid from edge), (select start_directory_id from edge), (select start_sequence from edge))
      order by txid desc, directory_id desc, sequence desc
      limit $15
    ) ahead
    where txid > (select greatest(swept, cast($16 as xid8)) from edge)
  ) scanned
  where (select count(*) from matching) <= $17
  order by txid asc, directory_id asc, sequence asc
  limit 1
)
select edge.*, exists (select id from directories where tenant = $18 and product = $19) as is_known, (select count(*) from matching) as matched, coalesce(scanned, 0) as scanned, scanned_txid, scanned_directory_id, scanned_sequence, page.place, page.txid,
  page.next_txid, page.directory_id, page.tenant, page.product, page.sequence, page.id, page.type, page.data, page.occurred_at,
  page.weight
from edge
left join scan on true
left join page on page.place <= $20 and coalesce(page.bytes_before, 0) < $21
order by page.place;
execute statement_1 (
  /* $1 */ 't',
  /* $2 */ 'p',
  /* $3 */ '18446744073709551615',
  /* $4 */ '18446744073709551615',
  /* $5 */ '18446744073709551615',
  /* $6 */ 'ffffffff-ffff-ffff-ffff-ffffffffffff',
  /* $7 */ '18446744073709551615',
  /* $8 */ '9223372036854775807',
  /* $9 */ 10000,
  /* $10 */ '0',
  /* $11 */ 't',
  /* $12 */ 'p',
  /* $13 */ 10,
  /* $14 */ 8388608,
  /* $15 */ 10000,
  /* $16 */ '0',
  /* $17 */ 10,
  /* $18 */ 't',
  /* $19 */ 'p',
  /* $20 */ 10,
  /* $21 */ 8388608
);
