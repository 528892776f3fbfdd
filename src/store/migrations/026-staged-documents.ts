import type { Knex } from 'knex';

/** `pushed` is how the provider's object differs from `resource`. Rows that a process of the previous release stages have none. */
export const stagedDocuments: Knex.Migration = {
  up: (knex) => knex.schema.raw('alter table sync_users add column pushed jsonb; alter table sync_groups add column pushed jsonb'),
  down: (knex) => knex.schema.raw('alter table sync_users drop column pushed; alter table sync_groups drop column pushed'),
};
