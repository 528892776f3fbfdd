prepare statement_1 as
select id, directory_id, secret as sealed
from scim_secrets
where secret is not null and encode(substr(decode(translate(left(secret, 8), '-_', '+/'), 'base64'), 2, 4), 'hex') <> $1
order by id
limit $2;
execute statement_1 (
  /* $1 */ '02271744',
  /* $2 */ 200
);

prepare statement_2 as
select id, scim_secret as sealed
from all_directories
where scim_secret is not null and encode(substr(decode(translate(left(scim_secret, 8), '-_', '+/'), 'base64'), 2, 4), 'hex') <> $1
order by id
limit $2;
execute statement_2 (
  /* $1 */ '02271744',
  /* $2 */ 200
);

prepare statement_3 as
select id, directory_id, secret as sealed
from webhook_secrets
where secret is not null and encode(substr(decode(translate(left(secret, 8), '-_', '+/'), 'base64'), 2, 4), 'hex') <> $1
order by id
limit $2;
execute statement_3 (
  /* $1 */ '02271744',
  /* $2 */ 200
);

prepare statement_4 as
with given as (
  select *
  from unnest(cast($1 as uuid[]), cast($2 as text[]), cast($3 as text[])) as given(k0, former, renewed)
),
locked as materialized (
  select t.id
  from webhook_secrets t
  join given on t.id = given.k0 and t.secret = given.former for no key update of t skip locked
)
update webhook_secrets t
set secret = given.renewed
from given, locked
where t.id = given.k0 and locked.id = t.id and t.secret = given.former;
execute statement_4 (
  /* $1 */ '{"10000000-0000-0000-0000-000000000001"}',
  /* $2 */ '{"A_SEALED_VALUE"}',
  /* $3 */ '{"A_SEALED_VALUE"}'
);

prepare statement_5 as
select id, directory_id, secret as sealed
from webhook_secrets
where secret is not null and encode(substr(decode(translate(left(secret, 8), '-_', '+/'), 'base64'), 2, 4), 'hex') <> $1 and (id) > (cast($2 as uuid))
order by id
limit $3;
execute statement_5 (
  /* $1 */ '02271744',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ 200
);

prepare statement_6 as
select id, directory_id, sealed_url as sealed
from webhook_endpoints
where sealed_url is not null and encode(substr(decode(translate(left(sealed_url, 8), '-_', '+/'), 'base64'), 2, 4), 'hex') <> $1
order by id
limit $2;
execute statement_6 (
  /* $1 */ '02271744',
  /* $2 */ 200
);

prepare statement_7 as
select batch_id, number, directory_id, sealed_url as sealed
from webhook_attempts
where sealed_url is not null and encode(substr(decode(translate(left(sealed_url, 8), '-_', '+/'), 'base64'), 2, 4), 'hex') <> $1
order by batch_id, number
limit $2;
execute statement_7 (
  /* $1 */ '02271744',
  /* $2 */ 200
);

prepare statement_8 as
select id, google_access_token as sealed
from all_directories
where google_access_token is not null and encode(substr(decode(translate(left(google_access_token, 8), '-_', '+/'), 'base64'), 2, 4), 'hex') <> $1
order by id
limit $2;
execute statement_8 (
  /* $1 */ '02271744',
  /* $2 */ 200
);

prepare statement_9 as
select id, google_refresh_token as sealed
from all_directories
where google_refresh_token is not null and encode(substr(decode(translate(left(google_refresh_token, 8), '-_', '+/'), 'base64'), 2, 4), 'hex') <> $1
order by id
limit $2;
execute statement_9 (
  /* $1 */ '02271744',
  /* $2 */ 200
);

prepare statement_10 as
select id, google_service_account as sealed
from all_directories
where google_service_account is not null and encode(substr(decode(translate(left(google_service_account, 8), '-_', '+/'), 'base64'), 2, 4), 'hex') <> $1
order by id
limit $2;
execute statement_10 (
  /* $1 */ '02271744',
  /* $2 */ 200
);

prepare statement_11 as
select id, provider_users_link as sealed
from all_directories
where provider_users_link is not null and encode(substr(decode(translate(left(provider_users_link, 8), '-_', '+/'), 'base64'), 2, 4), 'hex') <> $1
order by id
limit $2;
execute statement_11 (
  /* $1 */ '02271744',
  /* $2 */ 200
);

prepare statement_12 as
select id, provider_groups_link as sealed
from all_directories
where provider_groups_link is not null and encode(substr(decode(translate(left(provider_groups_link, 8), '-_', '+/'), 'base64'), 2, 4), 'hex') <> $1
order by id
limit $2;
execute statement_12 (
  /* $1 */ '02271744',
  /* $2 */ 200
);

prepare statement_13 as
select id, directory_id, users_link as sealed
from sync_runs
where users_link is not null and encode(substr(decode(translate(left(users_link, 8), '-_', '+/'), 'base64'), 2, 4), 'hex') <> $1
order by id
limit $2;
execute statement_13 (
  /* $1 */ '02271744',
  /* $2 */ 200
);

prepare statement_14 as
select id, directory_id, groups_link as sealed
from sync_runs
where groups_link is not null and encode(substr(decode(translate(left(groups_link, 8), '-_', '+/'), 'base64'), 2, 4), 'hex') <> $1
order by id
limit $2;
execute statement_14 (
  /* $1 */ '02271744',
  /* $2 */ 200
);

prepare statement_15 as
select id, directory_id, code_verifier as sealed
from authorization_requests
where code_verifier is not null and encode(substr(decode(translate(left(code_verifier, 8), '-_', '+/'), 'base64'), 2, 4), 'hex') <> $1
order by id
limit $2;
execute statement_15 (
  /* $1 */ '02271744',
  /* $2 */ 200
);

prepare statement_16 as
select id, sealed as sealed
from setup_links
where sealed is not null and encode(substr(decode(translate(left(sealed, 8), '-_', '+/'), 'base64'), 2, 4), 'hex') <> $1
order by id
limit $2;
execute statement_16 (
  /* $1 */ '02271744',
  /* $2 */ 200
);

prepare statement_17 as
select directory_id, id, sealed as sealed
from staged_mutations
where sealed is not null and encode(substr(sealed, 2, 4), 'hex') <> $1
order by directory_id, id
limit $2;
execute statement_17 (
  /* $1 */ '02271744',
  /* $2 */ 4
);

prepare statement_18 as
with given as (
  select *
  from unnest(cast($1 as uuid[]), cast($2 as uuid[]), cast($3 as bytea[]), cast($4 as bytea[])) as given(k0, k1, former, renewed)
),
locked as materialized (
  select t.directory_id, t.id
  from staged_mutations t
  join given on t.directory_id = given.k0 and t.id = given.k1 and t.sealed = given.former for no key update of t skip locked
)
update staged_mutations t
set sealed = given.renewed
from given, locked
where t.directory_id = given.k0 and t.id = given.k1 and locked.directory_id = t.directory_id and locked.id = t.id and t.sealed = given.former;
execute statement_18 (
  /* $1 */ '{"10000000-0000-0000-0000-000000000002","10000000-0000-0000-0000-000000000002","10000000-0000-0000-0000-000000000002","10000000-0000-0000-0000-000000000002"}',
  /* $2 */ '{"10000000-0000-0000-0000-000000000003","10000000-0000-0000-0000-000000000004","10000000-0000-0000-0000-000000000005","10000000-0000-0000-0000-000000000006"}',
  /* $3 */ '{"\\x00","\\x00","\\x00","\\x00"}',
  /* $4 */ '{"\\x00","\\x00","\\x00","\\x00"}'
);

prepare statement_19 as
select directory_id, id, sealed as sealed
from staged_mutations
where sealed is not null and encode(substr(sealed, 2, 4), 'hex') <> $1 and (directory_id, id) > (cast($2 as uuid), cast($3 as uuid))
order by directory_id, id
limit $4;
execute statement_19 (
  /* $1 */ '02271744',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ '10000000-0000-0000-0000-000000000006',
  /* $4 */ 4
);

prepare statement_20 as
with given as (
  select *
  from unnest(cast($1 as uuid[]), cast($2 as uuid[]), cast($3 as bytea[]), cast($4 as bytea[])) as given(k0, k1, former, renewed)
),
locked as materialized (
  select t.directory_id, t.id
  from staged_mutations t
  join given on t.directory_id = given.k0 and t.id = given.k1 and t.sealed = given.former for no key update of t skip locked
)
update staged_mutations t
set sealed = given.renewed
from given, locked
where t.directory_id = given.k0 and t.id = given.k1 and locked.directory_id = t.directory_id and locked.id = t.id and t.sealed = given.former;
execute statement_20 (
  /* $1 */ '{"10000000-0000-0000-0000-000000000002"}',
  /* $2 */ '{"10000000-0000-0000-0000-000000000007"}',
  /* $3 */ '{"\\x00"}',
  /* $4 */ '{"\\x00"}'
);

prepare statement_21 as
select directory_id, id, sealed as sealed
from staged_mutations
where sealed is not null and encode(substr(sealed, 2, 4), 'hex') <> $1 and (directory_id, id) > (cast($2 as uuid), cast($3 as uuid))
order by directory_id, id
limit $4;
execute statement_21 (
  /* $1 */ '02271744',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ '10000000-0000-0000-0000-000000000007',
  /* $4 */ 4
);
