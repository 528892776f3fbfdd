import { expect, it } from '@jest/globals';
import type { Knex } from 'knex';
import { newId } from '../../../src/ids.ts';
import { toGivenIds } from '../../../src/directory/resources/resource-ids.ts';
import { expectUserKeys } from '../../support/event-keys.ts';
import { applyChanges, createGroup, createUser, useDirectory } from '../statements/directory.ts';

let db: Knex;
let directoryId: string;
useDirectory((found) => ({ db, directoryId } = found));

const usersOf = (count: number) => Array.from({ length: count }, (_, index) => ({ id: newId(), name: `user${index}` }));
const countEvents = async (type: string) => (await db('stored_events').where({ directory_id: directoryId, type })).length;

it.each([1, 20, 400])('each event has the key of its user: memberships of %i users', async (count) => {
  const users = usersOf(count);
  const group = newId();
  const apply = (...changes: Parameters<typeof applyChanges>[1]) => applyChanges({ db, directoryId }, changes);
  for (const { id, name } of users) await apply(createUser(id, name));
  await apply(
    createGroup(
      group,
      'Everyone',
      users.map(({ id }) => id),
    ),
  );
  await apply({ kind: 'deleteUser', resourceId: users[0]!.id });
  await apply({ kind: 'deleteGroup', resourceId: group });
  await expectUserKeys(db, directoryId);
  expect([await countEvents('group.user_added'), await countEvents('group.user_removed')]).toEqual([count, count]);
});

it('a user with an ID from elsewhere has the key that is derived from it, and a large one is in a document', async () => {
  const { resourceId, givenId } = toGivenIds('ada@acme.example');
  const user = createUser(resourceId, 'ada') as Extract<ReturnType<typeof createUser>, { kind: 'createUser' }>;
  const large = { ...user, givenId, resource: { ...user.resource, title: 'x'.repeat(10_000) } };
  await applyChanges({ db, directoryId }, [large, createGroup(newId(), 'All', [givenId])]);
  await expectUserKeys(db, directoryId);
  expect(await db('stored_events').where({ directory_id: directoryId, user_id: resourceId }).pluck('type')).toEqual([
    'user.created',
    'group.user_added',
  ]);
  expect(await db('event_documents').where({ directory_id: directoryId })).not.toEqual([]);
});
