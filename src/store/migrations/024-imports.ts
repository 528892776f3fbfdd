import type { Knex } from 'knex';

/**
 * Directories that were imported from Polis. A repeated import changes one only if its `revision` is still that of the last import, so that
 * it never overwrites what was pushed since. The counts and times are those of Polis: the newest row of the directory, of its settings
 * (`settings_at`) and of its queued events that were imported (`queued_at`). A directory that is `followed` is synced by Polis.
 */
export const imports: Knex.Migration = {
  up: (knex) =>
    knex.schema.raw(`
    create table imported_directories (
      directory_id uuid primary key references all_directories on delete cascade,
      source text not null,
      revision bigint not null,
      users bigint not null,
      groups bigint not null,
      memberships bigint not null,
      last_modified timestamptz,
      settings_at timestamptz,
      queued_at timestamptz,
      followed boolean not null default false,
      imported_at timestamptz not null default now()
    );
  `),
  down: (knex) => knex.schema.dropTable('imported_directories'),
};
