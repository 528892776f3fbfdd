prepare statement_1 as
select "type"
from "directories"
where "id" = $1
limit $2 for no key update;
execute statement_1 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_2 as
select count(*) as "count"
from "scim_clients"
where "directory_id" = $1 and "revoked_at" is null and "expires_at" > $2;
execute statement_2 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '2026-01-01T00:00:00.000Z'
);

prepare statement_3 as
delete from scim_clients
where directory_id = $1 and id in (
  select id
  from scim_clients
  where directory_id = $2 and (revoked_at is not null or expires_at <= $3)
  order by id desc
  offset $4
);
execute statement_3 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ '2026-01-01T00:00:00.000Z',
  /* $4 */ 20
);

prepare statement_4 as
insert into "scim_clients"("directory_id", "expires_at", "id", "name", "secret_hash")
values ($1, $2, $3, $4, $5);
execute statement_4 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '2026-01-01T00:00:00.000Z',
  /* $3 */ '10000000-0000-0000-0000-000000000002',
  /* $4 */ 'a',
  /* $5 */ '\xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff'
);

prepare statement_5 as
select *
from "scim_clients"
where "directory_id" = $1 and "id" = $2
limit $3;
execute statement_5 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 1
);

prepare statement_6 as
select "id", "tenant", "product"
from "all_directories"
where "id" = $1
limit $2;
execute statement_6 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_7 as
insert into audit_log(body)
values ($1);
execute statement_7 (
  /* $1 */ '{"id":"10000000-0000-0000-0000-000000000003","action":"scim_client.created","occurred_at":"2026-01-01T00:00:00.000Z","actor":{"type":"service","id":"rollcall","name":"Rollcall"},"targets":[{"type":"directory","id":"10000000-0000-0000-0000-000000000001","tenant":"t","product":"p"},{"type":"scim_client","id":"10000000-0000-0000-0000-000000000002"}],"context":{"location":null,"user_agent":null,"request_id":null},"changes":{"name":{"from":null,"to":"a"},"expires_at":{"from":null,"to":"2026-01-01T00:00:00.000Z"}},"result":"success"}'
);

prepare statement_8 as
select *
from "scim_clients"
where "directory_id" = $1
order by "id" desc
limit $2;
execute statement_8 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 11
);

prepare statement_9 as
select *
from "scim_clients"
where "directory_id" = $1 and "id" = $2
limit $3;
execute statement_9 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 1
);

prepare statement_10 as
select "c".*
from "scim_clients" as "c"
inner join "directories" as "d" on "d"."id" = "c"."directory_id"
where "c"."id" = $1
limit $2;
execute statement_10 (
  /* $1 */ '10000000-0000-0000-0000-000000000002',
  /* $2 */ 1
);

prepare statement_11 as
select *
from "scim_clients"
where "directory_id" = $1 and "id" = $2
limit $3 for update;
execute statement_11 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 1
);

prepare statement_12 as
insert into "scim_access_tokens"("client_id", "directory_id", "expires_at", "hash")
values ($1, $2, least(cast($3 as timestamptz), (select expires_at from scim_clients where directory_id = $4 and id = $5)), $6);
execute statement_12 (
  /* $1 */ '10000000-0000-0000-0000-000000000002',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ '2026-01-01T00:00:00.000Z',
  /* $4 */ '10000000-0000-0000-0000-000000000001',
  /* $5 */ '10000000-0000-0000-0000-000000000002',
  /* $6 */ '\xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff'
);

prepare statement_13 as
delete from scim_access_tokens
where directory_id = $1 and client_id = $2 and hash in (
  select hash
  from scim_access_tokens
  where directory_id = $3 and client_id = $4
  order by created_at desc
  offset $5
);
execute statement_13 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ '10000000-0000-0000-0000-000000000001',
  /* $4 */ '10000000-0000-0000-0000-000000000002',
  /* $5 */ 20
);

prepare statement_14 as
update "scim_clients"
set "last_used_at" = CURRENT_TIMESTAMP
where "directory_id" = $1 and "id" = $2;
execute statement_14 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002'
);

prepare statement_15 as
select "id"
from "directories"
where "id" = $1
limit $2 for no key update;
execute statement_15 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_16 as
select *
from "scim_clients"
where "directory_id" = $1 and "id" = $2
limit $3 for update;
execute statement_16 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 1
);

prepare statement_17 as
update "scim_clients"
set "name" = $1, "expires_at" = $2
where "directory_id" = $3 and "id" = $4;
execute statement_17 (
  /* $1 */ 'b',
  /* $2 */ '2026-01-01T00:00:00.000Z',
  /* $3 */ '10000000-0000-0000-0000-000000000001',
  /* $4 */ '10000000-0000-0000-0000-000000000002'
);

prepare statement_18 as
update "scim_access_tokens"
set "expires_at" = least(expires_at, $1)
where "directory_id" = $2 and "client_id" = $3;
execute statement_18 (
  /* $1 */ '2026-01-01T00:00:00.000Z',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ '10000000-0000-0000-0000-000000000002'
);

prepare statement_19 as
select *
from "scim_clients"
where "directory_id" = $1 and "id" = $2
limit $3;
execute statement_19 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 1
);

prepare statement_20 as
select "id", "tenant", "product"
from "all_directories"
where "id" = $1
limit $2;
execute statement_20 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_21 as
insert into audit_log(body)
values ($1);
execute statement_21 (
  /* $1 */ '{"id":"10000000-0000-0000-0000-000000000004","action":"scim_client.updated","occurred_at":"2026-01-01T00:00:00.000Z","actor":{"type":"service","id":"rollcall","name":"Rollcall"},"targets":[{"type":"directory","id":"10000000-0000-0000-0000-000000000001","tenant":"t","product":"p"},{"type":"scim_client","id":"10000000-0000-0000-0000-000000000002"}],"context":{"location":null,"user_agent":null,"request_id":null},"changes":{"name":{"from":"a","to":"b"},"expires_at":{"from":"2026-01-01T00:00:00.000Z","to":"2026-01-01T00:00:00.000Z"}},"result":"success"}'
);

prepare statement_22 as
select *
from "scim_clients"
where "directory_id" = $1 and "id" = $2
limit $3 for update;
execute statement_22 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 1
);

prepare statement_23 as
delete from "scim_access_tokens"
where "directory_id" = $1 and "client_id" = $2;
execute statement_23 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002'
);

prepare statement_24 as
select "id", "tenant", "product"
from "all_directories"
where "id" = $1
limit $2;
execute statement_24 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_25 as
insert into audit_log(body)
values ($1);
execute statement_25 (
  /* $1 */ '{"id":"10000000-0000-0000-0000-000000000005","action":"scim_client.tokens_revoked","occurred_at":"2026-01-01T00:00:00.000Z","actor":{"type":"service","id":"rollcall","name":"Rollcall"},"targets":[{"type":"directory","id":"10000000-0000-0000-0000-000000000001","tenant":"t","product":"p"},{"type":"scim_client","id":"10000000-0000-0000-0000-000000000002"}],"context":{"location":null,"user_agent":null,"request_id":null},"changes":null,"result":"success"}'
);

prepare statement_26 as
select "id"
from "scim_clients"
where "directory_id" = $1 and "revoked_at" is null and "expires_at" > $2
limit $3;
execute statement_26 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '2026-01-01T00:00:00.000Z',
  /* $3 */ 1
);

prepare statement_27 as
select *
from "scim_clients"
where "directory_id" = $1 and "id" = $2
limit $3 for update;
execute statement_27 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 1
);

prepare statement_28 as
update "scim_clients"
set "revoked_at" = CURRENT_TIMESTAMP
where "directory_id" = $1 and "id" = $2;
execute statement_28 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002'
);

prepare statement_29 as
delete from "scim_access_tokens"
where "directory_id" = $1 and "client_id" = $2;
execute statement_29 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002'
);

prepare statement_30 as
select *
from "scim_clients"
where "directory_id" = $1 and "id" = $2
limit $3;
execute statement_30 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 1
);

prepare statement_31 as
select "id", "tenant", "product"
from "all_directories"
where "id" = $1
limit $2;
execute statement_31 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_32 as
insert into audit_log(body)
values ($1);
execute statement_32 (
  /* $1 */ '{"id":"10000000-0000-0000-0000-000000000006","action":"scim_client.revoked","occurred_at":"2026-01-01T00:00:00.000Z","actor":{"type":"service","id":"rollcall","name":"Rollcall"},"targets":[{"type":"directory","id":"10000000-0000-0000-0000-000000000001","tenant":"t","product":"p"},{"type":"scim_client","id":"10000000-0000-0000-0000-000000000002"}],"context":{"location":null,"user_agent":null,"request_id":null},"changes":null,"result":"success"}'
);

prepare statement_33 as
delete from scim_access_tokens
where (directory_id, hash) in (
  select directory_id, hash
  from scim_access_tokens
  where expires_at <= now()
  order by expires_at
  limit $1 for update skip locked
);
execute statement_33 (
  /* $1 */ 10
);
