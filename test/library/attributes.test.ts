import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { RollcallEvent } from '../../src/library/index.ts';
import { startTestLibrary, type TestLibrary } from '../support/library.ts';
import { until } from '../support/until.ts';

let library: TestLibrary;
beforeAll(async () => {
  library = await startTestLibrary();
});
afterAll(() => library.stop());

it('computes attributes without Temporal, when users are pushed and when the mapping changes', async () => {
  const { sync } = library;
  const directory = await library.createDirectory();
  await sync.attributes.setSchema({ product: 'app', attributes: [{ name: 'job_title' }] });
  const told: RollcallEvent[] = [];
  const note = (event: RollcallEvent) => void told.push(event);
  const { data: user } = await directory.handle('POST', 'users', { body: { userName: 'ada', title: 'Engineer', nickName: 'Ada' } }, note);
  expect(told[0]!.data).toMatchObject({ custom_attributes: { job_title: 'Engineer' } });
  await sync.attributes.setMapping(directory.id, { attributes: { job_title: { path: 'nickName' } } });
  await until(async () => (await sync.attributes.getMapping(directory.id)).data?.recompute?.state === 'done');
  const { data: found } = await sync.users.get(user.id, { directory_id: directory.id });
  expect(found?.custom_attributes).toEqual({ job_title: 'Ada' });
  // What this process knows of the directory from its last change has the former mapping.
  await directory.handle(
    'PATCH',
    'users',
    { id: user.id, body: { Operations: [{ op: 'replace', path: 'nickName', value: 'Countess' }] } },
    note,
  );
  expect(told[1]!.data).toMatchObject({ custom_attributes: { job_title: 'Countess' } });
  const { data: events } = await sync.events.list({ directory_id: directory.id });
  expect(events?.map(({ event, reason }) => [event, reason])).toEqual([
    ['user.created', 'scim'],
    ['user.updated', 'mapping'],
    ['user.updated', 'scim'],
  ]);
});
