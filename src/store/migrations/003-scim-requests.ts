import type { Knex } from 'knex';

/** The last requests of each directory, for debugging a connection. Nothing else depends on them. */
export const scimRequests: Knex.Migration = {
  up: (knex) =>
    knex.schema.raw(`
    create table scim_requests (
      directory_id uuid not null references directories on delete cascade,
      id uuid not null,
      at timestamptz not null,
      method text not null,
      path text not null,
      status integer not null,
      scim_type text,
      detail text,
      duration_ms integer not null,
      request_id text not null,
      user_agent text not null,
      content_type text not null,
      body text,
      body_state text not null check (body_state in ('none', 'complete', 'truncated', 'unread', 'redacted')),
      body_bytes integer,
      primary key (directory_id, id)
    );
  `),
  down: (knex) => knex.schema.dropTable('scim_requests'),
};
