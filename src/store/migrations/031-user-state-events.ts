import type { Knex } from 'knex';

/** Whether a change of a user's state has event types of its own. */
export const userStateEvents: Knex.Migration = {
  up: (knex) =>
    knex.schema.raw(`
    -- The strongest lock first, and the view before its table, as requests lock them: otherwise both could wait for each other.
    lock table directories in access exclusive mode;
    alter table all_directories add column user_state_events boolean not null default false;
    create or replace view directories as select * from all_directories where deleting_at is null;
  `),
  down: (knex) =>
    knex.schema.raw(`
    drop view directories;
    alter table all_directories drop column user_state_events;
    create view directories as select * from all_directories where deleting_at is null;
  `),
};
