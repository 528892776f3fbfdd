import type { Knex } from 'knex';

/**
 * For lists of deliveries across directories, failed ones first. A delivery is written as pending and becomes delivered, so that the usual one is
 * never in this index. Those that are pending are found by `webhook_batches_one_open_head` and `webhook_batches_one_open_replay`.
 */
export const failedDeliveries = {
  async up(knex: Knex) {
    // A killed migration leaves an index that Postgres maintains and does not use.
    await knex.raw('drop index concurrently if exists webhook_batches_unusual');
    await knex.raw(
      `create index concurrently webhook_batches_unusual on webhook_batches (status, created_at, from_sequence, id)
       where status in ('exhausted', 'split', 'skipped', 'replayed', 'canceled')`,
    );
  },
  down: (knex: Knex) => knex.schema.raw('drop index webhook_batches_unusual'),
  config: { transaction: false },
};
