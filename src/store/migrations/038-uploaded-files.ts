import type { Knex } from 'knex';

/**
 * Files of directories of type `csv`. A set of files is `open` while its files arrive one by one, `waiting` until a run has
 * read it, and `done` when its rows can be deleted. `provider_upload` is the set that the next run reads, and `upload_id` the
 * one that a run has read. `files_begun_at` is when the newest set began to arrive. A file is `receiving` while its rows
 * arrive, and has about so many `bytes`. `uploaded_members` has the members of a group that one part of the file names, with
 * their lines. Upload tokens are stored as their SHA-256.
 */
export const uploadedFiles: Knex.Migration = {
  up: (knex) =>
    knex.schema.raw(`
    -- The strongest lock first, and the view before its table, as requests lock them: otherwise both could wait for each other.
    lock table directories in access exclusive mode;
    alter table all_directories add column provider_upload uuid, add column files_begun_at timestamptz;
    create or replace view directories as select * from all_directories where deleting_at is null;

    create table file_sets (
      directory_id uuid not null references all_directories on delete cascade,
      id uuid not null,
      state text not null check (state in ('open', 'waiting', 'done')),
      is_dry_run boolean not null default false,
      created_at timestamptz not null default clock_timestamp(),
      primary key (directory_id, id)
    );
    create unique index open_file_sets on file_sets (directory_id) where state = 'open';
    create table uploaded_files (
      directory_id uuid not null references all_directories on delete cascade,
      id uuid not null,
      set_id uuid,
      kind text not null check (kind in ('users', 'groups', 'members')),
      state text not null check (state in ('receiving', 'received', 'void')),
      row_count integer not null default 0,
      bytes bigint not null default 0,
      created_at timestamptz not null default clock_timestamp(),
      primary key (directory_id, id)
    );
    create table uploaded_rows (
      directory_id uuid not null references all_directories on delete cascade,
      file_id uuid not null,
      external_id text not null,
      line integer not null,
      name_key text,
      cells jsonb not null,
      primary key (directory_id, file_id, external_id)
    );
    create table uploaded_members (
      directory_id uuid not null references all_directories on delete cascade,
      file_id uuid not null,
      group_external_id text not null,
      first_line integer not null,
      user_external_ids text[] not null,
      lines integer[] not null,
      primary key (directory_id, file_id, group_external_id, first_line)
    );

    create table upload_tokens (
      directory_id uuid not null references all_directories on delete cascade,
      id uuid not null,
      name text not null,
      hash bytea not null unique,
      created_at timestamptz not null default clock_timestamp(),
      expires_at timestamptz not null,
      last_used_at timestamptz,
      revoked_at timestamptz,
      primary key (directory_id, id)
    );

    alter table sync_runs add column upload_id uuid, drop constraint sync_runs_trigger_check,
      add constraint sync_runs_trigger_check check (trigger in ('schedule', 'cron', 'request', 'authorization', 'upload'));
  `),
  down: () => Promise.reject(new Error('A directory may rely on its upload tokens: restore a backup instead.')),
};
