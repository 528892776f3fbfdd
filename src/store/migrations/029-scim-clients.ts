import type { Knex } from 'knex';

/**
 * OAuth 2.0 clients of identity providers, with the SHA-256 of their secrets and of their access tokens. A client that is revoked stays, so
 * that people see it; its tokens are deleted. No index has `last_used_at`, which changes often.
 */
export const scimClients: Knex.Migration = {
  up: (knex) =>
    knex.schema.raw(`
    -- The strongest lock first, and the view before its table, as requests lock them: otherwise both could wait for each other.
    lock table directories in access exclusive mode;
    create table scim_clients (
      directory_id uuid not null references all_directories on delete cascade,
      id uuid not null unique,
      name text not null,
      secret_hash bytea not null,
      created_at timestamptz not null default clock_timestamp(),
      expires_at timestamptz not null,
      last_used_at timestamptz,
      revoked_at timestamptz,
      primary key (directory_id, id)
    );
    create table scim_access_tokens (
      directory_id uuid not null references all_directories on delete cascade,
      hash bytea not null,
      client_id uuid not null,
      created_at timestamptz not null default clock_timestamp(),
      expires_at timestamptz not null,
      primary key (directory_id, hash)
    );
    create index scim_access_tokens_by_expiry on scim_access_tokens (expires_at);

    alter table all_directories add column accept_scim_secret boolean not null default true;
    create or replace view directories as select * from all_directories where deleting_at is null;
  `),
  down: () => Promise.reject(new Error('A directory may rely on its OAuth clients: restore a backup instead.')),
};
