import type { Knex } from 'knex';

/**
 * Running totals, so that no byte limit needs an aggregate. Each row has the total of its directory up to and including
 * itself, and the difference of two totals is the size of the rows between them. `total_bytes` of an event adds up `bytes`.
 * Rows of earlier versions have no total and count as 0.
 *
 * `outcome_bytes` and `log_bytes` are the totals of everything ever written. `trimmed_…` is the total up to which rows were dropped to keep
 * a limit. A mutation from before `outcomes_trimmed_at` may have lost its outcome that way. A delivery has the total of the log before it
 * began. `trimmed_txid` is the newest transaction whose events a limit has dropped. It limits only the feeds that include the directory.
 */
export const undeliveredBytes: Knex.Migration = {
  up: (knex) =>
    knex.schema.raw(`
    alter table stored_events add column total_bytes bigint;
    alter table mutations add column total_bytes bigint;
    alter table webhook_batches add column total_bytes bigint;
    alter table all_directories
      add column outcome_bytes bigint not null default 0,
      add column trimmed_outcome_bytes bigint not null default 0,
      add column outcomes_trimmed_at timestamptz,
      add column trimmed_txid xid8;
    create index directories_trimmed on all_directories (trimmed_txid) where trimmed_txid is not null;
    create or replace view directories as select * from all_directories where deleting_at is null;
    alter table webhook_endpoints
      add column log_bytes bigint not null default 0,
      add column trimmed_log_bytes bigint not null default 0;
  `),
  down: () => Promise.reject(new Error('Running totals cannot be reverted: set the limits high instead.')),
};
