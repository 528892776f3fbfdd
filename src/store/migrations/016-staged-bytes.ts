import type { Knex } from 'knex';

/**
 * `staged_bytes` of a run is the total of `bytes` of its staged rows. `added_bytes` is what the last write of a row added to its `bytes`,
 * because `returning` shows only the new row. Rows of a run from before this migration count as 0.
 */
export const stagedBytes: Knex.Migration = {
  up: (knex) =>
    knex.schema.raw(`
    alter table sync_runs add column staged_bytes bigint not null default 0;
    alter table sync_users add column bytes integer not null default 0, add column added_bytes integer not null default 0;
    alter table sync_groups add column bytes integer not null default 0, add column added_bytes integer not null default 0;
    alter table sync_members add column bytes integer not null default 0, add column added_bytes integer not null default 0;
  `),
  down: () => Promise.reject(new Error('The bytes of a sync are not taken out again: set the limit high instead.')),
};
