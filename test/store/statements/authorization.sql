prepare statement_1 as
select "tenant", "deactivated", "inactive_users", "inactive_users_upto", "revision", "google_authorization_version", "provider_account",
  "provider_account_unread", "quotas", "on_directory_delete", "removing_at"
from "directories"
where "id" = $1
limit $2 for no key update;
execute statement_1 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_2 as
select "d".*, "e"."url" as "webhook_url", "e"."sealed_url" as "webhook_sealed_url", "e"."legacy_signatures" as "webhook_legacy_signatures",
  (
  select "s"."secret"
  from "webhook_secrets" as "s"
  where s.directory_id = d.id and s.endpoint_id = e.id
  order by "s"."created_at" desc
  limit $1
) as "webhook_secret"
from "directories" as "d"
inner join "webhook_endpoints" as "e" on "e"."directory_id" = "d"."id"
where "d"."id" = $2;
execute statement_2 (
  /* $1 */ 1,
  /* $2 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_3 as
update "directories"
set "google_access_token" = $1, "google_token_expires_at" = $2, "google_refresh_token" = $3, "google_domain" = $4, "google_groups" = $5,
  "google_org_units" = $6, "google_authorization_version" = google_authorization_version + 1, "google_authorization_error" = $7,
  "updated_at" = CURRENT_TIMESTAMP
where "id" = $8;
execute statement_3 (
  /* $1 */ 'A_SEALED_VALUE',
  /* $2 */ null,
  /* $3 */ 'A_SEALED_VALUE',
  /* $4 */ 'acme.example',
  /* $5 */ '["g"]',
  /* $6 */ '[]',
  /* $7 */ null,
  /* $8 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_4 as
insert into audit_log(body)
values ($1);
execute statement_4 (
  /* $1 */ '{"id":"10000000-0000-0000-0000-000000000002","action":"directory.authorized","occurred_at":"2026-01-01T00:00:00.000Z","actor":{"type":"service","id":"rollcall","name":"Rollcall"},"targets":[{"type":"directory","id":"10000000-0000-0000-0000-000000000001","tenant":"t","product":"p"}],"context":{"location":null,"user_agent":null,"request_id":null},"changes":{"google_domain":{"from":"","to":"acme.example"},"google_access_token":{"changed":true},"google_refresh_token":{"changed":true},"google_groups":{"changed":true}},"result":"success"}'
);

prepare statement_5 as
select "d".*, "e"."url" as "webhook_url", "e"."sealed_url" as "webhook_sealed_url", "e"."legacy_signatures" as "webhook_legacy_signatures",
  (
  select "s"."secret"
  from "webhook_secrets" as "s"
  where s.directory_id = d.id and s.endpoint_id = e.id
  order by "s"."created_at" desc
  limit $1
) as "webhook_secret"
from "directories" as "d"
inner join "webhook_endpoints" as "e" on "e"."directory_id" = "d"."id"
where "d"."id" = $2;
execute statement_5 (
  /* $1 */ 1,
  /* $2 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_6 as
select "tenant", "deactivated", "inactive_users", "inactive_users_upto", "revision", "google_authorization_version", "provider_account",
  "provider_account_unread", "quotas", "on_directory_delete", "removing_at"
from "directories"
where "id" = $1
limit $2 for no key update;
execute statement_6 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_7 as
select "d".*, "e"."url" as "webhook_url", "e"."sealed_url" as "webhook_sealed_url", "e"."legacy_signatures" as "webhook_legacy_signatures",
  (
  select "s"."secret"
  from "webhook_secrets" as "s"
  where s.directory_id = d.id and s.endpoint_id = e.id
  order by "s"."created_at" desc
  limit $1
) as "webhook_secret"
from "directories" as "d"
inner join "webhook_endpoints" as "e" on "e"."directory_id" = "d"."id"
where "d"."id" = $2;
execute statement_7 (
  /* $1 */ 1,
  /* $2 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_8 as
update "directories"
set "google_admin_email" = $1, "google_service_account" = $2, "google_authorization_version" = google_authorization_version + 1,
  "google_authorization_error" = $3, "updated_at" = CURRENT_TIMESTAMP
where "id" = $4;
execute statement_8 (
  /* $1 */ 'a@b.example',
  /* $2 */ 'A_SEALED_VALUE',
  /* $3 */ null,
  /* $4 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_9 as
insert into audit_log(body)
values ($1);
execute statement_9 (
  /* $1 */ '{"id":"10000000-0000-0000-0000-000000000003","action":"directory.authorized","occurred_at":"2026-01-01T00:00:00.000Z","actor":{"type":"service","id":"rollcall","name":"Rollcall"},"targets":[{"type":"directory","id":"10000000-0000-0000-0000-000000000001","tenant":"t","product":"p"}],"context":{"location":null,"user_agent":null,"request_id":null},"changes":{"google_admin_email":{"changed":true},"google_service_account_key":{"changed":true}},"result":"success"}'
);

prepare statement_10 as
select "d".*, "e"."url" as "webhook_url", "e"."sealed_url" as "webhook_sealed_url", "e"."legacy_signatures" as "webhook_legacy_signatures",
  (
  select "s"."secret"
  from "webhook_secrets" as "s"
  where s.directory_id = d.id and s.endpoint_id = e.id
  order by "s"."created_at" desc
  limit $1
) as "webhook_secret"
from "directories" as "d"
inner join "webhook_endpoints" as "e" on "e"."directory_id" = "d"."id"
where "d"."id" = $2;
execute statement_10 (
  /* $1 */ 1,
  /* $2 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_11 as
update "directories"
set "google_access_token" = $1, "google_token_expires_at" = $2
where "id" = $3 and "google_authorization_version" = $4;
execute statement_11 (
  /* $1 */ 'A_SEALED_VALUE',
  /* $2 */ '2026-01-01T00:00:00.000Z',
  /* $3 */ '10000000-0000-0000-0000-000000000001',
  /* $4 */ 2
);
