import type { Knex } from 'knex';

/** Whether a deactivation is a change of `active` in events, or a deletion. */
export const inactiveUsers: Knex.Migration = {
  up: (knex) =>
    knex.schema.raw(`
    -- The strongest lock first, and the view before its table, as requests lock them: otherwise both could wait for each other.
    lock table directories in access exclusive mode;
    alter table all_directories add column inactive_users text not null default 'keep' check (inactive_users in ('keep', 'delete'));
    create or replace view directories as select * from all_directories where deleting_at is null;
  `),
  down: (knex) =>
    knex.schema.raw(`
    drop view directories;
    alter table all_directories drop column inactive_users;
    create view directories as select * from all_directories where deleting_at is null;
  `),
};
