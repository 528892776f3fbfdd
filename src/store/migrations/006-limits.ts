import type { Knex } from 'knex';

/**
 * Request counters, with the columns that rate-limiter-flexible needs, and leases of resources. The
 * tables are unlogged: after a crash they start empty.
 */
export const limits: Knex.Migration = {
  up: (knex) =>
    knex.schema.raw(`
    create unlogged table limit_counters (
      key text primary key,
      points integer not null default 0,
      expire bigint
    );
    create index limit_counters_by_expiry on limit_counters (expire);

    create unlogged table limit_leases (
      key text primary key,
      id uuid not null unique,
      expires_at timestamptz not null
    );
    create index limit_leases_by_expiry on limit_leases (expires_at);
  `),
  down: () => Promise.reject(new Error('Limits cannot be reverted: leave LIMITS_PLAN empty instead.')),
};
