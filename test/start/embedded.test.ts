import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Connection } from '@temporalio/client';
import { findFreePort } from '../../src/embedded/free-port.ts';
import { findListeningAddresses, listProcessTree, readProcessIdentity, runCommand } from '../../src/embedded/processes.ts';
import { openDatabase } from '../../src/store/database.ts';
import { spawnRollcall, startRollcall, type RunningRollcall } from '../support/process.ts';
import { ada, request, toTestDirectory, type TestDirectory } from '../support/service.ts';
import { everyRound } from '../support/rounds.ts';
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

const testTimeoutMs = 180_000;
/** LATER_START_MS=3000 is the limit on a quiet machine. Beside other tests a start took 12 seconds. */
const laterStartMs = Number(process.env['LATER_START_MS'] ?? 45_000);
/** The process ends itself 15 s after the signal at the latest. The rest is for a busy machine. */
const drainMs = 20_000;

let folder: TemporaryFolder;
let env: Record<string, string>;
let service: RunningRollcall;
let apiKey: string;
let directory: TestDirectory;
let userId: string;

beforeAll(async () => {
  folder = await temporaryFolder();
  env = { ROLLCALL_DATA_DIR: folder.at('data'), PORT: String(await findFreePort()) };
});
afterAll(async () => {
  await service?.kill();
  await folder?.[Symbol.asyncDispose]();
});

const start = (more: Record<string, string> = {}) => startRollcall({ folder: folder.path, env: { ...env, ...more } });
const readUser = () => directory.scim('GET', `/Users/${userId}`);
const createDirectory = ({ baseUrl }: RunningRollcall, key: string) =>
  request(`${baseUrl}/api/v1/directory-sync`, 'POST', { tenant: 'acme', product: 'app' }, { authorization: `Api-Key ${key}` });
const pidOf = (server: 'Postgres' | 'Temporal') =>
  Number(
    service
      .output()
      .match(new RegExp(`${server} (?:is ready on port \\d+|restarted): process (\\d+)`, 'g'))
      ?.at(-1)
      ?.match(/\d+$/)?.[0],
  );

/** A child process may end a moment after its parent. */
const untilGone = (tree: number[]) => until(async () => !(await Promise.all(tree.map(readProcessIdentity))).some(Boolean));

async function startupError(more: Record<string, string> = {}) {
  const rejected = spawnRollcall({ folder: folder.path, env: { ...env, LOG_LEVEL: 'warn', ...more } });
  expect(await rejected.exited).toEqual({ code: 1, signal: null });
  return rejected.output().trim();
}

it(
  'prints its address, its API key and its data folder at the first start',
  async () => {
    service = await start();
    apiKey = /API key {2}(\S+) {2}\(generated; stored in (\S+)\)/.exec(service.output())![1]!;
    expect(service.baseUrl).toBe(`http://127.0.0.1:${env['PORT']}`);
    expect(await readFile(folder.at('data', 'api-key'), 'utf8')).toBe(`${apiKey}\n`);
    expect(service.output()).toContain(`Data     ${folder.at('data')}\n`);
    expect(service.output()).toContain(`Docs     ${service.baseUrl}/docs\n`);
    expect(await readFile(folder.at('data', 'address'), 'utf8')).toMatch(new RegExp(`^${service.baseUrl}\n`));
    const created = await createDirectory(service, apiKey);
    expect(created.status).toBe(201);
    directory = toTestDirectory(service.baseUrl, created.body.data);
    userId = (await directory.scim('POST', '/Users', ada)).body.id;
    expect((await readUser()).status).toBe(200);
  },
  testTimeoutMs,
);

it('passes none of its environment to Postgres and Temporal, and keeps its data and their ports private', async () => {
  for (const server of ['Postgres', 'Temporal'] as const) {
    const environment = await readFile(`/proc/${pidOf(server)}/environ`, 'utf8');
    expect(environment).not.toContain('ROLLCALL_DATA_DIR');
    expect(environment).not.toContain('PORT=');
  }
  const open = await runCommand(['find', folder.at('data'), '-perm', '/077', '!', '-type', 'l']);
  expect(open).toEqual({ code: 0, output: '' });
  // Only loopback, and the HTTP API of Temporal rejects requests from web pages under any host name.
  const listening = await findListeningAddresses(pidOf('Temporal'));
  expect(listening.length).toBeGreaterThan(2);
  expect(listening.filter(({ host }) => host !== '127.0.0.1')).toEqual([]);
  for (const { port } of listening) {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/namespaces/default/workflows`).catch(() => undefined);
    expect([undefined, 403, 404, 405]).toContain(response?.status);
  }
});

it('lets Temporal keep histories for an hour', async () => {
  const port = /Temporal is ready on port (\d+)/.exec(service.output())![1]!;
  const connection = await Connection.connect({ address: `127.0.0.1:${port}` });
  const { config } = await connection.workflowService.describeNamespace({ namespace: 'default' });
  await connection.close();
  expect(Number(config!.workflowExecutionRetentionTtl!.seconds)).toBe(3_600);
});

it(
  'sends no webhook to the ports of its own servers',
  async () => {
    const address = `${service.baseUrl}/api/v1/directory-sync/${directory.id}`;
    const authorization = `Api-Key ${apiKey}`;
    const listening = await Promise.all([pidOf('Postgres'), pidOf('Temporal'), service.pid].map(findListeningAddresses));
    expect(listening.flat().filter(({ host }) => host !== '127.0.0.1')).toEqual([]);
    const ports = listening.flat().map(({ port }) => port);
    // Postgres, our API, and Temporal's frontend, HTTP API, metrics and other ports.
    expect(ports.length).toBeGreaterThan(4);
    for (const port of ports) {
      const webhook = { webhook: { endpoint: `http://localhost:${port}/`, secret: 'a-long-enough-secret' } };
      expect((await request(address, 'PATCH', webhook, { authorization })).status).toBe(200);
      const { body } = await request(`${address}/webhook/test`, 'POST', undefined, { authorization });
      expect([port, body.data]).toMatchObject([port, { error: expect.stringContaining('is a server of Rollcall itself') }]);
    }
    expect((await request(address, 'PATCH', { webhook: { endpoint: '', secret: '' } }, { authorization })).status).toBe(200);
  },
  testTimeoutMs,
);

it(
  'responds to the request in flight on SIGTERM, and leaves nothing running',
  async () => {
    const port = /Postgres is ready on port (\d+)/.exec(service.output())![1]!;
    const password = (await readFile(folder.at('data', 'postgres-password'), 'utf8')).trim();
    const db = openDatabase(`postgres://postgres:${password}@127.0.0.1:${port}/postgres`);
    const tree = await listProcessTree(service.pid);
    expect(tree.length).toBeGreaterThan(4);
    const holder = await db.transaction();
    await holder('directories').where({ id: directory.id }).forUpdate().first();
    const pushed = directory.scim('POST', '/Users', { userName: 'grace@example.com' });
    await until(async () => (await db.raw(`select from pg_stat_activity where wait_event_type = 'Lock'`)).rows.length === 1);

    const signalledAtMs = performance.now();
    service.signal('SIGTERM');
    await until(() =>
      fetch(`${service.baseUrl}/health/live`).then(
        () => false,
        () => true,
      ),
    );
    await holder.rollback();
    await db.destroy();
    expect((await pushed).status).toBe(201);
    expect(await service.exited).toEqual({ code: 0, signal: null });
    expect(existsSync(folder.at('data', 'address'))).toBe(false);
    expect(performance.now() - signalledAtMs).toBeLessThan(drainMs);
    await untilGone(tree);
  },
  testTimeoutMs,
);

it(
  'is ready quickly at a later start, with the same directory, user and API key',
  async () => {
    service = await start();
    console.log(`a later start was ready after ${Math.round(service.readyAfterMs)} ms`);
    expect(service.readyAfterMs).toBeLessThan(laterStartMs);
    expect(service.output()).not.toContain(apiKey);
    expect(service.output()).toContain(`API key  in ${folder.at('data', 'api-key')}`);
    expect((await readUser()).body).toMatchObject({ ...ada, id: userId });
    expect((await createDirectory(service, apiKey)).status).toBe(201);
  },
  testTimeoutMs,
);

it.each(everyRound)(
  'starts again with its data after its Node process is killed (round %i)',
  async () => {
    const tree = await listProcessTree(service.pid);
    await service.kill();
    service = await start();
    await untilGone(tree);
    expect((await readUser()).status).toBe(200);
  },
  testTimeoutMs,
);

it.each(everyRound.flatMap((round) => (['Postgres', 'Temporal'] as const).map((server) => [server, round] as const)))(
  'recovers with its data after %s is killed (round %i)',
  async (server, round) => {
    const pid = pidOf(server);
    process.kill(pid, 'SIGKILL');
    await until(() => pidOf(server) !== pid);
    const user = { userName: `after-${server}-${round}@example.com` };
    await until(async () => [201, 409].includes((await directory.scim('POST', '/Users', user)).status), { timeoutMs: 30_000 });
    expect((await readUser()).status).toBe(200);
    await until(async () => (await fetch(`${service.baseUrl}/health/ready`)).status === 200);
  },
  testTimeoutMs,
);

it(
  'runs beside an instance with another port and folder, without sharing users',
  async () => {
    await using other = await start({
      ROLLCALL_DATA_DIR: folder.at('other'),
      PORT: '0',
      WEBHOOK_ALOWED_NETWORKS: '10.1.2.0/24',
      WEBHOOK_URL: 'http://127.0.0.1:9/',
      WEBHOOK_SECRET: 'tellnobody',
    });
    expect(other.output().match(/"WEBHOOK_SECRET has 10 characters: /g)).toHaveLength(1);
    expect(other.output()).not.toContain('tellnobody');
    expect(other.output().match(/"Unknown setting WEBHOOK_ALOWED_NETWORKS\. Did you mean WEBHOOK_ALLOWED_NETWORKS\?"/g)).toHaveLength(1);
    expect(other.output()).not.toContain('10.1.2.0');
    expect(other.baseUrl).not.toBe(service.baseUrl);
    expect((await createDirectory(other, apiKey)).status).toBe(401);
    expect((await readUser()).status).toBe(200);
    const tree = await listProcessTree(other.pid);
    other.signal('SIGINT');
    other.signal('SIGINT');
    expect(await other.exited).toEqual({ code: 0, signal: null });
    expect(other.output().match(/finishing work in progress/g)).toHaveLength(1);
    await untilGone(tree);
  },
  testTimeoutMs,
);

it(
  'rejects a data folder and a port that another instance uses, with a sentence',
  async () => {
    const [sameFolder, samePort] = await Promise.all([
      startupError({ PORT: '0' }),
      startupError({ ROLLCALL_DATA_DIR: folder.at('third') }),
    ]);
    expect(sameFolder).toMatch(/process \d+.*ROLLCALL_DATA_DIR/);
    expect(samePort).toMatch(new RegExp(`^Port ${env['PORT']} `));
    expect((await readUser()).status).toBe(200);
  },
  testTimeoutMs,
);

it(
  'rejects its data if the encryption key in the folder has changed, with a sentence',
  async () => {
    await service.kill();
    await writeFile(folder.at('data', 'encryption-key'), `${Buffer.alloc(32, 7).toString('base64')}\n`);
    expect(await startupError()).toMatch(/the key with the ID \w+ to ENCRYPTION_KEYS/);
  },
  testTimeoutMs,
);
