import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { runRollcall } from '../cli/run-rollcall.ts';
import { spawnRollcall, startRollcall } from '../support/process.ts';
import { ada, request, toTestDirectory } from '../support/service.ts';
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';
import { findRunningPostgres } from '../../src/embedded/running-servers.ts';
import { openDatabase } from '../../src/store/database.ts';

let folder: TemporaryFolder;
beforeAll(async () => {
  folder = await temporaryFolder();
});
afterAll(async () => {
  await folder?.[Symbol.asyncDispose]();
});

it('the key of the data folder is rotated by adding a line to its file', async () => {
  const env = { ROLLCALL_DATA_DIR: folder.at('data'), PORT: '0', API_KEYS: 'a-key-for-tests-with-enough-characters' };
  const place = { folder: folder.path, env };
  const keyFile = folder.at('data', 'encryption-key');
  const create = (baseUrl: string) =>
    request(`${baseUrl}/api/v1/directory-sync`, 'POST', { tenant: 'acme', product: 'app' }, { authorization: `Api-Key ${env.API_KEYS}` });
  await using first = await startRollcall(place);
  const directory = toTestDirectory(first.baseUrl, (await create(first.baseUrl)).body.data);
  first.signal('SIGTERM');
  await first.exited;
  const oldKey = (await readFile(keyFile, 'utf8')).trim();
  const newKey = randomBytes(32).toString('base64');
  const stopped = await runRollcall(['keys', 'rewrap'], place);
  expect([stopped.code, stopped.stderr]).toEqual([5, expect.stringContaining('Start it')]);

  await writeFile(keyFile, `${newKey}\n${oldKey}\n`);
  await using second = await startRollcall(place);
  const waiting = await runRollcall(['keys', 'rewrap'], place);
  expect([waiting.code, waiting.stderr]).toEqual([6, expect.stringContaining('valid for an hour')]);
  const db = openDatabase((await findRunningPostgres(env.ROLLCALL_DATA_DIR))!.url, { poolSize: 1 });
  await db.raw(`update encryption_key_users set seen_at = seen_at - interval '1 hour' where seen_at < now() - interval '90 seconds'`);
  await db.destroy();
  const rewrapped = await runRollcall(['keys', 'rewrap'], place);
  expect([rewrapped.code, rewrapped.stderr]).toEqual([0, expect.stringContaining(keyFile)]);
  second.signal('SIGTERM');
  await second.exited;

  await writeFile(keyFile, `${newKey}\n`);
  await using third = await startRollcall(place);
  const moved = toTestDirectory(third.baseUrl, { id: directory.id, scim: { secret: directory.secret }, webhook: { secret: '' } });
  expect((await moved.scim('POST', '/Users', ada)).status).toBe(201);
  await third.kill();

  await writeFile(keyFile, 'not a key\n');
  const rejected = spawnRollcall(place);
  expect((await rejected.exited).code).toBe(1);
  expect(rejected.output()).toContain(`${keyFile} is damaged`);
}, 300_000);
