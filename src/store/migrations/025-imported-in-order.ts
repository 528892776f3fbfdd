import type { Knex } from 'knex';

/**
 * The keys that Rollcall creates are UUIDs of version 7, whose order is that of creation. Those of resources with an ID from elsewhere are not.
 * The indexes hold only these, so that other resources cost nothing.
 */
export const importedInOrder: Knex.Migration = {
  up: (knex) =>
    knex.schema.raw(`
    create index users_imported_in_order on users (directory_id, created_at, id) where ${hasForeignKeySql('id')};
    create index groups_imported_in_order on groups (directory_id, created_at, id) where ${hasForeignKeySql('id')};
  `),
  down: (knex) => knex.schema.raw('drop index users_imported_in_order; drop index groups_imported_in_order'),
};

/** Whether a key is not one that Rollcall creates. Queries must say it in the same way. */
export const hasForeignKeySql = (column: string): string => `get_byte(uuid_send(${column}), 6) / 16 <> 7`;
