import type { Knex } from 'knex';

/**
 * Sequences are assigned under the lock of the directory's row, so they are gapless and in commit order. Each webhook endpoint has its own
 * cursor (`acked_sequence`). Unique names are checked at the end of a statement, so one statement can free a name and use it again. The
 * application folds the columns that end in `_key`, so that no index depends on the locale of the database.
 *
 * The primary key of a table with many rows is the only index that begins with the directory. While a table is small, Postgres cannot tell the
 * indexes of a directory apart and may keep a plan with the wrong one, even for foreign key checks.
 */
export const foundation: Knex.Migration = {
  up: (knex) =>
    knex.schema.raw(`
    create table directories (
      id uuid primary key,
      tenant text not null,
      product text not null,
      name text not null,
      type text not null,
      deactivated boolean not null default false,
      log_webhook_events boolean not null default false,
      scim_secret text,
      google_domain text,
      google_access_token text,
      google_refresh_token text,
      last_sequence bigint not null default 0,
      revision bigint not null default 0,
      user_count bigint not null default 0,
      group_count bigint not null default 0,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now()
    );
    create index directories_by_tenant on directories (tenant, product, id desc);

    create table users (
      directory_id uuid not null references directories on delete cascade,
      id uuid not null,
      user_name text not null,
      user_name_key text not null,
      external_id text,
      display_name_key text,
      active boolean not null,
      first_name text not null,
      last_name text not null,
      email text not null,
      resource jsonb not null,
      version bigint not null default 1,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      primary key (directory_id, id),
      constraint users_by_user_name unique (user_name_key, directory_id) deferrable,
      constraint users_by_external_id unique (external_id, directory_id) deferrable
    );
    create index users_by_display_name on users (display_name_key, directory_id) where display_name_key is not null;

    create table user_emails (
      directory_id uuid not null,
      user_id uuid not null,
      value_key text not null,
      primary key (value_key, directory_id, user_id),
      foreign key (directory_id, user_id) references users on delete cascade
    );
    create index user_emails_by_user on user_emails (user_id, directory_id);

    create table mutations (
      directory_id uuid not null references directories on delete cascade,
      id uuid not null,
      outcome jsonb not null,
      applied_at timestamptz not null default now(),
      primary key (directory_id, id)
    );
    create index mutations_by_age on mutations (applied_at);

    create table events (
      directory_id uuid not null references directories on delete cascade,
      sequence bigint not null,
      id uuid not null,
      txid xid8 not null default pg_current_xact_id(),
      type text not null,
      data jsonb not null,
      occurred_at timestamptz not null,
      primary key (directory_id, sequence)
    );

    create table webhook_endpoints (
      id uuid primary key,
      directory_id uuid not null references directories on delete cascade,
      url text,
      status text not null default 'active' check (status in ('active', 'paused', 'disabled', 'misconfigured')),
      acked_sequence bigint not null default 0,
      wake boolean not null default false,
      wake_at timestamptz,
      epoch bigint not null default 0,
      first_failure_at timestamptz,
      last_success_at timestamptz,
      status_reason text,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now()
    );
    create unique index webhook_endpoints_one_per_directory on webhook_endpoints (directory_id);

    create table webhook_secrets (
      id uuid primary key,
      directory_id uuid not null references directories on delete cascade,
      endpoint_id uuid not null references webhook_endpoints on delete cascade,
      secret text not null,
      created_at timestamptz not null default now(),
      expires_at timestamptz
    );
    create index webhook_secrets_by_directory on webhook_secrets (directory_id, endpoint_id);
    create index webhook_secrets_by_endpoint on webhook_secrets (endpoint_id);

    create table webhook_batches (
      id text primary key,
      directory_id uuid not null references directories on delete cascade,
      endpoint_id uuid not null references webhook_endpoints on delete cascade,
      kind text not null default 'live' check (kind in ('live', 'replay')),
      from_sequence bigint not null,
      to_sequence bigint not null,
      event_count integer not null,
      body text,
      bytes integer not null,
      sha256 text not null,
      status text not null default 'pending' check (status in ('pending', 'delivered', 'exhausted', 'skipped', 'canceled')),
      attempts integer not null default 0,
      failures integer not null default 0,
      next_attempt_at timestamptz not null default now(),
      created_at timestamptz not null default now(),
      first_attempt_at timestamptz,
      done_at timestamptz
    );
    create unique index webhook_batches_one_open_head on webhook_batches (endpoint_id) where status = 'pending' and kind = 'live';
    create index webhook_batches_by_endpoint on webhook_batches (endpoint_id);
    create index webhook_batches_by_directory on webhook_batches (directory_id, created_at);

    create table webhook_attempts (
      batch_id text not null references webhook_batches on delete cascade,
      number integer not null,
      directory_id uuid not null references directories on delete cascade,
      trigger text not null default 'auto' check (trigger in ('auto', 'replay')),
      url text not null,
      started_at timestamptz not null default clock_timestamp(),
      ended_at timestamptz,
      outcome text not null default 'in_flight'
        check (outcome in ('in_flight', 'success', 'http_error', 'timeout', 'dns', 'tls', 'connect', 'blocked', 'aborted')),
      status_code integer,
      error text,
      primary key (batch_id, number)
    );
    create index webhook_attempts_by_directory on webhook_attempts (directory_id);

    create table encryption_check (sealed text not null);
  `),
  down: () => Promise.reject(new Error('The first migration cannot be reverted: drop the database instead.')),
};
