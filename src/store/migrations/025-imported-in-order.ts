import type { Knex } from 'knex';

/**
 * The keys that Rollcall creates are UUIDs of version 7, whose order is that of creation. Those of resources with an ID from elsewhere are not.
 * The indexes hold only these, so that other resources cost nothing.
 */
export const importedInOrder = {
  async up(knex: Knex) {
    for (const table of ['users', 'groups']) {
      // A killed migration leaves an index that Postgres maintains and does not use.
      await knex.raw(`drop index concurrently if exists ${table}_imported_in_order`);
      await knex.raw(
        `create index concurrently ${table}_imported_in_order on ${table} (directory_id, created_at, id) where ${hasForeignKeySql('id')}`,
      );
    }
  },
  down: (knex: Knex) => knex.schema.raw('drop index users_imported_in_order; drop index groups_imported_in_order'),
  config: { transaction: false },
};

/** Whether a key is not one that Rollcall creates. Queries must say it in the same way. */
export const hasForeignKeySql = (column: string): string => `get_byte(uuid_send(${column}), 6) / 16 <> 7`;
