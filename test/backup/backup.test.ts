import { existsSync } from 'node:fs';
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { findFreePort } from '../../src/embedded/free-port.ts';
import { runRollcall } from '../cli/run-rollcall.ts';
import { startRollcall, type RunningRollcall } from '../support/process.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { retryEvery } from '../support/retry-schedules.ts';
import { ada, request, toTestDirectory, type TestDirectory } from '../support/service.ts';
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { startWriters } from '../support/writers.ts';

const testTimeoutMs = 300_000;
const apiKey = 'a-key-for-tests-with-enough-characters';
/** Maintenance runs every minute. Work that starts sooner does not depend on it. */
const soonMs = 30_000;

let folder: TemporaryFolder;
let receiver: Receiver;
let env: Record<string, string>;
beforeAll(async () => {
  [folder, receiver] = await Promise.all([temporaryFolder(), startReceiver()]);
  env = {
    PORT: String(await findFreePort()),
    API_KEYS: apiKey,
    WEBHOOK_RETRY_SCHEDULE: retryEvery(600),
    WEBHOOK_TIMEOUT_MS: '2000',
  };
});
afterAll(async () => {
  await receiver?.close();
  await folder?.[Symbol.asyncDispose]();
});

const place = (data: string, more: Record<string, string> = {}) => ({
  folder: folder.path,
  env: { ...env, ROLLCALL_DATA_DIR: folder.at(data), ...more },
});
const start = (data: string, more: Record<string, string> = {}) => startRollcall(place(data, more));
const api = ({ baseUrl }: RunningRollcall, method: string, path: string, body?: unknown) =>
  request(`${baseUrl}${path}`, method, body, { authorization: `Api-Key ${apiKey}` });

async function createDirectory(service: RunningRollcall, fields: Record<string, unknown> = {}): Promise<TestDirectory> {
  const { body } = await api(service, 'POST', '/api/v1/directory-sync', { tenant: 'acme', product: 'app', ...fields });
  return toTestDirectory(service.baseUrl, body.data);
}

const userNames = async (directory: TestDirectory) => {
  const names: string[] = [];
  for (let startIndex = 1; ; startIndex += 200) {
    const { body } = await directory.scim('GET', `/Users?startIndex=${startIndex}&count=200`);
    names.push(...body.Resources.map(({ userName }: { userName: string }) => userName));
    if (names.length >= body.totalResults) return names;
  }
};

it(
  'restores everything that was acknowledged before a backup, taken while writers run, and delivers pending webhooks',
  async () => {
    receiver.respond = (response) => void response.writeHead(500).end();
    await using service = await start('first');
    const directory = await createDirectory(service, { webhook_url: receiver.url, webhook_secret: 'a-long-enough-secret' });
    expect((await directory.scim('POST', '/Users', ada)).status).toBe(201);
    await until(() => receiver.received.length === 1);
    const [failed] = receiver.received;

    const others = await Promise.all([1, 2].map((number) => createDirectory(service, { tenant: `writers-${number}` })));
    const writers = startWriters(others);
    await until(() => writers.acknowledged.length > 20);
    const before = [...writers.acknowledged];
    const backup = await runRollcall(['backup', folder.at('rollcall.backup'), '--with-keys', '--json'], place('first'));
    expect([backup.code, backup.stderr]).toEqual([0, expect.stringContaining('Protect it like a password')]);
    await writers.stop();
    expect(writers.wrong).toEqual([]);
    expect(JSON.parse(backup.stdout)).toMatchObject({ keys: 'included' });
    expect((await stat(folder.at('rollcall.backup'))).mode & 0o777).toBe(0o600);
    expect((await readdir(folder.path)).filter((name) => name.includes('partial'))).toEqual([]);
    await service.kill();

    const restored = await runRollcall(['restore', folder.at('rollcall.backup')], place('second'));
    expect([restored.code, restored.stderr]).toEqual([0, expect.stringMatching(/\(100%\)\n.*You can start the service/s)]);
    expect(await readFile(folder.at('second', 'encryption-key'), 'utf8')).toBe(
      await readFile(folder.at('first', 'encryption-key'), 'utf8'),
    );
    receiver.received.length = 0;
    receiver.respond = (response) => void response.end();
    await using again = await start('second');
    await until(() => receiver.received.length > 0, { timeoutMs: soonMs });
    expect(receiver.received[0]!.headers['webhook-id']).toBe(failed!.headers['webhook-id']);
    expect(receiver.received[0]!.text).toBe(failed!.text);
    expect((await userNames(directory)).sort()).toEqual([ada.userName]);
    for (const other of others) {
      const names = await userNames(other);
      const missing = before.filter(({ directoryId, userName }) => directoryId === other.id && !names.includes(userName));
      expect(missing).toEqual([]);
    }
    expect((await directory.scim('POST', '/Users', { userName: 'grace@example.com' })).status).toBe(201);
    await until(() => receiver.received.length === 2);
    expect(receiver.received[1]!.event.sequence).toBe(2);
    const { body } = await api(again, 'GET', '/api/v1/audit-log?action=database.restored,database.backed_up,directory.created&order=asc');
    expect(body.data.map(({ action }: { action: string }) => action)).toEqual([
      'directory.created',
      'directory.created',
      'directory.created',
      'database.backed_up',
      'database.restored',
    ]);
    const verified = await runRollcall(['audit', 'verify'], place('second', { ROLLCALL_URL: again.baseUrl, ROLLCALL_API_KEY: apiKey }));
    expect([verified.code, verified.stdout]).toEqual([0, expect.stringContaining('entries fit')]);
    await again.kill();
  },
  testTimeoutMs,
);

it(
  'backs up a stopped service, and names the place of the keys that the backup does not include',
  async () => {
    const backup = await runRollcall(['backup', folder.at('without.backup')], place('second'));
    expect([backup.code, backup.stderr]).toEqual([
      0,
      expect.stringContaining(`without the encryption keys in ${folder.at('second', 'encryption-key')}`),
    ]);
    const restored = await runRollcall(['restore', folder.at('without.backup')], place('third', { API_KEYS: '' }));
    expect([restored.code, restored.stderr]).toEqual([
      0,
      expect.stringContaining(`put them into ${folder.at('third', 'encryption-key')} or ENCRYPTION_KEYS`),
    ]);
    expect(restored.stderr).toContain(
      `put the old one into ${folder.at('third', 'api-key')}, or create a new one: openssl rand -hex 32 > `,
    );
    expect(existsSync(folder.at('third', 'encryption-key'))).toBe(false);
    await writeFile(folder.at('third', 'encryption-key'), await readFile(folder.at('second', 'encryption-key')));
    await using service = await start('third');
    expect((await api(service, 'GET', '/api/v1/directory-sync?tenant=acme&product=app')).body.data[0].webhook.secret).toBe(
      'a-long-enough-secret',
    );
    await service.kill();
  },
  testTimeoutMs,
);

it('replaces a backup that has keys with one that has none only with --without-keys', async () => {
  const file = folder.at('replaced.backup');
  const backUp = (...args: string[]) => runRollcall(['backup', file, '--json', ...args], place('second'));
  expect(await backUp('--with-keys')).toMatchObject({ code: 0 });
  const before = await readFile(file);
  expect(await backUp()).toMatchObject({ code: 7, stderr: expect.stringContaining('--without-keys'), stdout: '' });
  expect(await readFile(file)).toEqual(before);
  expect(await backUp('--with-keys')).toMatchObject({ code: 0 });
  for (const args of [['--without-keys'], []]) {
    const { code, stdout } = await backUp(...args);
    expect([code, JSON.parse(stdout).keys]).toEqual([0, 'not_included']);
  }
}, 120_000);

it('rejects a folder that is not empty, and a database that it does not run itself', async () => {
  const nonEmpty = await runRollcall(['restore', folder.at('rollcall.backup')], place('second'));
  expect([nonEmpty.code, nonEmpty.stderr]).toEqual([1, expect.stringContaining('is not empty (it contains postgres)')]);
  expect(nonEmpty.stderr).not.toContain('restored:');
  for (const [command, tool] of [
    ['backup', 'pg_dump'],
    ['restore', 'pg_restore'],
  ] as const) {
    const rejected = await runRollcall([command, folder.at('rollcall.backup')], place('x', { DATABASE_URL: 'postgres://u:p@127.0.0.1/x' }));
    expect([rejected.code, rejected.stderr]).toEqual([1, expect.stringContaining(`Use \`${tool}\``)]);
  }
});

it('includes no keys that do not open the stored values', async () => {
  const backUp = (name: string, more: Record<string, string> = {}) =>
    runRollcall(['backup', folder.at(name), '--with-keys'], place('first', more));
  const others = await backUp('of-others', { ENCRYPTION_KEYS: Buffer.alloc(32, 7).toString('base64') });
  expect([others.code, others.stderr]).toEqual([1, expect.stringContaining('ENCRYPTION_KEYS')]);
  const keyFile = folder.at('first/encryption-key');
  const key = await readFile(keyFile);
  await writeFile(keyFile, 'garbage');
  const damaged = await backUp('of-a-damaged-key');
  expect([damaged.code, damaged.stderr]).toEqual([1, expect.stringContaining(keyFile)]);
  await rm(keyFile);
  expect(await backUp('without-a-key')).toMatchObject({ code: 1, stderr: expect.stringContaining(keyFile) });
  await writeFile(keyFile, key);
  expect(['of-others', 'of-a-damaged-key', 'without-a-key'].filter((name) => existsSync(folder.at(name)))).toEqual([]);
}, 120_000);

it(
  'rejects a damaged, truncated or foreign file, and writes nothing',
  async () => {
    const whole = await readFile(folder.at('rollcall.backup'));
    const damaged = Buffer.from(whole);
    damaged[Math.floor(whole.length / 2)]! ^= 1;
    const cases: [name: string, content: Buffer, sentence: string][] = [
      ['damaged', damaged, 'is damaged'],
      ['truncated', whole.subarray(0, -100), 'is truncated'],
      ['only-head', whole.subarray(0, 40), 'is damaged'],
      ['foreign', Buffer.from('PGDMP and more'), 'is not a Rollcall backup'],
      ['newer', Buffer.from(whole.toString('latin1').replace('rollcall-backup 1 ', 'rollcall-backup 9 '), 'latin1'), 'format 9'],
    ];
    for (const [name, content, sentence] of cases) {
      await writeFile(folder.at(name), content);
      const rejected = await runRollcall(['restore', folder.at(name)], place('untouched'));
      expect([name, rejected.code, rejected.stderr]).toEqual([name, 1, expect.stringContaining(sentence)]);
    }
    expect(existsSync(folder.at('untouched'))).toBe(false);
    const overwriting = await runRollcall(['backup', folder.at('foreign')], place('second'));
    expect([overwriting.code, overwriting.stderr]).toEqual([1, expect.stringContaining('choose another name')]);
  },
  testTimeoutMs,
);
