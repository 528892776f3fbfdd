import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startFakeGoogle, type FakeGoogle } from '../support/google/fake-google.ts';
import { createHosted, googleEnv } from '../support/hosted.ts';
import { startTestService, type TestService } from '../support/service.ts';

let google: FakeGoogle;
let service: TestService;
beforeAll(async () => {
  google = await startFakeGoogle();
  service = await startTestService(googleEnv(google));
});
afterAll(async () => {
  await service.stop();
  await google.stop();
});

describe('a first sync', () => {
  it('tells of everybody once', async () => {
    const ada = google.addUser({ primaryEmail: 'ada@acme.example', name: { givenName: 'Ada', familyName: 'Lovelace' } });
    const ben = google.addUser({ primaryEmail: 'ben@acme.example', suspended: true });
    const team = google.addGroup({ name: 'Team' });
    const other = google.addGroup({ name: 'Team' });
    google.addMember(team.id, { id: ada.id, type: 'USER' });
    google.addMember(team.id, { id: other.id, type: 'GROUP' });
    google.addMember(other.id, { id: ben.id, type: 'USER' });
    const directory = await createHosted(service, google);
    const t = setTimeout(() => void directory.run('x').then(async () => console.log(JSON.stringify(service.logs.filter((l) => (l['level'] as any) !== 'debug' && l['msg'] !== 'request').slice(-8), null, 1), JSON.stringify((await service.db('sync_runs')), null, 1))), 12000);
    const run = await directory.sync(); clearTimeout(t);
    console.log(JSON.stringify(run, null, 1), JSON.stringify(await directory.newEvents(), null, 1));
    expect(run.state).toBe('succeeded');
    expect((await directory.sync()).changed).toEqual({});
  });
});
