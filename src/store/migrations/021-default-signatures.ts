import type { Knex } from 'knex';

/** Null: the default of the deployment, `WEBHOOK_LEGACY_SIGNATURES`. It was false for every directory that had not asked for the signatures. */
export const defaultSignatures: Knex.Migration = {
  up: (knex) =>
    knex.schema.raw(`
    alter table webhook_endpoints alter column legacy_signatures drop not null, alter column legacy_signatures drop default;
    update webhook_endpoints set legacy_signatures = null where not legacy_signatures;
  `),
  down: (knex) =>
    knex.schema.raw(`
    update webhook_endpoints set legacy_signatures = false where legacy_signatures is null;
    alter table webhook_endpoints alter column legacy_signatures set default false, alter column legacy_signatures set not null;
  `),
};
