import type { Knex } from 'knex';

/**
 * `encryption_keys` has the ID of every key that may have sealed a value. A process adds its key before it seals, and only `rollcall keys
 * rewrap` removes keys, so that a start need not scan all values. `encryption_key_users` has the running processes. The row of
 * `encryption_check` must not change: the transaction that wrote it identifies this database in feed cursors.
 */
export const keys: Knex.Migration = {
  up: (knex) =>
    knex.schema.raw(`
    create table encryption_keys (
      id text primary key,
      first_used_at timestamptz not null default now()
    );
    create table encryption_key_users (
      process uuid primary key,
      key_ids text[] not null,
      seen_at timestamptz not null default now()
    );

    insert into encryption_keys (id)
      select distinct encode(substr(decode(translate(left(sealed, 8), '-_', '+/'), 'base64'), 2, 4), 'hex') from (
        select sealed from encryption_check
        union all select secret from scim_secrets
        union all select secret from webhook_secrets
        union all select scim_secret from all_directories where scim_secret is not null
        union all select google_access_token from all_directories where google_access_token is not null
        union all select google_refresh_token from all_directories where google_refresh_token is not null
        union all select google_service_account from all_directories where google_service_account is not null
        union all select code_verifier from authorization_requests
      ) texts
      union select encode(substr(sealed, 2, 4), 'hex') from staged_mutations;
  `),
  down: () => Promise.reject(new Error('The list of keys cannot be reverted: restore a backup instead.')),
};
