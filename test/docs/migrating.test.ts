import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { installPolis } from '../../bench/support/install.ts';
import { packageRoot } from '../../src/paths.ts';
import { cloneDatabase, type TestDatabase } from '../support/database.ts';
import { encryptionKey, targetEnv } from '../support/import-polis.ts';
import { createPolisTables, type PolisTables } from '../support/polis-tables.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { startTestService, toTestDirectory, type TestDirectory, type TestService } from '../support/service.ts';
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { startProgram } from './child-program.ts';
import { readBlocks } from './fenced-blocks.ts';
import { startShell } from './shell.ts';

/** The page is followed step by step, from a database that the package of Polis has filled. */
const page = 'docs/start/migrate-from-polis.md';
const key = 'exactly-32-characters-are-a-key!';

interface Shown {
  directory: Parameters<typeof toTestDirectory>[1];
  users: { id: string; email: string }[];
}

let polis: PolisTables;
let target: TestDatabase;
let service: TestService;
let receiver: Receiver;
let work: TemporaryFolder;
beforeAll(async () => {
  installPolis();
  [polis, target, receiver, work] = await Promise.all([
    createPolisTables({ isEmpty: true }),
    cloneDatabase(),
    startReceiver(),
    temporaryFolder(),
  ]);
  service = await startTestService({}, { encryptionKey, openDatabase: () => Promise.resolve(target) });
});
afterAll(async () => {
  await service?.stop();
  await Promise.all([polis?.drop(), receiver?.close(), work?.[Symbol.asyncDispose]()]);
});

async function fill(): Promise<Shown[]> {
  const { PATH = '' } = process.env;
  const { stdout } = await promisify(execFile)(process.execPath, [join(packageRoot, 'bench/polis/fill-database.mjs')], {
    env: { PATH, DATABASE_URL: polis.url, WEBHOOK_URL: receiver.url, DB_ENCRYPTION_KEY: key },
    maxBuffer: 16_777_216,
  });
  return JSON.parse(stdout) as Shown[];
}

const rowsOfPolis = () => polis.db('jackson_store').orderBy('key').select('*');
const signatures = ['boxyhq-signature', 'ory-polis-signature'];

it('the page works step by step: try, follow, cut over, and the way back', async () => {
  const shown = await fill();
  const env = { ...targetEnv(target.url), DB_URL: polis.url, DB_ENCRYPTION_KEY: key };
  const [dryRun, watch, overHttp, ...others] = readBlocks(page)
    .filter(({ language }) => language === 'sh')
    .map(({ text }) => text.replaceAll('rollcall import', `${process.execPath} ${join(packageRoot, 'dist/src/main.js')} import`));
  expect(others).toEqual([]);
  // `test/import/over-http.test.ts` covers it.
  expect(overHttp).toContain('https://polis.example');

  // Nothing is written.
  await using shell = startShell({ cwd: work.path, env });
  const tried = await shell.run(dryRun!);
  expect(tried).toMatchObject({ failures: 0, output: expect.stringContaining('Would import 3 directories, 4 users, 2 groups') });
  expect(await target.db('all_directories')).toEqual([]);

  // Every change of the running Polis arrives.
  const [{ directory, users }] = shown as [Shown];
  const watching = startProgram('bash', ['-c', watch!.replace(/^/, 'exec ')], {
    cwd: work.path,
    env: { ...env, POLIS_ENCRYPTION_KEY: key },
  });
  try {
    await until(() => watching.output().includes('Following Polis'), { timeoutMs: 60_000 });
    const added = await polis.addUser(
      { tenant: 'pushed', product: 'crm', ...directory },
      { raw: { userName: 'meanwhile@example.com' } },
      { modifiedAt: new Date().toISOString() },
    );
    await until(async () => (await target.db('users').where({ id: added.id })).length === 1, { timeoutMs: 60_000 });
    const before = await rowsOfPolis();

    // Polis has stopped.
    watching.child.kill('SIGINT');
    await until(() => !watching.isRunning(), { timeoutMs: 60_000 });
    expect(watching.output()).toMatch(/Imported 3 directories, 5 users[^]*0 directories failed/);
    expect(watching.output()).toMatch(/ same$/m);
    expect(watching.output()).not.toMatch(/DIFFERENT/);

    // The provider and the application notice nothing.
    receiver.received.length = 0;
    const provider: TestDirectory = toTestDirectory(service.baseUrl, directory);
    const { status } = await provider.scim('PATCH', `/Users/${users[0]!.id}`, {
      Operations: [{ op: 'replace', path: 'title', value: 'Dr' }],
    });
    expect(status).toBe(200);
    await until(() => receiver.received.length === 1);
    const [{ event, headers }] = receiver.received as [Receiver['received'][number]];
    expect(event).toMatchObject({ event: 'user.updated', directory_id: directory.id, data: { id: users[0]!.id, email: users[0]!.email } });
    for (const name of signatures) expect(headers[name]).toMatch(/^t=\d+,s=[0-9a-f]{64}$/);

    // The way back: Polis has what it had.
    expect(await rowsOfPolis()).toEqual(before);
  } finally {
    await watching[Symbol.asyncDispose]();
  }
}, 240_000);
