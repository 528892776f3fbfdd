import type { Knex } from 'knex';

/** For lists of inactive users, and of those that changed since a time. No index begins with the directory, see the first migration. */
export const usersByState = {
  async up(knex: Knex) {
    // A killed migration leaves an index that Postgres maintains and does not use.
    await knex.raw('drop index concurrently if exists users_by_state');
    await knex.raw('create index concurrently users_by_state on users (active, directory_id, updated_at, id)');
  },
  down: (knex: Knex) => knex.schema.raw('drop index users_by_state'),
  config: { transaction: false },
};
