import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { RollcallEvent } from '../../src/library/index.ts';
import type { rollcall } from '../../src/library/index.ts';
import { packageRoot } from '../../src/paths.ts';
import { startTestLibrary, type TestLibrary } from '../support/library.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { ada, createTestNamespace, installRuntimeOnce } from '../support/service.ts';
import { until } from '../support/until.ts';

let library: TestLibrary;
let receiver: Receiver;
let temporal: Awaited<ReturnType<typeof createTestNamespace>>;
beforeAll(async () => {
  installRuntimeOnce();
  [receiver, temporal] = await Promise.all([startReceiver(), createTestNamespace()]);
  // The build, with its workflow bundle.
  const built = (await import(join(packageRoot, 'dist/src/library/index.js'))) as { rollcall: typeof rollcall };
  library = await startTestLibrary(
    {
      temporalAddress: process.env['TEST_TEMPORAL_ADDRESS']!,
      temporalNamespace: temporal.namespace,
      settings: { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' },
    },
    built.rollcall,
  );
});
afterAll(async () => {
  await library.stop();
  await Promise.all([receiver.close(), temporal.connection.close()]);
});

it('runs as the service does: a workflow for a change, and a webhook for its event', async () => {
  const directory = await library.createDirectory({ webhook_url: receiver.url, webhook_secret: randomBytes(24).toString('hex') });
  const events: RollcallEvent[] = [];
  const { status } = await directory.handle('POST', 'users', { body: ada }, (event) => void events.push(event));
  expect([status, events]).toEqual([
    201,
    [expect.objectContaining({ event: 'user.created', data: expect.objectContaining({ email: 'ada@example.com' }) })],
  ]);
  await until(() => receiver.received.length > 0);
  expect(receiver.received.map(({ event }) => [event.event, event.id])).toEqual([['user.created', events[0]!.id]]);
  // The receiver gets the event before its response is recorded.
  await until(async () => (await library.sync.deliveries.list(directory.id)).data?.[0]?.status !== 'pending');
  const { data } = await library.sync.deliveries.list(directory.id);
  expect(data).toMatchObject([{ status: 'delivered', from_sequence: 1 }]);
});

it('rejects a callback for a sync, whose events go to webhooks', async () => {
  expect(await library.sync.sync(undefined, () => undefined)).toMatchObject({ data: null, error: { field: 'callback' }, status: 400 });
});
