import type { Knex } from 'knex';

/**
 * What the health of a directory is read from. `alerted_at` is when the operator was told that a delivery fails or is disabled; it is cleared
 * when the operator is told of the recovery. No index has a column that a delivery changes. A row of `stale_directories` is an episode that the
 * operator was told of.
 */
export const directoryHealth = {
  async up(knex: Knex) {
    // Each step can run again: without a transaction, a killed migration leaves a part. Every request waits behind a step that waits for a
    // table, so none waits for as long as the build of an index may, and none locks two tables: `migrate` tries again.
    for (const step of tableSteps)
      await knex.transaction(async (trx) => {
        await trx.raw('set local lock_timeout = 2000');
        await trx.raw(step);
      });
    for (const [name, definition] of indexes) {
      // A killed build leaves an index that Postgres maintains and does not use.
      await knex.raw(`drop index concurrently if exists ${name}`);
      await knex.raw(`create index concurrently ${name} on ${definition}`);
    }
  },
  down: (knex: Knex) =>
    knex.schema.raw(`
      ${indexes.map(([name]) => `drop index ${name};`).join('\n')}
      drop table stale_directories;
      alter table webhook_endpoints drop column consecutive_failures, drop column alerted_at;
    `),
  config: { transaction: false },
};

const tableSteps = [
  `create table if not exists stale_directories (
     directory_id uuid primary key references all_directories on delete cascade,
     found_at timestamptz not null default clock_timestamp()
   )`,
  `alter table webhook_endpoints
     add column if not exists consecutive_failures integer not null default 0,
     add column if not exists alerted_at timestamptz`,
];

const indexes: [name: string, definition: string][] = [
  ['webhook_endpoints_alerted', 'webhook_endpoints (alerted_at) where alerted_at is not null'],
  // The last result of a pulled directory, and its last success.
  ['sync_runs_by_end', `sync_runs (directory_id, finished_at desc) where state in ('succeeded', 'failed', 'needs_confirmation')`],
  ['sync_runs_succeeded', `sync_runs (directory_id, finished_at desc) where state = 'succeeded'`],
];
