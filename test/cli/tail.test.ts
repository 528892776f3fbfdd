import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { freePort } from '../../src/embedded/free-port.ts';
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

/** A way to the service that can be broken and mended, as a restart does it. */
async function openWay(port: number) {
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
  'follows live, misses nothing and repeats nothing when the service goes away and comes back, and ends with 0 at Ctrl-C',
  async () => {
    const port = await freePort();
    const way = await openWay(port);
    await push('before');
    const tail = startRollcallCommand(['events', 'tail', '--directory', directory.id], at({ baseUrl: `http://127.0.0.1:${port}` }));
    await until(() => tail.stderr().includes('Following'));
    await push('live');
    await until(() => tail.stdout().includes('live@example.com'));
    await way.close();
    await push('meanwhile');
    await until(() => tail.stderr().includes('trying again'));
    await way.open();
    await push('after');
    await until(() => tail.stdout().includes('after@example.com'), { timeoutMs: 60_000 });
    tail.signal('SIGINT');
    const { code, stdout, stderr } = await tail.ended;
    await way.close();
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
    expect(stderr).toMatch(/The service answers again\.\nTo go on from here: --after \S+\n$/);
  },
  testTimeoutMs,
);

it(
  'gives machines one event a line, from a time on and of some types only',
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

it('tells at once that the address is wrong', async () => {
  const { code, stdout, stderr } = await startRollcallCommand(['events', 'tail'], at({ baseUrl: `http://127.0.0.1:${await freePort()}` }))
    .ended;
  expect([code, stdout, stderr]).toEqual([5, '', expect.stringMatching(/did not respond \(ECONNREFUSED\)/)]);
});

it('tells that a cursor is none, and ends', async () => {
  const { code, stderr } = await startRollcallCommand(['events', 'tail', '--after', 'nonsense'], at(service)).ended;
  expect([code, stderr]).toEqual([2, expect.stringMatching(/--after .+ Example: rollcall events tail/)]);
});
