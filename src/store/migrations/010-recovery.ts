import type { Knex } from 'knex';

/**
 * Starts that have not ended with an outcome or an error yet. They are counted before the work begins, since the work may kill its process.
 * `mutation_starts` has no foreign key, which would make a start wait for the lock of the directory's row.
 */
export const recovery: Knex.Migration = {
  up: (knex) =>
    knex.schema.raw(`
    create table mutation_starts (
      directory_id uuid not null,
      id uuid not null,
      starts integer not null,
      started_at timestamptz not null default clock_timestamp(),
      primary key (directory_id, id)
    );
    create index mutation_starts_by_age on mutation_starts (started_at);
    alter table webhook_endpoints add column starts integer not null default 0;
    alter table sync_runs
      add column starts integer not null default 0,
      add column left_behind integer not null default 0;
  `),
  down: () => Promise.reject(new Error('Counted starts cannot be reverted: drop the database instead.')),
};
