import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { RollcallEvent } from '../../src/library/index.ts';
import { startFakeEntra, type FakeEntra } from '../support/entra/fake-entra.ts';
import { startTestLibrary, type TestLibrary } from '../support/library.ts';

let entra: FakeEntra;
let library: TestLibrary;
beforeAll(async () => {
  entra = await startFakeEntra();
  const { DSYNC_ENTRA_CLIENT_ID: clientId, DSYNC_ENTRA_CLIENT_SECRET: clientSecret, ...settings } = entra.env();
  library = await startTestLibrary({ settings, entra: { clientId, clientSecret } });
});
afterAll(async () => {
  await library.stop();
  await entra.stop();
});

it('leads an administrator through a consent, and syncs the tenant without Temporal, first in full and then by changes', async () => {
  const { data } = await library.sync.directories.create({ tenant: 'acme', product: 'app', type: 'entra' });
  const directoryId = data!.id;
  const { data: step } = await library.sync.entra.generateAuthorizationUrl({ directoryId });
  const back = new URL(entra.consent(step!.authorizationUrl)).searchParams;
  const [tenant, state] = [back.get('tenant')!, back.get('state')!];
  const set = await library.sync.entra.setTenant({ directoryId, tenant, state });
  expect(set).toMatchObject({ data: { entra_tenant_id: entra.tenant, entra_authorization: 'authorized' }, error: null });
  expect(await library.sync.entra.setTenant({ directoryId, tenant, state })).toMatchObject({ error: { field: 'state' } });
  // The consent has started a sync.
  await library.sync.sync(directoryId);

  const ada = entra.addUser();
  const team = entra.addGroup();
  entra.addMember(team.id, ada.id);
  const events: RollcallEvent[] = [];
  const { data: runs } = await library.sync.sync(undefined, (event) => void events.push(event));
  expect(runs).toMatchObject([{ directory_id: directoryId, state: 'succeeded', drift: null }]);
  expect(events.map(({ event }) => event)).toEqual(['user.created', 'group.created', 'group.user_added']);
  entra.requests.length = 0;
  await library.sync.sync(directoryId);
  expect(entra.graphRequests().map(({ query }) => query.has('$deltatoken'))).toEqual([true, true]);
});
