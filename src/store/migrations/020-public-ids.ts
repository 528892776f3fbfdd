import type { Knex } from 'knex';

/** The ID that callers see, of users and groups that were imported with an ID that is no UUID. Their key (`id`) is derived from it. */
export const publicIds: Knex.Migration = {
  up: (knex) =>
    knex.schema.raw(`
    alter table users add column public_id text;
    alter table groups add column public_id text;
  `),
  down: (knex) =>
    knex.schema.raw(`
    alter table users drop column public_id;
    alter table groups drop column public_id;
  `),
};
