import type { Knex } from 'knex';

/**
 * Erasures of persons, with IDs and counts only. `value_keys`, by which groups may still name the person, is null once they are used. Events
 * up to `up_to_sequence` and recorded requests up to `requests_until` are of the person that was erased; what comes later is a new user.
 */
export const userErasures = {
  async up(knex: Knex) {
    // Each step can run again: without a transaction, a killed migration leaves a part. No step waits long for a table: `migrate` tries again.
    await knex.transaction(async (trx) => {
      await trx.raw('set local lock_timeout = 2000');
      await trx.raw(table);
    });
    // A killed build leaves an index that Postgres maintains and does not use.
    await knex.raw('drop index concurrently if exists scim_requests_by_age');
    await knex.raw('create index concurrently scim_requests_by_age on scim_requests (at)');
  },
  down: (knex: Knex) => knex.schema.raw('drop index scim_requests_by_age; drop table user_erasures'),
  config: { transaction: false },
};

const table = `
  create table if not exists user_erasures (
    directory_id uuid not null references all_directories on delete cascade,
    user_id uuid not null,
    id uuid not null unique,
    public_id text not null,
    requested_id text,
    requested_by jsonb not null,
    requested_at timestamptz not null default clock_timestamp(),
    step text not null,
    position jsonb,
    value_keys text[],
    up_to_sequence bigint,
    deleted_at timestamptz,
    requests_until timestamptz,
    counts jsonb not null default '{}',
    progressed_at timestamptz not null default clock_timestamp(),
    finished_at timestamptz,
    primary key (directory_id, user_id)
  );
  create index if not exists user_erasures_unfinished on user_erasures (progressed_at) where finished_at is null;
  create index if not exists user_erasures_finished on user_erasures (finished_at) where finished_at is not null;
  create index if not exists user_erasures_in_progress on user_erasures (directory_id, id) where finished_at is null;
  create index if not exists user_erasures_by_requests on user_erasures (directory_id, requests_until);
  create index if not exists user_erasures_by_requested_id on user_erasures (directory_id, requested_id) where requested_id is not null`;
