import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { findFreePort } from '../../src/embedded/free-port.ts';
import { startTestService, type TestDirectory, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { at, startRollcallCommand } from './run-rollcall.ts';

const testTimeoutMs = 180_000;

let service: TestService;
let directory: TestDirectory;
beforeAll(async () => {
  service = await startTestService();
  directory = await service.createDirectory();
});
afterAll(() => service?.stop());

const push = (name: string) => directory.scim('POST', '/Users', { userName: `${name}@example.com` });

/** A proxy to the service that can be closed and reopened, like a restart. */
async function openProxy(port: number) {
  const sockets = new Set<Socket>();
  const target = Number(new URL(service.baseUrl).port);
  let server: Server;
  const open = async () => {
    server = createServer((near) => {
      const far = connect(target, '127.0.0.1');
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const) {
        sockets.add(one);
        one.on('error', () => undefined);
        one.once('close', () => other.destroy());
        one.pipe(other);
      }
    });
    await once(server.listen(port, '127.0.0.1'), 'listening');
  };
  await open();
  return {
    open,
    async close() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}

it(
  'follows live, neither loses nor repeats events across an outage of the service, and exits with 0 on Ctrl-C',
  async () => {
    const port = await findFreePort();
    const proxy = await openProxy(port);
    await push('before');
    const tail = startRollcallCommand(['events', 'tail', '--directory', directory.id], at({ baseUrl: `http://127.0.0.1:${port}` }));
    await until(() => tail.stderr().includes('Waiting for events'));
    await push('live');
    await until(() => tail.stdout().includes('live@example.com'));
    await proxy.close();
    await push('meanwhile');
    await until(() => tail.stderr().includes('Retrying'));
    await proxy.open();
    await push('after');
    await until(() => tail.stdout().includes('after@example.com'), { timeoutMs: 60_000 });
    tail.signal('SIGINT');
    const { code, stdout, stderr } = await tail.ended;
    await proxy.close();
    expect(code).toBe(0);
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => line.split(/\s{2,}/)),
    ).toEqual(
      ['live', 'meanwhile', 'after'].map((name, place) => [
        expect.stringMatching(/Z$/),
        'acme/app',
        `#${place + 2}`,
        'user.created',
        `${name}@example.com`,
      ]),
    );
    expect(stderr).toMatch(/Reconnected\.\nResume with --after \S+\n$/);
  },
  testTimeoutMs,
);

it(
  'prints one event per line as JSON, since a time and of some types only',
  async () => {
    const tail = startRollcallCommand(['events', 'tail', '--since', '1h', '--types', 'user.created', '--json'], at(service));
    await directory.scim('POST', '/Groups', { displayName: 'Engineers' });
    await push('last');
    await until(() => tail.stdout().includes('last@example.com'));
    tail.signal('SIGTERM');
    const { code, stdout } = await tail.ended;
    expect(code).toBe(0);
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { event: string; sequence: number });
    const { body } = await service.api('GET', '/api/v1/events?events=user.created');
    expect(events).toEqual(body.data);
  },
  testTimeoutMs,
);

it('fails immediately if the URL is wrong', async () => {
  const { code, stdout, stderr } = await startRollcallCommand(
    ['events', 'tail'],
    at({ baseUrl: `http://127.0.0.1:${await findFreePort()}` }),
  ).ended;
  expect([code, stdout, stderr]).toEqual([5, '', expect.stringMatching(/ECONNREFUSED/)]);
});

it('fails if the cursor is invalid', async () => {
  const { code, stderr } = await startRollcallCommand(['events', 'tail', '--after', 'nonsense'], at(service)).ended;
  expect([code, stderr]).toEqual([2, expect.stringMatching(/--after .+ Example: rollcall events tail/)]);
});
