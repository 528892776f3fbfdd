prepare statement_1 as
select "id"
from "webhook_endpoints"
where "has_plain_address" = $1
limit $2;
execute statement_1 (
  /* $1 */ true,
  /* $2 */ 1
);

prepare statement_2 as
select pg_advisory_xact_lock($1);
execute statement_2 (
  /* $1 */ 7265636532
);

prepare statement_3 as
select "id", "directory_id", "url", "sealed_url"
from "webhook_endpoints"
where "has_plain_address" = $1
order by "id" asc
limit $2 for update;
execute statement_3 (
  /* $1 */ true,
  /* $2 */ 100
);

prepare statement_4 as
update webhook_attempts
set url = coalesce(regexp_replace(substring(url from '^[^:/]+://([^/\u003f#\\]*)'), '^.*@', ''), '')
where directory_id = any($1) and url ~ '/';
execute statement_4 (
  /* $1 */ '{"10000000-0000-0000-0000-000000000001"}'
);

prepare statement_5 as
update webhook_attempts
set response_body = replace(response_body, $1, '[redacted]'), response_headers = case when jsonb_typeof(response_headers) = 'object' then (
  select jsonb_object_agg(key, replace(value, $2, '[redacted]'))
  from jsonb_each_text(response_headers)
) else response_headers end
where directory_id = $3 and strpos(concat(response_body, response_headers), $4) > 0;
execute statement_5 (
  /* $1 */ '0123456789abcdef',
  /* $2 */ '0123456789abcdef',
  /* $3 */ '10000000-0000-0000-0000-000000000001',
  /* $4 */ '0123456789abcdef'
);

prepare statement_6 as
update webhook_endpoints e
set url = given.url, sealed_url = given.sealed_url, has_plain_address = false
from unnest(cast($1 as uuid[]), cast($2 as text[]), cast($3 as text[])) as given(id, url, sealed_url)
where e.id = given.id;
execute statement_6 (
  /* $1 */ '{"10000000-0000-0000-0000-000000000002"}',
  /* $2 */ '{"receiver.acme.example"}',
  /* $3 */ '{"A_SEALED_VALUE"}'
);
