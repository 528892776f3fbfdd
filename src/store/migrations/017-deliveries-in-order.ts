import type { Knex } from 'knex';

/** The state of a delivery concerns only what comes after its last acknowledged event. */
export const deliveriesInOrder: Knex.Migration = {
  up: (knex) =>
    knex.schema.raw(`
    create index webhook_batches_in_order on webhook_batches (endpoint_id, from_sequence);
    drop index webhook_batches_by_endpoint;
  `),
  down: (knex) =>
    knex.schema.raw(`
    create index webhook_batches_by_endpoint on webhook_batches (endpoint_id);
    drop index webhook_batches_in_order;
  `),
};
