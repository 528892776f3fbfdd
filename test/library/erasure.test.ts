import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { dumpTables } from '../support/dump-tables.ts';
import { startTestLibrary, type TestLibrary } from '../support/library.ts';
import { markers, person } from '../support/personal-data.ts';
import { until } from '../support/until.ts';

let library: TestLibrary;
beforeAll(async () => {
  library = await startTestLibrary();
});
afterAll(() => library.stop());

it('erases a user without Temporal, and tells the application by ID', async () => {
  const { sync, db } = library;
  const directory = await library.createDirectory();
  const { data: user } = await directory.handle('POST', 'users', { body: person() });
  const exported = await sync.users.export(directory.id, user.id);
  expect(exported.data).toMatchObject([{ kind: 'user', user: { id: user.id, email: 'ada.quillwort@acme.example' } }]);
  const { data: started } = await sync.users.erase(directory.id, user.id);
  expect(started).toMatchObject({ user_id: user.id, erased: {} });
  await until(async () => (await sync.users.getErasure(directory.id, user.id)).data?.status === 'done');
  expect((await dumpTables(db)).split('\n').filter((line) => markers.test(line))).toEqual([]);
  const { data: events } = await sync.events.list({ directory_id: directory.id });
  expect(events?.map(({ event, data, reason }) => [event, data?.id, reason])).toEqual([
    ['user.created', user.id, 'scim'],
    ['user.deleted', user.id, 'erasure'],
  ]);
  expect((await directory.handle('GET', 'users', { id: user.id })).status).toBe(404);
});
