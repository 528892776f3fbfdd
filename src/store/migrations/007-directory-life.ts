import type { Knex } from 'knex';

/**
 * `directories` is a view that hides directories that are being deleted, so that nothing else reads, changes or locks them. A column that
 * is added to `all_directories` must also be added to the view. Several SCIM secrets can be valid at the same time. `scim_secret` exists
 * for processes of the previous version; a later version removes it.
 */
export const directoryLife: Knex.Migration = {
  up: (knex) =>
    knex.schema.raw(`
    alter table directories add column deleting_at timestamptz;

    create table scim_secrets (
      id uuid primary key,
      directory_id uuid not null references directories on delete cascade,
      secret text not null,
      created_at timestamptz not null default clock_timestamp(),
      expires_at timestamptz,
      last_used_at timestamptz
    );
    create index scim_secrets_by_directory on scim_secrets (directory_id, created_at desc);
    insert into scim_secrets (id, directory_id, secret, created_at)
      select gen_random_uuid(), id, scim_secret, created_at from directories where scim_secret is not null;

    create table directory_pushes (
      directory_id uuid primary key references directories on delete cascade,
      last_push_at timestamptz not null,
      last_error jsonb
    );

    alter table directories rename to all_directories;
    create view directories as select * from all_directories where deleting_at is null;
    create index directories_by_product on all_directories (product, id desc);
    create index directories_deleting on all_directories (deleting_at) where deleting_at is not null;
  `),
  down: () => Promise.reject(new Error('Deletions cannot be reverted: restore a backup instead.')),
};
