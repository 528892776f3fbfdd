import { expect } from '@jest/globals';
import type { Knex } from 'knex';
import { toResourceKey } from '../../src/directory/resources/resource-ids.ts';

const isOfGroup = (type: string) => ['group.created', 'group.updated', 'group.deleted'].includes(type);

/** Expects that each event of a directory has the key of the user that it is about, and that events of groups have none. */
export async function expectUserKeys(db: Knex, directoryId: string): Promise<void> {
  const events = await db('events as e')
    .join('stored_events as s', (on) => on.on('s.directory_id', 'e.directory_id').andOn('s.sequence', 'e.sequence'))
    .where('e.directory_id', directoryId)
    .whereNotNull('e.data')
    .orderBy('e.sequence')
    .select<{ sequence: number; type: string; data: { id: string }; user_id: string | null }[]>('e.*', 's.user_id');
  expect(events.length).toBeGreaterThan(0);
  const expected = events.map(({ sequence, type, data }) => [sequence, type, isOfGroup(type) ? null : toResourceKey(data.id)]);
  expect(events.map(({ sequence, type, user_id: userId }) => [sequence, type, userId])).toEqual(expected);
}
