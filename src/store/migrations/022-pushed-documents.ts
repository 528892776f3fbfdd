import type { Knex } from 'knex';

/**
 * `pushed` is how the pushed document differs from `resource`, with the version of the row that it belongs to: `{"version", "set", "unset"}`.
 * A process of the previous release increments the version and leaves `pushed` as it is, so that it no longer counts.
 */
export const pushedDocuments: Knex.Migration = {
  up: (knex) =>
    knex.schema.raw(`
    alter table users add column pushed jsonb;
    alter table groups add column pushed jsonb;
  `),
  down: (knex) =>
    knex.schema.raw(`
    alter table users drop column pushed;
    alter table groups drop column pushed;
  `),
};
