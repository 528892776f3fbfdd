import type { Knex } from 'knex';

/**
 * Providers that tell what changed. `provider_account` is the account that a directory reads without tokens, `provider_account_unread`
 * says that a consent named it and no sync has read it yet, and `provider_users_link` and `provider_groups_link` are where the next run
 * continues, sealed together with the account. A run keeps the links that it has read, and its success copies them. `mode` says whether
 * a run reads everything or changes only, and `epoch` counts how often it began again. `is_uncertain`: changes that it was told
 * contradict what it read, so its links are not copied.
 */
export const providerLinks: Knex.Migration = {
  up: (knex) =>
    knex.schema.raw(`
    -- The strongest lock first, and the view before its table, as requests lock them: otherwise both could wait for each other.
    lock table directories in access exclusive mode;
    alter table all_directories
      add column provider_account text,
      add column provider_assigned_only boolean not null default false,
      add column provider_account_unread boolean not null default false,
      add column provider_users_link text,
      add column provider_groups_link text,
      add column provider_links_version bigint,
      add column provider_compared_at timestamptz;
    create or replace view directories as select * from all_directories where deleting_at is null;
    create index directories_by_account on all_directories (provider_account) where provider_account is not null;
    alter table sync_runs
      add column mode text check (mode in ('full', 'changes')),
      add column epoch integer not null default 0,
      add column users_link text,
      add column groups_link text,
      add column is_uncertain boolean not null default false,
      add column drift integer;
    alter table sync_users add column is_removed boolean not null default false;
    alter table sync_groups add column is_removed boolean not null default false;
  `),
  down: (knex) =>
    knex.schema.raw(`
    drop view directories;
    drop index directories_by_account;
    alter table all_directories
      drop column provider_account, drop column provider_assigned_only, drop column provider_account_unread,
      drop column provider_users_link, drop column provider_groups_link, drop column provider_links_version, drop column provider_compared_at;
    create view directories as select * from all_directories where deleting_at is null;
    alter table sync_runs drop column mode, drop column epoch, drop column users_link, drop column groups_link, drop column is_uncertain, drop column drift;
    alter table sync_users drop column is_removed;
    alter table sync_groups drop column is_removed;
  `),
};
