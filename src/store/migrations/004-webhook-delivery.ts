import type { Knex } from 'knex';

/**
 * Batches of several events, replays in the same delivery lane, and a log of each attempt. The body of an event (`data`) becomes null after
 * delivery; its row stays for the feed until its retention ends. What retention has dropped is recorded as the newest dropped sequence of
 * each directory, and as the newest dropped transaction of all directories.
 */
export const webhookDelivery: Knex.Migration = {
  up: (knex) =>
    knex.schema.raw(`
    alter table events alter column data drop not null;
    create index events_by_transaction on events (txid, directory_id, sequence);
    alter table directories add column swept_sequence bigint not null default 0;
    create table feed_horizon (swept_txid xid8 not null);
    insert into feed_horizon values ('0');

    alter table webhook_endpoints
      add column legacy_signatures boolean not null default false,
      add column batch_limit integer,
      add column suspect_until bigint not null default 0,
      add column cleared_sequence bigint not null default 0;
    alter table webhook_secrets add column last_used_at timestamptz;

    create table webhook_replays (
      directory_id uuid not null references directories on delete cascade,
      id uuid not null unique,
      endpoint_id uuid not null references webhook_endpoints on delete cascade,
      mode text not null check (mode in ('single', 'range', 'failed', 'missing')),
      ranges jsonb not null,
      next_sequence bigint not null default 0,
      total bigint not null,
      done bigint not null default 0,
      status text not null default 'running' check (status in ('running', 'done', 'canceled', 'failed')),
      status_reason text,
      created_at timestamptz not null default now(),
      finished_at timestamptz,
      primary key (directory_id, id)
    );
    create index webhook_replays_running on webhook_replays (endpoint_id, created_at) where status = 'running';

    alter table webhook_batches
      drop constraint webhook_batches_status_check,
      add constraint webhook_batches_status_check
        check (status in ('pending', 'delivered', 'exhausted', 'split', 'skipped', 'replayed', 'canceled')),
      add column replay_id uuid references webhook_replays (id) on delete cascade,
      add column occurred_at timestamptz,
      add column logged boolean not null default false,
      add column suspect boolean not null default false,
      add column client_errors integer not null default 0;
    create unique index webhook_batches_one_open_replay on webhook_batches (endpoint_id) where status = 'pending' and kind = 'replay';
    create index webhook_batches_by_replay on webhook_batches (replay_id) where replay_id is not null;
    create index webhook_batches_skipped on webhook_batches (endpoint_id, from_sequence) where status = 'skipped';
    create index webhook_batches_by_end on webhook_batches (done_at) where done_at is not null;

    alter table webhook_attempts
      add column secret_ids uuid[],
      add column address text,
      add column request_headers jsonb,
      add column response_headers jsonb,
      add column response_body text,
      add column response_truncated boolean,
      add column timings jsonb;

    create table operator_events (
      id uuid primary key,
      body text not null,
      attempts integer not null default 0,
      next_attempt_at timestamptz not null default now(),
      created_at timestamptz not null default now()
    );
  `),
  down: () => Promise.reject(new Error('Deliveries cannot be reverted: drop the database instead.')),
};
