select pg_advisory_xact_lock(hashtextextended('api keys', 7265636531));

select count(*) as "count"
from "api_keys"
where "revoked_at" is null;

prepare statement_3 as
select count(*) as "count"
from "api_keys"
where "revoked_at" is null and "tenant" = $1 and "product" = $2 and "directory_id" = $3;
execute statement_3 (
  /* $1 */ 'acme',
  /* $2 */ 'app',
  /* $3 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_4 as
insert into "api_keys"("allowed_networks", "created_by", "directory_id", "expires_at", "id", "name", "product", "scopes", "tenant")
values ($1, $2, $3, $4, $5, $6, $7, $8, $9);
execute statement_4 (
  /* $1 */ '{"10.0.0.0/8"}',
  /* $2 */ 'root_1',
  /* $3 */ '10000000-0000-0000-0000-000000000001',
  /* $4 */ null,
  /* $5 */ '10000000-0000-0000-0000-000000000002',
  /* $6 */ 'a',
  /* $7 */ 'app',
  /* $8 */ '{"people:read"}',
  /* $9 */ 'acme'
);

prepare statement_5 as
insert into "api_key_values"("hash", "key_id", "prefix")
values ($1, $2, $3);
execute statement_5 (
  /* $1 */ '\xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 'rcl_00000003'
);

prepare statement_6 as
select "k".*, (
  select "v"."prefix"
  from "api_key_values" as "v"
  where v.key_id = k.id
  order by "v"."created_at" desc
  limit $1
) as "prefix"
from "api_keys" as "k"
where "k"."id" = $2;
execute statement_6 (
  /* $1 */ 1,
  /* $2 */ '10000000-0000-0000-0000-000000000002'
);

prepare statement_7 as
insert into audit_log(body)
values ($1);
execute statement_7 (
  /* $1 */ '{"id":"10000000-0000-0000-0000-000000000004","action":"api_key.created","occurred_at":"2026-01-01T00:00:00.000Z","actor":{"type":"service","id":"rollcall","name":"Rollcall"},"targets":[{"type":"api_key","id":"10000000-0000-0000-0000-000000000002","tenant":"acme","product":"app"}],"context":{"location":null,"user_agent":null,"request_id":null},"changes":{"name":{"from":null,"to":"a"},"scopes":{"from":null,"to":["people:read"]},"directory_id":{"from":null,"to":"10000000-0000-0000-0000-000000000001"},"allowed_networks":{"from":null,"to":["10.0.0.0/8"]}},"result":"success"}'
);

prepare statement_8 as
select "k".*, (
  select "v"."prefix"
  from "api_key_values" as "v"
  where v.key_id = k.id
  order by "v"."created_at" desc
  limit $1
) as "prefix"
from "api_keys" as "k"
where "tenant" = $2 and "product" = $3 and "directory_id" = $4
order by "k"."id" desc
limit $5;
execute statement_8 (
  /* $1 */ 1,
  /* $2 */ 'acme',
  /* $3 */ 'app',
  /* $4 */ '10000000-0000-0000-0000-000000000001',
  /* $5 */ 11
);

prepare statement_9 as
select "k".*, (
  select "v"."prefix"
  from "api_key_values" as "v"
  where v.key_id = k.id
  order by "v"."created_at" desc
  limit $1
) as "prefix"
from "api_keys" as "k"
where "k"."id" = $2 and "tenant" = $3 and "product" = $4 and "directory_id" = $5;
execute statement_9 (
  /* $1 */ 1,
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 'acme',
  /* $4 */ 'app',
  /* $5 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_10 as
select k.*, v.prefix, v.hash, v.expires_at as value_expires_at
from api_key_values v
join api_keys k on k.id = v.key_id
where v.prefix = any(cast($1 as text[]));
execute statement_10 (
  /* $1 */ '{"rcl_00000003"}'
);

prepare statement_11 as
update "api_keys"
set "last_used_at" = CURRENT_TIMESTAMP
where "id" = $1 and (last_used_at is null or last_used_at < now() - interval '1 minute');
execute statement_11 (
  /* $1 */ '10000000-0000-0000-0000-000000000002'
);

prepare statement_12 as
select "id"
from "api_keys"
where "id" = $1 and "tenant" = $2 and "product" = $3 and "directory_id" = $4
limit $5 for update;
execute statement_12 (
  /* $1 */ '10000000-0000-0000-0000-000000000002',
  /* $2 */ 'acme',
  /* $3 */ 'app',
  /* $4 */ '10000000-0000-0000-0000-000000000001',
  /* $5 */ 1
);

prepare statement_13 as
select "k".*, (
  select "v"."prefix"
  from "api_key_values" as "v"
  where v.key_id = k.id
  order by "v"."created_at" desc
  limit $1
) as "prefix"
from "api_keys" as "k"
where "k"."id" = $2 and "tenant" = $3 and "product" = $4 and "directory_id" = $5;
execute statement_13 (
  /* $1 */ 1,
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 'acme',
  /* $4 */ 'app',
  /* $5 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_14 as
update "api_keys"
set "name" = $1
where "id" = $2;
execute statement_14 (
  /* $1 */ 'b',
  /* $2 */ '10000000-0000-0000-0000-000000000002'
);

prepare statement_15 as
select "k".*, (
  select "v"."prefix"
  from "api_key_values" as "v"
  where v.key_id = k.id
  order by "v"."created_at" desc
  limit $1
) as "prefix"
from "api_keys" as "k"
where "k"."id" = $2 and "tenant" = $3 and "product" = $4 and "directory_id" = $5;
execute statement_15 (
  /* $1 */ 1,
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 'acme',
  /* $4 */ 'app',
  /* $5 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_16 as
insert into audit_log(body)
values ($1);
execute statement_16 (
  /* $1 */ '{"id":"10000000-0000-0000-0000-000000000005","action":"api_key.updated","occurred_at":"2026-01-01T00:00:00.000Z","actor":{"type":"service","id":"rollcall","name":"Rollcall"},"targets":[{"type":"api_key","id":"10000000-0000-0000-0000-000000000002","tenant":"acme","product":"app"}],"context":{"location":null,"user_agent":null,"request_id":null},"changes":{"name":{"from":"a","to":"b"}},"result":"success"}'
);

prepare statement_17 as
select "id"
from "api_keys"
where "id" = $1 and "tenant" = $2 and "product" = $3 and "directory_id" = $4
limit $5 for update;
execute statement_17 (
  /* $1 */ '10000000-0000-0000-0000-000000000002',
  /* $2 */ 'acme',
  /* $3 */ 'app',
  /* $4 */ '10000000-0000-0000-0000-000000000001',
  /* $5 */ 1
);

prepare statement_18 as
select "k".*, (
  select "v"."prefix"
  from "api_key_values" as "v"
  where v.key_id = k.id
  order by "v"."created_at" desc
  limit $1
) as "prefix"
from "api_keys" as "k"
where "k"."id" = $2 and "tenant" = $3 and "product" = $4 and "directory_id" = $5;
execute statement_18 (
  /* $1 */ 1,
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 'acme',
  /* $4 */ 'app',
  /* $5 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_19 as
update api_key_values
set expires_at = case when prefix = $1 then clock_timestamp() + $2 * interval '1 millisecond' else clock_timestamp() end
where key_id = $3 and (expires_at is null or expires_at > clock_timestamp())
returning expires_at;
execute statement_19 (
  /* $1 */ 'rcl_00000003',
  /* $2 */ 1000,
  /* $3 */ '10000000-0000-0000-0000-000000000002'
);

prepare statement_20 as
delete from api_key_values
where key_id = $1 and prefix in (
  select prefix
  from api_key_values
  where key_id = $2
  order by created_at desc
  offset $3
);
execute statement_20 (
  /* $1 */ '10000000-0000-0000-0000-000000000002',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 9
);

prepare statement_21 as
insert into "api_key_values"("hash", "key_id", "prefix")
values ($1, $2, $3);
execute statement_21 (
  /* $1 */ '\xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 'rcl_00000006'
);

prepare statement_22 as
select "k".*, (
  select "v"."prefix"
  from "api_key_values" as "v"
  where v.key_id = k.id
  order by "v"."created_at" desc
  limit $1
) as "prefix"
from "api_keys" as "k"
where "k"."id" = $2 and "tenant" = $3 and "product" = $4 and "directory_id" = $5;
execute statement_22 (
  /* $1 */ 1,
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 'acme',
  /* $4 */ 'app',
  /* $5 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_23 as
insert into audit_log(body)
values ($1);
execute statement_23 (
  /* $1 */ '{"id":"10000000-0000-0000-0000-000000000007","action":"api_key.rotated","occurred_at":"2026-01-01T00:00:00.000Z","actor":{"type":"service","id":"rollcall","name":"Rollcall"},"targets":[{"type":"api_key","id":"10000000-0000-0000-0000-000000000002","tenant":"acme","product":"app"}],"context":{"location":null,"user_agent":null,"request_id":null},"changes":{"value":{"changed":true},"overlap_seconds":1},"result":"success"}'
);

prepare statement_24 as
select "id"
from "api_keys"
where "id" = $1 and "tenant" = $2 and "product" = $3 and "directory_id" = $4
limit $5 for update;
execute statement_24 (
  /* $1 */ '10000000-0000-0000-0000-000000000002',
  /* $2 */ 'acme',
  /* $3 */ 'app',
  /* $4 */ '10000000-0000-0000-0000-000000000001',
  /* $5 */ 1
);

prepare statement_25 as
select "k".*, (
  select "v"."prefix"
  from "api_key_values" as "v"
  where v.key_id = k.id
  order by "v"."created_at" desc
  limit $1
) as "prefix"
from "api_keys" as "k"
where "k"."id" = $2 and "tenant" = $3 and "product" = $4 and "directory_id" = $5;
execute statement_25 (
  /* $1 */ 1,
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 'acme',
  /* $4 */ 'app',
  /* $5 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_26 as
update "api_keys"
set "revoked_at" = CURRENT_TIMESTAMP
where "id" = $1;
execute statement_26 (
  /* $1 */ '10000000-0000-0000-0000-000000000002'
);

prepare statement_27 as
delete from api_keys
where id in (
  select id
  from api_keys
  where revoked_at is not null
  order by revoked_at desc, id desc
  offset $1
);
execute statement_27 (
  /* $1 */ 10000
);

prepare statement_28 as
select "k".*, (
  select "v"."prefix"
  from "api_key_values" as "v"
  where v.key_id = k.id
  order by "v"."created_at" desc
  limit $1
) as "prefix"
from "api_keys" as "k"
where "k"."id" = $2 and "tenant" = $3 and "product" = $4 and "directory_id" = $5;
execute statement_28 (
  /* $1 */ 1,
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 'acme',
  /* $4 */ 'app',
  /* $5 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_29 as
insert into audit_log(body)
values ($1);
execute statement_29 (
  /* $1 */ '{"id":"10000000-0000-0000-0000-000000000008","action":"api_key.revoked","occurred_at":"2026-01-01T00:00:00.000Z","actor":{"type":"service","id":"rollcall","name":"Rollcall"},"targets":[{"type":"api_key","id":"10000000-0000-0000-0000-000000000002","tenant":"acme","product":"app"}],"context":{"location":null,"user_agent":null,"request_id":null},"changes":null,"result":"success"}'
);
