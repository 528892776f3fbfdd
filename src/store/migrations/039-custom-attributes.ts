import type { Knex } from 'knex';

/**
 * `custom_attributes` of a user follow from its document, the attribute schema of the product and the mapping of the directory. They are null if
 * the product has no schema. A directory has one recomputation: a new one replaces it, and `after` is the last user that it has computed.
 */
export const customAttributes = {
  async up(knex: Knex) {
    // Each step can run again: without a transaction, a killed migration leaves a part. No step waits long for a table: `migrate` tries again.
    await knex.transaction(async (trx) => {
      await trx.raw('set local lock_timeout = 2000');
      await trx.raw(columnsAndTables);
    });
    // A killed build leaves an index that Postgres maintains and does not use.
    await knex.raw('drop index concurrently if exists users_lacking_required');
    await knex.raw('create index concurrently users_lacking_required on users (lacks_required, directory_id) where lacks_required');
  },
  down: (knex: Knex) =>
    knex.schema.raw(`
    drop table attribute_recomputes, attribute_schemas;
    drop index users_lacking_required;
    alter table users drop column custom_attributes, drop column lacks_required;
    drop view directories;
    alter table all_directories drop column attribute_mapping;
    create view directories as select * from all_directories where deleting_at is null;
  `),
  config: { transaction: false },
};

const columnsAndTables = `
  -- The strongest lock first, and the view before its table, as requests lock them: otherwise both could wait for each other.
  lock table directories in access exclusive mode;
  alter table all_directories add column if not exists attribute_mapping jsonb;
  create or replace view directories as select * from all_directories where deleting_at is null;
  alter table users
    add column if not exists custom_attributes jsonb,
    add column if not exists lacks_required boolean not null default false;
  create table if not exists attribute_schemas (
    product text primary key,
    attributes jsonb not null,
    updated_at timestamptz not null default clock_timestamp()
  );
  create table if not exists attribute_recomputes (
    directory_id uuid primary key references all_directories on delete cascade,
    id uuid not null,
    after uuid,
    done bigint not null default 0,
    requested_at timestamptz not null default clock_timestamp(),
    progressed_at timestamptz not null default clock_timestamp(),
    finished_at timestamptz
  );
  create index if not exists attribute_recomputes_unfinished on attribute_recomputes (progressed_at) where finished_at is null`;
