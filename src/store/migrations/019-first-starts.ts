import type { Knex } from 'knex';

/**
 * First starts of mutations that have not ended. A row is for a group, which costs less than one for each mutation, and lives for a moment: no
 * index but its key. It contains only IDs, and nothing of a tenant.
 */
export const firstStarts: Knex.Migration = {
  up: (knex) =>
    knex.schema.raw(`
    create table first_mutation_starts (
      id uuid primary key,
      mutation_ids uuid[] not null,
      started_at timestamptz not null default clock_timestamp()
    );
  `),
  down: (knex) => knex.schema.raw(`drop table first_mutation_starts`),
};
