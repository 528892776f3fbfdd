import type { Knex } from 'knex';

/**
 * A key has one value, and for a while after a rotation two. A value is found by its public part (`prefix`), and only its SHA-256 is stored. A
 * revoked key stays, so that its caller is told. No index has `last_used_at`, which changes often.
 */
export const apiKeys: Knex.Migration = {
  up: (knex) =>
    knex.schema.raw(`
    create table api_keys (
      id uuid primary key,
      name text not null,
      scopes text[] not null,
      tenant text,
      product text,
      directory_id uuid,
      allowed_networks text[],
      created_at timestamptz not null default now(),
      created_by text not null,
      expires_at timestamptz,
      last_used_at timestamptz,
      revoked_at timestamptz
    );
    create index api_keys_by_tenant on api_keys (tenant, id) where tenant is not null;
    create index api_keys_by_product on api_keys (product, id) where product is not null;
    create table api_key_values (
      prefix text primary key,
      key_id uuid not null references api_keys on delete cascade,
      hash bytea not null,
      created_at timestamptz not null default clock_timestamp(),
      expires_at timestamptz
    );
    create index api_key_values_by_key on api_key_values (key_id, created_at);
  `),
  down: (knex) => knex.schema.raw('drop table api_key_values, api_keys'),
};
