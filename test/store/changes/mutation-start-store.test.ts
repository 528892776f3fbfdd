import type { Knex } from 'knex';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { toResourceKey } from '../../../src/directory/resources/resource-ids.ts';
import { newId } from '../../../src/ids.ts';
import { createMutationStartStore } from '../../../src/store/changes/mutation-start-store.ts';
import { createEmitOperatorEvent } from '../../../src/store/operator-events/operator-event-store.ts';
import { cloneDatabase } from '../../support/database.ts';
import { createDirectory } from '../filters/fixture.ts';

let database: Awaited<ReturnType<typeof cloneDatabase>>;
let db: Knex;
let directoryId: string;
beforeAll(async () => {
  database = await cloneDatabase();
  ({ db } = database);
  directoryId = await createDirectory(db);
  await db('users').insert({
    directory_id: directoryId,
    id: toResourceKey('Person-7'),
    public_id: 'Person-7',
    user_name: 'ada',
    user_name_key: 'ada',
    active: true,
    first_name: '',
    last_name: '',
    email: '',
    resource: '{"userName": "ada"}',
    created_at: new Date(),
    updated_at: new Date(),
  });
});
afterAll(() => database.drop());

it.each([
  ['the ID of a resource', { resourceId: '01900000-0000-7000-8000-000000000001' }, '01900000-0000-7000-8000-000000000001'],
  ['the ID with which a resource was imported, not the key derived from it', { resourceId: toResourceKey('Person-7') }, 'Person-7'],
  ['no derived key of a resource that is gone', { resourceId: toResourceKey('Person-8') }, undefined],
  ['no resource for a Bulk request', {}, undefined],
])('a rejected mutation is reported with %s', async (_title, named, shown) => {
  const mutationId = newId();
  const outcome = { mutationId, resourceId: mutationId, ...named };
  const store = createMutationStartStore(db, createEmitOperatorEvent({ isHeard: true }));
  expect(await store.reject(directoryId, outcome, 'It crashed.')).toEqual(outcome);
  const [event] = await db('operator_events').orderBy('id', 'desc');
  const { data } = JSON.parse(event.body);
  expect(data).toMatchObject({ mutation_id: mutationId, reason: 'It crashed.' });
  expect(data.resource_id).toBe(shown);
});
