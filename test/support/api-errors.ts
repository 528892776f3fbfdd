import { afterAll, beforeAll } from '@jest/globals';
import { useGoogleService } from './google-service.ts';
import type { FakeGoogle } from './google/fake-google.ts';
import { createOperated } from './operate.ts';
import { createPulledDirectory } from './pulled-directories.ts';
import { startReceiver, type Receiver } from './receiver.ts';
import type { TestService } from './service.ts';
import { until } from './until.ts';

/** The request, its body if it has one, the status with the code and the field, and the message. */
export type MessageRow = [request: string, body: unknown, error: string, message: string];

interface ApiErrors {
  service: TestService;
  receiver: Receiver;
  /** What the disk of the database has left. */
  freeBytes: number;
  send(line: string, body: unknown): Promise<[error: string, message: string]>;
}

/** A service with a directory in each state that a request can be wrong about. A request names one as `{name}`. */
export function useApiErrors(): ApiErrors {
  const found = { freeBytes: Infinity, send } as ApiErrors;
  const ids: Record<string, string> = { unknown: '01a1fd46-beef-7978-b244-a1855f394770' };
  let google: FakeGoogle;
  useGoogleService(
    (started) => {
      google = started.google;
      found.service = started.service;
    },
    { MAX_BODY_BYTES: '20000', MIN_FREE_DISK_BYTES: '1000' },
    { freeDiskBytes: () => Promise.resolve(found.freeBytes) },
  );
  beforeAll(async () => {
    found.receiver = await startReceiver();
    Object.assign(ids, await createExamples(found.service, found.receiver, google));
  });
  afterAll(() => found.receiver.close());
  return found;

  async function send(line: string, body: unknown): Promise<[string, string]> {
    const [method, path] = line.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name]!).split(' ') as [string, string];
    const response = await found.service.api(method, path.startsWith('/') ? path : `/api/v1/directory-sync/${path}`, body);
    const { code, field, message = '' } = response.body.error ?? {};
    const withoutIds = Object.entries(ids).reduce((rest, [name, id]) => rest.replaceAll(id, `{${name}}`), message as string);
    return [[response.status, code, field].filter(Boolean).join(' '), withoutIds];
  }
}

async function createExamples(service: TestService, receiver: Receiver, google: FakeGoogle): Promise<Record<string, string>> {
  const create = (fields: Record<string, unknown>) => service.createDirectory(fields);
  const pushed = await createOperated(service, receiver);
  const unlogged = await createOperated(service, receiver, { log_webhook_events: false });
  const swept = await createOperated(service, receiver);
  for (const { push, untilDone } of [pushed, unlogged, swept]) {
    await push('a', 'b');
    await untilDone();
  }
  await service.db('events').where({ directory_id: swept.directory.id, sequence: 1 }).delete();
  await service.db('directories').where({ id: swept.directory.id }).update({ swept_sequence: 1 });
  const [delivery] = await pushed.get('/deliveries');
  const replay = await pushed.replay({ mode: 'single', sequence: 1 });
  await swept.post('/pause');
  const full = await createOperated(service, receiver, { quotas: { replays: 0, searches: 0 } });
  await full.push('a');
  await full.untilDone();

  google.addUser();
  const authorized = await createPulledDirectory(service, google);
  const bodiesOf = () => service.db('stored_events').where({ directory_id: unlogged.directory.id }).whereNotNull('data');
  await until(async () => (await bodiesOf()).length === 0);
  const run = await authorized.sync();
  const off = await createPulledDirectory(service, google, { deactivated: true });
  return {
    pushed: pushed.directory.id,
    unlogged: unlogged.directory.id,
    swept: swept.directory.id,
    full: full.directory.id,
    bare: (await create({ tenant: 'bare' })).id,
    unauthorized: (await create({ type: 'google', tenant: 'waiting' })).id,
    service: (await create({ type: 'google', google_admin_email: 'admin@acme.example' })).id,
    authorized: authorized.id,
    off: off.id,
    delivery: delivery.id,
    replay: replay.id,
    run: run.id,
  };
}
