import { hostile, startConsoleScene, type ConsoleScene } from './console.ts';
import { startFakeGoogle, type FakeGoogle } from './google/fake-google.ts';
import { createPulledDirectory, googleEnv, type PulledDirectory } from './pulled-directories.ts';
import type { TestDirectory } from './service.ts';
import { createLink, type TestLink } from './setup-links.ts';
import { until } from './until.ts';

export interface RecordsScene extends ConsoleScene {
  google: FakeGoogle;
  /** Its bodies are kept. It has users, groups, refused requests and acknowledged deliveries. */
  busy: TestDirectory;
  ada: { id: string; userName: string };
  group: { id: string };
  /** Its newest run waits for confirmation of eleven removals. */
  pulled: PulledDirectory;
  waitingRun: { id: string };
  link: TestLink;
  deliveriesOf(directory: Pick<TestDirectory, 'id'>, query?: string): Promise<{ id: string; status: string }[]>;
}

export const adaName = `Ada ${hostile}`;

/** What the pages about users, groups, events, deliveries, requests and syncs show. */
export async function startRecordsScene(): Promise<RecordsScene> {
  const google = await startFakeGoogle();
  const scene = await startConsoleScene({ ...googleEnv(google), TEMPORAL_UI_URL: 'https://temporal.example/ui/' });
  const { service, receiver } = scene;
  const busy = await service.createDirectory({ name: 'Globex', tenant: 'globex', webhook_url: receiver.url, log_webhook_events: true });
  const userName = 'ada@globex.example';
  const { body: ada } = await busy.scim('POST', '/Users', {
    userName,
    externalId: 'ext-4711',
    name: { givenName: 'Ada', familyName: hostile },
    emails: [{ value: userName, primary: true }],
    title: hostile,
  });
  const { body: group } = await busy.scim('POST', '/Groups', { displayName: `Engineering ${hostile}`, members: [{ value: ada.id }] });
  await busy.scim('POST', '/Users', { userName: 'bob@globex.example', active: false });
  // The name is taken.
  await busy.scim('POST', '/Users', { userName });
  const deliveriesOf: RecordsScene['deliveriesOf'] = async ({ id }, query = '') =>
    (await service.api('GET', `/api/v1/directory-sync/${id}/deliveries${query}`)).body.data;
  for (let one = 0; one < 20; one += 1) google.addUser();
  const pulled = await createPulledDirectory(service, google, { name: 'Hooli', tenant: 'hooli' });
  await pulled.sync();
  for (const id of [...google.users.keys()].slice(0, 11)) google.removeUser(id);
  const waitingRun = await pulled.sync();
  const link = await createLink(service, { tenant: hostile, product: 'crm', name: hostile });
  await until(async () => {
    const deliveries = await deliveriesOf(busy);
    return deliveries.length === 4 && deliveries.every(({ status }) => status === 'delivered');
  });
  await until(async () => (await service.api('GET', `/api/v1/directory-sync/${busy.id}/requests`)).body.data.length === 4);
  return {
    ...scene,
    google,
    busy,
    ada: { id: ada.id, userName },
    group,
    pulled,
    waitingRun,
    link,
    deliveriesOf,
    async stop() {
      await scene.stop();
      await google.stop();
    },
  };
}
