prepare statement_1 as
select pg_advisory_xact_lock(hashtextextended($1, 7265636535));
execute statement_1 (
  /* $1 */ 'link'
);

prepare statement_2 as
select *, expires_at > now() as is_valid
from "setup_links"
where "id" = $1
limit $2;
execute statement_2 (
  /* $1 */ 'link',
  /* $2 */ 1
);

prepare statement_3 as
delete from "setup_links"
where "id" = $1;
execute statement_3 (
  /* $1 */ 'link'
);

select pg_advisory_xact_lock(hashtextextended('setup links', 7265636535));

select count(*) as "count"
from "setup_links";

prepare statement_6 as
select count(*) as "count"
from "setup_links"
where "tenant" = $1 and "product" = $2;
execute statement_6 (
  /* $1 */ 't',
  /* $2 */ 'p'
);

prepare statement_7 as
insert into "setup_links"("created_by", "expires_at", "id", "may_delete", "name", "place", "product", "provider", "return_url", "revoke_on_completion", "roles", "sealed", "tenant", "token_hash")
values ($1, now() + $2 * interval '1 millisecond', $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
returning *;
execute statement_7 (
  /* $1 */ '{"type":"root_key","id":"root_1","name":"key"}',
  /* $2 */ 60000,
  /* $3 */ 'link',
  /* $4 */ true,
  /* $5 */ null,
  /* $6 */ '10000000-0000-0000-0000-000000000001',
  /* $7 */ 'p',
  /* $8 */ null,
  /* $9 */ null,
  /* $10 */ true,
  /* $11 */ '["admin"]',
  /* $12 */ 'A_SEALED_VALUE',
  /* $13 */ 't',
  /* $14 */ '\xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff'
);

prepare statement_8 as
insert into audit_log(body)
values ($1);
execute statement_8 (
  /* $1 */ '{"id":"10000000-0000-0000-0000-000000000002","action":"setup_link.created","occurred_at":"2026-01-01T00:00:00.000Z","actor":{"type":"service","id":"rollcall","name":"Rollcall"},"targets":[{"type":"setup_link","id":"link","tenant":"t","product":"p"}],"context":{"location":null,"user_agent":null,"request_id":null},"changes":{"expires_at":"2026-01-01T00:00:00.000Z","revoke_on_completion":true,"roles":"admin"},"result":"success"}'
);

prepare statement_9 as
select *
from "setup_links"
where "tenant" = $1 and "product" = $2
order by "place" desc
limit $3;
execute statement_9 (
  /* $1 */ 't',
  /* $2 */ 'p',
  /* $3 */ 11
);

prepare statement_10 as
select *
from "setup_links"
where "id" = $1 and "tenant" = $2 and "product" = $3
limit $4;
execute statement_10 (
  /* $1 */ 'link',
  /* $2 */ 't',
  /* $3 */ 'p',
  /* $4 */ 1
);

prepare statement_11 as
select *
from "setup_links"
where "token_hash" = $1
limit $2;
execute statement_11 (
  /* $1 */ '\xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
  /* $2 */ 1
);

prepare statement_12 as
update "setup_links"
set "opened_at" = CURRENT_TIMESTAMP
where "id" = $1 and "token_hash" = $2 and "opened_at" is null
returning *;
execute statement_12 (
  /* $1 */ 'link',
  /* $2 */ '\xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff'
);

prepare statement_13 as
insert into audit_log(body)
values ($1);
execute statement_13 (
  /* $1 */ '{"id":"10000000-0000-0000-0000-000000000003","action":"setup_link.opened","occurred_at":"2026-01-01T00:00:00.000Z","actor":{"type":"service","id":"rollcall","name":"Rollcall"},"targets":[{"type":"setup_link","id":"link","tenant":"t","product":"p"}],"context":{"location":null,"user_agent":null,"request_id":null},"changes":null,"result":"success"}'
);

prepare statement_14 as
select *, expires_at > now() as is_valid
from "setup_links"
where "id" = $1 and "token_hash" = $2
limit $3 for update;
execute statement_14 (
  /* $1 */ 'link',
  /* $2 */ '\xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
  /* $3 */ 1
);

prepare statement_15 as
select "id"
from "directories"
where "tenant" = $1 and "product" = $2 and "type" = $3
order by "id" desc
limit $4;
execute statement_15 (
  /* $1 */ 't',
  /* $2 */ 'p',
  /* $3 */ 'okta-scim-v2',
  /* $4 */ 1
);

prepare statement_16 as
select pg_advisory_xact_lock_shared(hashtextextended($1, 7265636534));
execute statement_16 (
  /* $1 */ 'p'
);

prepare statement_17 as
insert into "directories"("accept_scim_secret", "deactivated", "id", "inactive_users", "log_webhook_events", "name", "on_directory_delete", "product", "tenant", "type", "user_state_events")
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
returning "created_at", "updated_at";
execute statement_17 (
  /* $1 */ true,
  /* $2 */ false,
  /* $3 */ '10000000-0000-0000-0000-000000000004',
  /* $4 */ 'keep',
  /* $5 */ false,
  /* $6 */ 'n',
  /* $7 */ 'silent',
  /* $8 */ 'p',
  /* $9 */ 't',
  /* $10 */ 'okta-scim-v2',
  /* $11 */ false
);

prepare statement_18 as
insert into "webhook_endpoints"("directory_id", "id", "legacy_signatures")
values ($1, $2, $3);
execute statement_18 (
  /* $1 */ '10000000-0000-0000-0000-000000000004',
  /* $2 */ '10000000-0000-0000-0000-000000000005',
  /* $3 */ null
);

prepare statement_19 as
insert into audit_log(body)
values ($1);
execute statement_19 (
  /* $1 */ '{"id":"10000000-0000-0000-0000-000000000006","action":"directory.created","occurred_at":"2026-01-01T00:00:00.000Z","actor":{"type":"service","id":"rollcall","name":"Rollcall"},"targets":[{"type":"directory","id":"10000000-0000-0000-0000-000000000004","tenant":"t","product":"p"}],"context":{"location":null,"user_agent":null,"request_id":null},"changes":{"type":"okta-scim-v2","name":{"from":null,"to":"n"},"deactivated":{"from":null,"to":false},"log_webhook_events":{"from":null,"to":false},"user_state_events":{"from":null,"to":false},"inactive_users":{"from":null,"to":"keep"},"on_directory_delete":{"from":null,"to":"silent"}},"result":"success"}'
);

prepare statement_20 as
select *, expires_at > now() as is_valid
from "setup_links"
where "id" = $1 and "token_hash" = $2
limit $3 for update;
execute statement_20 (
  /* $1 */ 'link',
  /* $2 */ '\xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
  /* $3 */ 1
);

prepare statement_21 as
update "setup_links"
set "completed_at" = CURRENT_TIMESTAMP, "expires_at" = CURRENT_TIMESTAMP
where "id" = $1 and "token_hash" = $2;
execute statement_21 (
  /* $1 */ 'link',
  /* $2 */ '\xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff'
);

prepare statement_22 as
insert into audit_log(body)
values ($1);
execute statement_22 (
  /* $1 */ '{"id":"10000000-0000-0000-0000-000000000007","action":"setup_link.completed","occurred_at":"2026-01-01T00:00:00.000Z","actor":{"type":"service","id":"rollcall","name":"Rollcall"},"targets":[{"type":"setup_link","id":"link","tenant":"t","product":"p"}],"context":{"location":null,"user_agent":null,"request_id":null},"changes":{"directory_id":"10000000-0000-0000-0000-000000000008"},"result":"success"}'
);

prepare statement_23 as
insert into audit_log(body)
values ($1);
execute statement_23 (
  /* $1 */ '{"id":"10000000-0000-0000-0000-000000000009","action":"setup_link.revoked","occurred_at":"2026-01-01T00:00:00.000Z","actor":{"type":"service","id":"rollcall","name":"Rollcall"},"targets":[{"type":"setup_link","id":"link","tenant":"t","product":"p"}],"context":{"location":null,"user_agent":null,"request_id":null},"changes":null,"result":"success"}'
);

prepare statement_24 as
delete from "setup_links"
where "id" = $1 and "tenant" = $2 and "product" = $3
returning *;
execute statement_24 (
  /* $1 */ 'link',
  /* $2 */ 't',
  /* $3 */ 'p'
);

prepare statement_25 as
insert into audit_log(body)
values ($1);
execute statement_25 (
  /* $1 */ '{"id":"10000000-0000-0000-0000-000000000010","action":"setup_link.revoked","occurred_at":"2026-01-01T00:00:00.000Z","actor":{"type":"service","id":"rollcall","name":"Rollcall"},"targets":[{"type":"setup_link","id":"link","tenant":"t","product":"p"}],"context":{"location":null,"user_agent":null,"request_id":null},"changes":null,"result":"success"}'
);

prepare statement_26 as
delete from setup_links
where id in (
  select id
  from setup_links
  where expires_at < now() - interval '30 days'
  order by expires_at
  limit $1 for update skip locked
);
execute statement_26 (
  /* $1 */ 10
);
