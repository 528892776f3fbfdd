import type { Knex } from 'knex';

/**
 * The index is for lists of deliveries across directories, failed ones first. A delivery is written as pending and
 * becomes delivered, so that the usual one is never in it; those that are pending are found by
 * `webhook_batches_one_open_head` and `webhook_batches_one_open_replay`.
 *
 * `directory_hours` counts what no other table keeps for a day: pushes and failed attempts. `slot` is the hour modulo 32, so that a
 * directory has at most 32 rows and none is ever deleted: the next hour with the same slot replaces it.
 */
export const deliveriesAndHours = {
  async up(knex: Knex) {
    // It can run again: without a transaction, a killed migration leaves a part. No request waits for as long as a build may.
    await knex.transaction(async (trx) => {
      await trx.raw('set local lock_timeout = 2000');
      await trx.raw(
        `create table if not exists directory_hours (
           directory_id uuid not null references all_directories on delete cascade,
           slot smallint not null check (slot between 0 and 31),
           hour bigint not null,
           pushes integer not null default 0,
           rejected_pushes integer not null default 0,
           failed_attempts integer not null default 0,
           primary key (directory_id, slot)
         )`,
      );
    });
    await knex.raw('drop index concurrently if exists webhook_batches_unusual');
    await knex.raw(
      `create index concurrently webhook_batches_unusual on webhook_batches (status, created_at, from_sequence, id)
       where status in ('exhausted', 'split', 'skipped', 'replayed', 'canceled')`,
    );
  },
  down: (knex: Knex) => knex.schema.raw('drop index webhook_batches_unusual; drop table directory_hours;'),
  config: { transaction: false },
};
