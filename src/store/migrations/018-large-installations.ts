import type { Knex } from 'knex';

/**
 * Events, deliveries and outcomes are written, changed once and deleted days later. A fifth of a large table, the default of autovacuum, is
 * days of them. The body of an event is deleted soon after it was written, and the row that is left fits into its page.
 *
 * Directories that do not log their webhooks have many deliveries, and none of them is a webhook event.
 */
export const largeInstallations: Knex.Migration = {
  up: (knex) =>
    knex.schema.raw(`
    alter table stored_events set (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.02);
    alter table webhook_batches set (autovacuum_vacuum_scale_factor = 0.02);
    alter table webhook_attempts set (autovacuum_vacuum_scale_factor = 0.02);
    alter table mutations set (autovacuum_vacuum_scale_factor = 0.02);
    create index webhook_batches_logged on webhook_batches (directory_id, created_at) where logged;
  `),
  down: (knex) =>
    knex.schema.raw(`
    drop index webhook_batches_logged;
    alter table stored_events reset (fillfactor, autovacuum_vacuum_scale_factor);
    alter table webhook_batches reset (autovacuum_vacuum_scale_factor);
    alter table webhook_attempts reset (autovacuum_vacuum_scale_factor);
    alter table mutations reset (autovacuum_vacuum_scale_factor);
  `),
};
