prepare statement_1 as
select d.id, d.quotas, e.url is not null as has_webhook, d.last_sequence, e.acked_sequence, (
  select total_bytes
  from stored_events
  where directory_id = d.id and sequence = d.last_sequence
) as event_bytes, case when e.acked_sequence < d.last_sequence then (
  select total_bytes - bytes
  from stored_events
  where directory_id = d.id and sequence = e.acked_sequence + 1
) end as delivered_bytes, (
  select total_bytes - bytes
  from stored_events
  where directory_id = d.id and sequence = d.swept_sequence + 1
) as swept_bytes, e.log_bytes, e.trimmed_log_bytes, d.outcome_bytes, d.trimmed_outcome_bytes
from (select * from directories where id > $1 order by id limit $2) d
join webhook_endpoints e on e.directory_id = d.id
order by d.id;
execute statement_1 (
  /* $1 */ '00000000-0000-0000-0000-000000000000',
  /* $2 */ 10
);
