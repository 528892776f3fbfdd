import type { Knex } from 'knex';

/**
 * `user_id` is the key of the user that an event is about. It is kept when the body is deleted, so that the events of a user, and the deliveries that
 * carried them, are found afterwards. Events of groups have none. Events of earlier versions have none either: the second index finds them, and is
 * empty once retention has dropped them. No later update of an event changes a column of the indexes, except an erasure.
 */
export const eventsByUser = {
  async up(knex: Knex) {
    // It can run again: without a transaction, a killed migration leaves a part. An index that is complete is kept. No request waits for as long as a build may.
    await knex.transaction(async (trx) => {
      await trx.raw('set local lock_timeout = 2000');
      await trx.raw('alter table stored_events add column if not exists user_id uuid');
    });
    for (const [name, definition] of Object.entries(indexes)) {
      const { rows } = await knex.raw<{ rows: { indisvalid: boolean }[] }>(
        'select indisvalid from pg_index where indexrelid = to_regclass(?)',
        [name],
      );
      if (rows[0]?.indisvalid) continue;
      await knex.raw(`drop index concurrently if exists ${name}`);
      await knex.raw(`create index concurrently ${name} on stored_events ${definition}`);
    }
  },
  down: (knex: Knex) => knex.schema.raw('alter table stored_events drop column user_id'),
  config: { transaction: false },
};

const indexes = {
  stored_events_by_user: '(directory_id, user_id, sequence) where user_id is not null',
  stored_events_without_user: `(directory_id, sequence) where user_id is null and type not in ('group.created', 'group.updated', 'group.deleted')`,
};
