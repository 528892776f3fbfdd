import type { Knex } from 'knex';

/** For lists of inactive users, in the order of creation. It begins with a column that is the same in all rows, see the first migration. */
export const inactiveInOrder = {
  async up(knex: Knex) {
    // A killed migration leaves an index that Postgres maintains and does not use.
    await knex.raw('drop index concurrently if exists users_inactive_in_order');
    await knex.raw('create index concurrently users_inactive_in_order on users (active, directory_id, id) where not active');
  },
  down: (knex: Knex) => knex.schema.raw('drop index users_inactive_in_order'),
  config: { transaction: false },
};
