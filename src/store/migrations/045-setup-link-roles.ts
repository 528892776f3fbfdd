import type { Knex } from 'knex';

/** The roles that the holder of a setup link may give to groups, strongest first. Null: none. */
export const setupLinkRoles: Knex.Migration = {
  up: (knex) => knex.schema.raw('alter table setup_links add column roles jsonb'),
  down: (knex) => knex.schema.raw('alter table setup_links drop column roles'),
};
