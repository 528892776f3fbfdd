prepare statement_1 as
insert into "sessions"("created_at", "expires_at", "hash", "id", "key_prefix", "last_used_at", "method", "person_id", "person_name", "role", "root_key_hash")
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
returning *;
execute statement_1 (
  /* $1 */ '2026-01-01T00:00:00.000Z',
  /* $2 */ '2026-01-01T00:00:00.000Z',
  /* $3 */ '\xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
  /* $4 */ '10000000-0000-0000-0000-000000000001',
  /* $5 */ null,
  /* $6 */ '2026-01-01T00:00:00.000Z',
  /* $7 */ 'oidc',
  /* $8 */ 'oidc:ada',
  /* $9 */ 'Ada',
  /* $10 */ 'admin:settings',
  /* $11 */ null
);

prepare statement_2 as
update "sessions"
set "ended_at" = $1
where "hash" = $2 and "ended_at" is null and "expires_at" > $3
returning "id";
execute statement_2 (
  /* $1 */ '2026-01-01T00:00:00.000Z',
  /* $2 */ '\xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
  /* $3 */ '2026-01-01T00:00:00.000Z'
);

prepare statement_3 as
delete from sessions
where id in (
  select id
  from sessions
  where person_id = $1
  order by (ended_at is null and expires_at > $2) desc, created_at desc, id desc
  offset $3
)
returning id, ended_at is null and expires_at > $4 as was_active;
execute statement_3 (
  /* $1 */ 'oidc:ada',
  /* $2 */ '2026-01-01T00:00:00.000Z',
  /* $3 */ 20,
  /* $4 */ '2026-01-01T00:00:00.000Z'
);

prepare statement_4 as
insert into audit_log(body)
values ($1);
execute statement_4 (
  /* $1 */ '{"id":"10000000-0000-0000-0000-000000000002","action":"sign_in.succeeded","occurred_at":"2026-01-01T00:00:00.000Z","actor":{"type":"person","id":"oidc:ada","name":"Ada"},"targets":[{"type":"session","id":"10000000-0000-0000-0000-000000000001"}],"context":{"location":null,"user_agent":null,"request_id":null},"changes":{"method":"oidc","role":"admin"},"result":"success"}'
);

prepare statement_5 as
select *
from "sessions"
where "hash" = $1
limit $2;
execute statement_5 (
  /* $1 */ '\xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
  /* $2 */ 1
);

prepare statement_6 as
update "sessions"
set "last_used_at" = $1
where "id" = $2 and "ended_at" is null and "last_used_at" < $3;
execute statement_6 (
  /* $1 */ '2026-01-01T00:00:00.000Z',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ '2026-01-01T00:00:00.000Z'
);

prepare statement_7 as
update "sessions"
set "ended_at" = $1
where "id" = $2 and "ended_at" is null;
execute statement_7 (
  /* $1 */ '2026-01-01T00:00:00.000Z',
  /* $2 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_8 as
insert into audit_log(body)
values ($1);
execute statement_8 (
  /* $1 */ '{"id":"10000000-0000-0000-0000-000000000003","action":"session.ended","occurred_at":"2026-01-01T00:00:00.000Z","actor":{"type":"service","id":"rollcall","name":"Rollcall"},"targets":[{"type":"session","id":"10000000-0000-0000-0000-000000000001"}],"context":{"location":null,"user_agent":null,"request_id":null},"changes":null,"result":"success"}'
);

prepare statement_9 as
update "sessions"
set "ended_at" = $1
where "person_id" = $2 and "ended_at" is null and "expires_at" > $3;
execute statement_9 (
  /* $1 */ '2026-01-01T00:00:00.000Z',
  /* $2 */ 'oidc:ada',
  /* $3 */ '2026-01-01T00:00:00.000Z'
);

prepare statement_10 as
delete from "login_links"
where key_prefix in (
  select prefix
  from api_key_values
  where key_id = (select key_id from api_key_values where prefix = $1)
);
execute statement_10 (
  /* $1 */ 'rcl_00000004'
);

prepare statement_11 as
update "sessions"
set "ended_at" = $1
where "person_id" = $2 and "ended_at" is null and "expires_at" > $3;
execute statement_11 (
  /* $1 */ '2026-01-01T00:00:00.000Z',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ '2026-01-01T00:00:00.000Z'
);

delete from "login_links";

prepare statement_13 as
update "sessions"
set "ended_at" = $1
where "ended_at" is null and "expires_at" > $2;
execute statement_13 (
  /* $1 */ '2026-01-01T00:00:00.000Z',
  /* $2 */ '2026-01-01T00:00:00.000Z'
);

prepare statement_14 as
select pg_advisory_xact_lock(hashtextextended($1, 7265636537));
execute statement_14 (
  /* $1 */ 'ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff'
);

prepare statement_15 as
delete from "login_links"
where "hash" in (
  select "hash"
  from "login_links"
  where "key_prefix" is null and "root_key_hash" = $1
  order by "created_at" desc
  offset $2
);
execute statement_15 (
  /* $1 */ '\xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
  /* $2 */ 19
);

prepare statement_16 as
insert into "login_links"("created_at", "expires_at", "hash", "key_prefix", "root_key_hash")
values ($1, $2, $3, $4, $5);
execute statement_16 (
  /* $1 */ '2026-01-01T00:00:00.000Z',
  /* $2 */ '2026-01-01T00:00:00.000Z',
  /* $3 */ '\xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
  /* $4 */ null,
  /* $5 */ '\xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff'
);

prepare statement_17 as
insert into audit_log(body)
values ($1);
execute statement_17 (
  /* $1 */ '{"id":"10000000-0000-0000-0000-000000000005","action":"login_link.created","occurred_at":"2026-01-01T00:00:00.000Z","actor":{"type":"service","id":"rollcall","name":"Rollcall"},"targets":[],"context":{"location":null,"user_agent":null,"request_id":null},"changes":null,"result":"success"}'
);

prepare statement_18 as
select *
from "login_links"
where "hash" = $1 and "expires_at" > $2
limit $3;
execute statement_18 (
  /* $1 */ '\xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
  /* $2 */ '2026-01-01T00:00:00.000Z',
  /* $3 */ 1
);

prepare statement_19 as
delete from "login_links"
where "hash" = $1 and "expires_at" > $2;
execute statement_19 (
  /* $1 */ '\xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
  /* $2 */ '2026-01-01T00:00:00.000Z'
);

prepare statement_20 as
insert into "sessions"("created_at", "expires_at", "hash", "id", "key_prefix", "last_used_at", "method", "person_id", "person_name", "role", "root_key_hash")
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
returning *;
execute statement_20 (
  /* $1 */ '2026-01-01T00:00:00.000Z',
  /* $2 */ '2026-01-01T00:00:00.000Z',
  /* $3 */ '\xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
  /* $4 */ '10000000-0000-0000-0000-000000000006',
  /* $5 */ null,
  /* $6 */ '2026-01-01T00:00:00.000Z',
  /* $7 */ 'oidc',
  /* $8 */ 'oidc:ada',
  /* $9 */ 'Ada',
  /* $10 */ 'admin:settings',
  /* $11 */ null
);

prepare statement_21 as
delete from sessions
where id in (
  select id
  from sessions
  where person_id = $1
  order by (ended_at is null and expires_at > $2) desc, created_at desc, id desc
  offset $3
)
returning id, ended_at is null and expires_at > $4 as was_active;
execute statement_21 (
  /* $1 */ 'oidc:ada',
  /* $2 */ '2026-01-01T00:00:00.000Z',
  /* $3 */ 20,
  /* $4 */ '2026-01-01T00:00:00.000Z'
);

prepare statement_22 as
insert into audit_log(body)
values ($1);
execute statement_22 (
  /* $1 */ '{"id":"10000000-0000-0000-0000-000000000007","action":"sign_in.succeeded","occurred_at":"2026-01-01T00:00:00.000Z","actor":{"type":"person","id":"oidc:ada","name":"Ada"},"targets":[{"type":"session","id":"10000000-0000-0000-0000-000000000006"}],"context":{"location":null,"user_agent":null,"request_id":null},"changes":{"method":"oidc","role":"admin"},"result":"success"}'
);

prepare statement_23 as
delete from sessions
where id in (
  select id
  from sessions
  where expires_at <= now()
  order by expires_at
  limit $1 for update skip locked
);
execute statement_23 (
  /* $1 */ 10
);

prepare statement_24 as
delete from login_links
where hash in (
  select hash
  from login_links
  where expires_at <= now()
  order by expires_at
  limit $1 for update skip locked
);
execute statement_24 (
  /* $1 */ 10
);
