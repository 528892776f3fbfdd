import type { Knex } from 'knex';

/**
 * Pulled directories: their connections and their sync runs. Data of a run is staged until it is compared with the stored data. Differences are
 * kept, each with its place in the order, until they are applied. Groups of a pulled directory may share a name.
 */
export const pulledDirectories: Knex.Migration = {
  up: (knex) =>
    knex.schema.raw(`
    alter table groups add column namesake text not null default '';
    alter table groups drop constraint groups_by_display_name;
    alter table groups add constraint groups_by_display_name unique (display_name_key, directory_id, namesake) deferrable;

    alter table directories
      add column google_token_expires_at timestamptz,
      add column google_admin_email text,
      add column google_service_account text,
      add column google_groups jsonb not null default '[]',
      add column google_org_units jsonb not null default '[]',
      add column google_authorization_version bigint not null default 0,
      add column google_authorization_error text;
    create index directories_by_type on directories (type, id);

    create table authorization_requests (
      id uuid primary key,
      directory_id uuid not null references directories on delete cascade,
      code_verifier text not null,
      expires_at timestamptz not null
    );
    create index authorization_requests_by_directory on authorization_requests (directory_id, expires_at desc);
    create index authorization_requests_by_age on authorization_requests (expires_at);

    create table sync_runs (
      directory_id uuid not null references directories on delete cascade,
      id uuid not null unique,
      state text not null check (state in ('queued', 'running', 'succeeded', 'failed', 'needs_confirmation', 'canceled')),
      phase text not null default 'users' check (phase in ('users', 'groups', 'members', 'comparing', 'applying')),
      trigger text not null check (trigger in ('schedule', 'cron', 'request', 'authorization')),
      confirms uuid,
      workflow_run text,
      authorization_version bigint,
      pages integer not null default 0,
      users_listed integer not null default 0,
      users_seen integer not null default 0,
      groups_seen integer not null default 0,
      members_seen integer not null default 0,
      pass integer not null default 0,
      planned jsonb,
      applied_place bigint not null default 0,
      users_created integer not null default 0,
      users_updated integer not null default 0,
      users_deleted integer not null default 0,
      groups_created integer not null default 0,
      groups_updated integer not null default 0,
      groups_deleted integer not null default 0,
      members_added integer not null default 0,
      members_removed integer not null default 0,
      failed integer not null default 0,
      failures jsonb not null default '[]',
      notice text,
      error_code text,
      error text,
      requested_at timestamptz not null default now(),
      checked_at timestamptz,
      started_at timestamptz,
      finished_at timestamptz,
      is_cleared boolean not null default false,
      primary key (directory_id, id)
    );
    create unique index sync_runs_one_at_a_time on sync_runs (directory_id) where state in ('queued', 'running');
    create index sync_runs_queued on sync_runs (requested_at) where state = 'queued';
    create index sync_runs_to_clear on sync_runs (directory_id) where not is_cleared;

    create table sync_users (
      run_id uuid not null,
      directory_id uuid not null,
      external_id text not null,
      resource jsonb not null,
      primary key (run_id, external_id),
      foreign key (directory_id, run_id) references sync_runs on delete cascade
    );
    create table sync_groups (
      run_id uuid not null,
      directory_id uuid not null,
      external_id text not null,
      resource jsonb not null,
      is_gone boolean not null default false,
      primary key (run_id, external_id),
      foreign key (directory_id, run_id) references sync_runs on delete cascade
    );
    create table sync_members (
      run_id uuid not null,
      directory_id uuid not null,
      group_external_id text not null,
      first_external_id text not null,
      external_ids text[] not null,
      primary key (run_id, group_external_id, first_external_id),
      foreign key (directory_id, run_id) references sync_runs on delete cascade
    );
    create table sync_changes (
      run_id uuid not null,
      directory_id uuid not null,
      place bigint not null,
      section integer not null,
      operation text not null check (operation in ('create', 'update', 'delete', 'add', 'remove')),
      external_id text not null,
      group_external_id text,
      resource_id uuid,
      primary key (run_id, place),
      foreign key (directory_id, run_id) references sync_runs on delete cascade
    );
  `),
  down: () => Promise.reject(new Error('Pulled directories cannot be reverted: drop the database instead.')),
};
