import type { Knex } from 'knex';

/**
 * Running totals, so that no limit in bytes needs an aggregate: each row has the total of its directory up to and including itself, and
 * what lies between two rows is the difference of theirs. `total_bytes` of an event adds up `bytes`. Rows that were written before, or by a
 * process of the version before, have none and count as nothing.
 *
 * `outcome_bytes` and `log_bytes` are the totals of what was ever written; `trimmed_…` is how far the oldest of it was dropped to keep a
 * limit. A mutation that was made before `outcomes_trimmed_at` may have lost its outcome that way. A delivery has the total of the log before
 * it was begun. `trimmed_txid` is the newest transaction of which a limit took events: a horizon for the feeds that show the directory, and for
 * no other tenant's.
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
  down: () => Promise.reject(new Error('Running totals are not taken out again: set the limits high instead.')),
};
