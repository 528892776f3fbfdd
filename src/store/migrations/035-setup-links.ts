import type { Knex } from 'knex';

/**
 * A tenant and product have at most one setup link, whose ID is derived from both. A link is found by the SHA-256 of its token. `sealed` has
 * the token, for callers who ask for the address again, and the webhook of the directories that the link creates. `place` is its place in lists,
 * a UUID in the order of creation. `created_by` is the key or person who created it, as the audit log names them.
 */
export const setupLinks: Knex.Migration = {
  up: (knex) =>
    knex.schema.raw(`
    create table setup_links (
      id text primary key,
      place uuid not null,
      token_hash bytea not null,
      tenant text not null,
      product text not null,
      sealed text not null,
      name text,
      provider text,
      return_url text,
      revoke_on_completion boolean not null,
      may_delete boolean not null,
      created_by jsonb not null,
      created_at timestamptz not null default clock_timestamp(),
      expires_at timestamptz not null,
      opened_at timestamptz,
      completed_at timestamptz
    );
    create unique index setup_links_by_token on setup_links (token_hash);
    create index setup_links_by_product on setup_links (product, place);
    create index setup_links_by_expiry on setup_links (expires_at);
  `),
  down: (knex) => knex.schema.raw('drop table setup_links'),
};
