import { expect, it } from '@jest/globals';
import { dumpTables } from '../support/dump-tables.ts';
import type { FakeGoogle } from '../support/google/fake-google.ts';
import { useGoogleService } from '../support/google-service.ts';
import { markers, ofPerson } from '../support/personal-data.ts';
import { createPulledDirectory } from '../support/pulled-directories.ts';
import type { TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

let google: FakeGoogle;
let service: TestService;
useGoogleService((started) => ({ google, service } = started));

it('erases staged data of a sync too, and is found by the ID of Google', async () => {
  google.preset({});
  const { id: googleId } = google.addUser({ primaryEmail: 'ada.quillwort@acme.example' });
  const directory = await createPulledDirectory(service, google);
  const run = await directory.sync();
  expect(run.state).toBe('succeeded');
  const ofDirectory = { directory_id: directory.id };
  await until(async () => (await service.db('sync_runs').where({ ...ofDirectory, is_cleared: false })).length === 0);
  // Simulates that the process ended before it deleted its staged data.
  await service.db('sync_runs').where(ofDirectory).update({ is_cleared: false });
  await service.db('sync_users').insert({
    run_id: run.id,
    directory_id: directory.id,
    external_id: googleId,
    resource: JSON.stringify({ userName: 'ada.quillwort@acme.example' }),
  });
  const { erase, untilErased } = ofPerson(service, directory, googleId);
  const { body } = await erase();
  const erased = await untilErased();
  expect(erased).toMatchObject({ id: body.data.id, user_id: body.data.user_id, erased: { users: 1 } });
  expect((await dumpTables(service.db)).split('\n').filter((line) => markers.test(line))).toEqual([]);
  expect(await ofPerson(service, directory, body.data.user_id).untilErased()).toEqual(erased);
  expect((await ofPerson(service, directory, '100000000000000000000').erase()).status).toBe(404);
});
