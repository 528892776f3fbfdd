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
from "upload_tokens"
where "directory_id" = $1 and "revoked_at" is null and "expires_at" > $2;
execute statement_2 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '2026-01-01T00:00:00.000Z'
);

prepare statement_3 as
delete from upload_tokens
where directory_id = $1 and id in (
  select id
  from upload_tokens
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
insert into "upload_tokens"("directory_id", "expires_at", "hash", "id", "name")
values ($1, $2, $3, $4, $5);
execute statement_4 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '2026-01-01T00:00:00.000Z',
  /* $3 */ '\xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
  /* $4 */ '10000000-0000-0000-0000-000000000002',
  /* $5 */ 'a'
);

prepare statement_5 as
select "id", "directory_id", "name", "created_at", "expires_at", "last_used_at", "revoked_at"
from "upload_tokens"
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
  /* $1 */ '{"id":"10000000-0000-0000-0000-000000000003","action":"upload_token.created","occurred_at":"2026-01-01T00:00:00.000Z","actor":{"type":"service","id":"rollcall","name":"Rollcall"},"targets":[{"type":"directory","id":"10000000-0000-0000-0000-000000000001","tenant":"t","product":"p"},{"type":"upload_token","id":"10000000-0000-0000-0000-000000000002"}],"context":{"location":null,"user_agent":null,"request_id":null},"changes":{"name":{"from":null,"to":"a"},"expires_at":{"from":null,"to":"2026-01-01T00:00:00.000Z"}},"result":"success"}'
);

prepare statement_8 as
select "id", "directory_id", "name", "created_at", "expires_at", "last_used_at", "revoked_at"
from "upload_tokens"
where "directory_id" = $1
order by "id" desc
limit $2;
execute statement_8 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 11
);

prepare statement_9 as
select "t"."id", "t"."directory_id", "t"."name", "t"."created_at", "t"."expires_at", "t"."last_used_at", "t"."revoked_at"
from "upload_tokens" as "t"
inner join "directories" as "d" on "d"."id" = "t"."directory_id"
where "t"."hash" = $1
limit $2;
execute statement_9 (
  /* $1 */ '\xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
  /* $2 */ 1
);

prepare statement_10 as
update "upload_tokens"
set "last_used_at" = CURRENT_TIMESTAMP
where "directory_id" = $1 and "id" = $2;
execute statement_10 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002'
);

prepare statement_11 as
select "id", "directory_id", "name", "created_at", "expires_at", "last_used_at", "revoked_at"
from "upload_tokens"
where "directory_id" = $1 and "id" = $2
limit $3 for update;
execute statement_11 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 1
);

prepare statement_12 as
update "upload_tokens"
set "revoked_at" = CURRENT_TIMESTAMP
where "directory_id" = $1 and "id" = $2;
execute statement_12 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002'
);

prepare statement_13 as
select "id", "directory_id", "name", "created_at", "expires_at", "last_used_at", "revoked_at"
from "upload_tokens"
where "directory_id" = $1 and "id" = $2
limit $3;
execute statement_13 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 1
);

prepare statement_14 as
select "id", "tenant", "product"
from "all_directories"
where "id" = $1
limit $2;
execute statement_14 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_15 as
insert into audit_log(body)
values ($1);
execute statement_15 (
  /* $1 */ '{"id":"10000000-0000-0000-0000-000000000004","action":"upload_token.revoked","occurred_at":"2026-01-01T00:00:00.000Z","actor":{"type":"service","id":"rollcall","name":"Rollcall"},"targets":[{"type":"directory","id":"10000000-0000-0000-0000-000000000001","tenant":"t","product":"p"},{"type":"upload_token","id":"10000000-0000-0000-0000-000000000002"}],"context":{"location":null,"user_agent":null,"request_id":null},"changes":null,"result":"success"}'
);
