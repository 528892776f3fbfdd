import type { Knex } from 'knex';

/**
 * Sessions of people, and addresses that sign in once, found by the SHA-256 of their token. A session has the rights of a role, of a value of
 * an API key, with which it is deleted, or of a key of API_KEYS. No index has `last_used_at`, which changes often.
 */
export const sessions: Knex.Migration = {
  up: (knex) =>
    knex.schema.raw(`
    create table sessions (
      id uuid primary key,
      hash bytea not null unique,
      person_id text not null,
      person_name text not null,
      method text not null,
      role text,
      key_prefix text references api_key_values on delete cascade,
      root_key_hash bytea,
      created_at timestamptz not null,
      last_used_at timestamptz not null,
      expires_at timestamptz not null,
      ended_at timestamptz,
      check (num_nonnulls(role, key_prefix, root_key_hash) = 1)
    );
    create index sessions_by_person on sessions (person_id, created_at);
    create index sessions_by_key on sessions (key_prefix) where key_prefix is not null;
    create index sessions_by_expiry on sessions (expires_at);
    create table login_links (
      hash bytea primary key,
      key_prefix text references api_key_values on delete cascade,
      root_key_hash bytea,
      created_at timestamptz not null,
      expires_at timestamptz not null,
      check (num_nonnulls(key_prefix, root_key_hash) = 1)
    );
    create index login_links_by_key on login_links (key_prefix) where key_prefix is not null;
    create index login_links_by_expiry on login_links (expires_at);
  `),
  down: (knex) => knex.schema.raw('drop table login_links, sessions'),
};
