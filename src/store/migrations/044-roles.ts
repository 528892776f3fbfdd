import type { Knex } from 'knex';

/**
 * `group_roles` of a user follow from its groups and the role table of the directory; `roles` are what is shown, and null if there is no table.
 * A change of groups notes the users that it concerns in its own transaction, and their roles are computed after it.
 */
export const roles = {
  async up(knex: Knex) {
    // No step waits long for a table: `migrate` tries again.
    await knex.transaction(async (trx) => {
      await trx.raw('set local lock_timeout = 2000');
      await trx.raw(columnsAndTable);
    });
  },
  down: (knex: Knex) =>
    knex.schema.raw(`
    drop table users_to_recompute;
    alter table users drop column group_roles, drop column roles;
    drop view directories;
    alter table all_directories drop column role_table;
    create view directories as select * from all_directories where deleting_at is null;
  `),
  config: { transaction: false },
};

const columnsAndTable = `
  -- The strongest lock first, and the view before its table, as requests lock them: otherwise both could wait for each other.
  lock table directories in access exclusive mode;
  alter table all_directories add column if not exists role_table jsonb;
  create or replace view directories as select * from all_directories where deleting_at is null;
  alter table users
    add column if not exists group_roles jsonb,
    add column if not exists roles jsonb;
  create table if not exists users_to_recompute (
    directory_id uuid not null references all_directories on delete cascade,
    user_id uuid not null,
    primary key (directory_id, user_id)
  );`;
