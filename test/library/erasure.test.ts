import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { rollcall } from '../../src/library/index.ts';
import { dumpTables } from '../support/dump-tables.ts';
import { startTestLibrary, type TestLibrary } from '../support/library.ts';
import { markers, person } from '../support/personal-data.ts';
import { until } from '../support/until.ts';

let library: TestLibrary;
beforeAll(async () => {
  library = await startTestLibrary();
});
afterAll(() => library.stop());

it('deletes recorded requests after their retention', async () => {
  const directory = await library.createDirectory();
  await library.db.raw(
    `insert into scim_requests (directory_id, id, at, method, path, status, duration_ms, request_id, user_agent, content_type, body_state)
     select :id, gen_random_uuid(), now() - days * interval '1 day', 'GET', '/Users', 200, 1, days, '', '', 'none' from unnest(array[1, 3]) days`,
    { id: directory.id },
  );
  // It looks for what has expired when it starts.
  const another = await rollcall({ ...library.options, settings: { SCIM_REQUESTS_TTL: '2d' } });
  const left = () => library.db('scim_requests').where({ directory_id: directory.id }).pluck<string[]>('request_id');
  await until(async () => (await left()).join() === '1');
  await another.stop();
});

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
