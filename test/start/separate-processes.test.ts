import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createEmptyDatabase, type TestDatabase } from '../support/database.ts';
import { expectInOrder, untilDelivered } from '../support/deliveries.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import type { RunningRollcall } from '../support/process.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { request, toTestDirectory, type TestDirectory } from '../support/service.ts';
import { until } from '../support/until.ts';

const testTimeoutMs = 180_000;

let database: TestDatabase;
let installation: Installation;
let receiver: Receiver;
let apis: RunningRollcall[];
let workers: RunningRollcall[];
let directories: TestDirectory[];

beforeAll(async () => {
  database = await createEmptyDatabase();
  receiver = await startReceiver();
  installation = await createInstallation({
    databaseUrl: database.url,
    env: { PORT: '0', DATABASE_POOL_SIZE: '4' },
  });
}, testTimeoutMs);

afterAll(async () => {
  await Promise.all([...(apis ?? []), ...(workers ?? [])].map((one) => one.kill()));
  await installation?.remove();
  await receiver?.close();
  await database.drop();
}, testTimeoutMs);

it(
  'starts two APIs and two workers concurrently on an empty database',
  async () => {
    const [api1, api2, worker1, worker2] = await Promise.all(
      ['api', 'api', 'worker', 'worker'].map((command) => installation.start({ command: [command] })),
    );
    apis = [api1!, api2!];
    workers = [worker1!, worker2!];
    for (const { baseUrl } of [...apis, ...workers]) {
      expect((await fetch(`${baseUrl}/health/live`)).status).toBe(200);
      expect((await fetch(`${baseUrl}/health/ready`)).status).toBe(200);
    }
    for (const { baseUrl } of workers) expect((await fetch(`${baseUrl}/api/v1/directory-sync`)).status).toBe(404);
  },
  testTimeoutMs,
);

it(
  'delivers each change once, whichever API it was pushed to',
  async () => {
    const created = await request(
      `${apis[0]!.baseUrl}/api/v1/directory-sync`,
      'POST',
      { tenant: 'acme', product: 'app', webhook_url: receiver.url },
      { authorization: `Api-Key ${installation.env['API_KEYS']}` },
    );
    directories = apis.map(({ baseUrl }) => toTestDirectory(baseUrl, created.body.data));
    const pushed = await Promise.all(
      Array.from({ length: 8 }, (_, number) => directories[number % 2]!.scim('POST', '/Users', { userName: `user-${number}` })),
    );
    expect(pushed.map(({ status }) => status)).toEqual(pushed.map(() => 201));
    expect(await untilDelivered(installation.db, directories[0]!)).toBe(8);
    expect(receiver.received).toHaveLength(8);
    expectInOrder(receiver.received, directories[0]!, 8);
    expect(new Set(receiver.received.map(({ event }) => event.data.id))).toEqual(new Set(pushed.map(({ body }) => body.id)));
  },
  testTimeoutMs,
);

it(
  'continues to deliver with one worker when the other is killed',
  async () => {
    await workers[0]!.kill();
    for (const [index, directory] of directories.entries())
      expect((await directory.scim('POST', '/Users', { userName: `late-${index}` })).status).toBe(201);
    expect(await untilDelivered(installation.db, directories[0]!)).toBe(10);
    expectInOrder(receiver.received, directories[0]!, 10);
  },
  testTimeoutMs,
);

it(
  'accepts users at one API when the other is killed, and each process exits with 0 on SIGTERM',
  async () => {
    await apis[0]!.kill();
    expect((await directories[1]!.scim('POST', '/Users', { userName: 'last' })).status).toBe(201);
    await until(() => receiver.received.some(({ event }) => event.sequence === 11), { timeoutMs: 30_000 });
    for (const one of [apis[1]!, workers[1]!]) {
      one.signal('SIGTERM');
      expect(await one.exited).toEqual({ code: 0, signal: null });
    }
  },
  testTimeoutMs,
);
