import type { Knex } from 'knex';

/**
 * Work on a directory that is done in batches. `removing_at` says since when a directory is being deleted whose `on_directory_delete` is
 * `events`. While `inactive_users` changes, `inactive_users_upto` is the last user to whom the new value applies already. `batches_at` is
 * when the last batch ended; it is null if there is nothing to do.
 */
export const directoryBatches: Knex.Migration = {
  up: (knex) =>
    knex.schema.raw(`
    -- The strongest lock first, and the view before its table, as requests lock them: otherwise both could wait for each other.
    lock table directories in access exclusive mode;
    alter table all_directories
      add column on_directory_delete text not null default 'silent' check (on_directory_delete in ('silent', 'events')),
      add column removing_at timestamptz,
      add column inactive_users_upto uuid,
      add column batches_at timestamptz;
    create or replace view directories as select * from all_directories where deleting_at is null;
    create index directories_in_batches on all_directories (batches_at) where batches_at is not null;
  `),
  down: (knex) =>
    knex.schema.raw(`
    drop view directories;
    drop index directories_in_batches;
    alter table all_directories
      drop column on_directory_delete, drop column removing_at, drop column inactive_users_upto, drop column batches_at;
    create view directories as select * from all_directories where deleting_at is null;
  `),
};
