prepare statement_1 as
select pg_advisory_xact_lock(hashtextextended($1, 7265636535));
execute statement_1 (
  /* $1 */ '108384c0281e0f27c3b35ba83fe2a12a8ef033a7'
);

prepare statement_2 as
select *, expires_at > now() as is_valid
from "setup_links"
where "id" = $1
limit $2;
execute statement_2 (
  /* $1 */ '108384c0281e0f27c3b35ba83fe2a12a8ef033a7',
  /* $2 */ 1
);

prepare statement_3 as
delete from "setup_links"
where "id" = $1;
execute statement_3 (
  /* $1 */ '108384c0281e0f27c3b35ba83fe2a12a8ef033a7'
);

select pg_advisory_xact_lock(hashtextextended('setup links', 7265636535));

select count(*) as "count"
from "setup_links";

prepare statement_6 as
insert into "setup_links"("created_at", "created_by", "expires_at", "id", "may_delete", "name", "place", "product", "provider", "return_url", "revoke_on_completion", "roles", "sealed", "tenant", "token_hash")
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
returning *;
execute statement_6 (
  /* $1 */ '2026-01-01T00:00:00.000Z',
  /* $2 */ '{"type":"command_line","id":"import polis","name":"polis"}',
  /* $3 */ '2026-01-01T00:00:00.000Z',
  /* $4 */ '108384c0281e0f27c3b35ba83fe2a12a8ef033a7',
  /* $5 */ true,
  /* $6 */ null,
  /* $7 */ '10000000-0000-0000-0000-000000000001',
  /* $8 */ 'app',
  /* $9 */ null,
  /* $10 */ null,
  /* $11 */ false,
  /* $12 */ null,
  /* $13 */ 'A_SEALED_VALUE',
  /* $14 */ 'acme',
  /* $15 */ '\xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff'
);

prepare statement_7 as
insert into audit_log(body)
values ($1);
execute statement_7 (
  /* $1 */ '{"id":"10000000-0000-0000-0000-000000000002","action":"setup_link.created","occurred_at":"2026-01-01T00:00:00.000Z","actor":{"type":"service","id":"rollcall","name":"Rollcall"},"targets":[{"type":"setup_link","id":"108384c0281e0f27c3b35ba83fe2a12a8ef033a7","tenant":"acme","product":"app"}],"context":{"location":null,"user_agent":null,"request_id":null},"changes":{"expires_at":"2026-01-01T00:00:00.000Z"},"result":"success"}'
);

prepare statement_8 as
select *
from "setup_links"
where "created_by" = $1 and "product" = $2 and expires_at > now() and "id" not in ($3);
execute statement_8 (
  /* $1 */ '{"type":"command_line","id":"import polis","name":"polis"}',
  /* $2 */ 'app',
  /* $3 */ '108384c0281e0f27c3b35ba83fe2a12a8ef033a7'
);

prepare statement_9 as
select *
from "setup_links"
where "created_by" = $1 and "product" = $2 and expires_at > now() and 1 = $3;
execute statement_9 (
  /* $1 */ '{"type":"command_line","id":"import polis","name":"polis"}',
  /* $2 */ 'app',
  /* $3 */ 1
);

prepare statement_10 as
delete from "setup_links"
where "id" = $1;
execute statement_10 (
  /* $1 */ '108384c0281e0f27c3b35ba83fe2a12a8ef033a7'
);

prepare statement_11 as
insert into audit_log(body)
values ($1);
execute statement_11 (
  /* $1 */ '{"id":"10000000-0000-0000-0000-000000000003","action":"setup_link.revoked","occurred_at":"2026-01-01T00:00:00.000Z","actor":{"type":"service","id":"rollcall","name":"Rollcall"},"targets":[{"type":"setup_link","id":"108384c0281e0f27c3b35ba83fe2a12a8ef033a7","tenant":"acme","product":"app"}],"context":{"location":null,"user_agent":null,"request_id":null},"changes":null,"result":"success"}'
);
