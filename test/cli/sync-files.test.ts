import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createCsvDirectory } from '../support/csv-directory.ts';
import { shareTestService, type TestService } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { at, callRollcall } from './run-rollcall.ts';

let service: TestService;
beforeAll(async () => {
  service = await shareTestService();
});
afterAll(() => service.stop());

const rollcall = (...args: string[]) => callRollcall(args, at(service));

async function write(folder: string, users: string): Promise<string> {
  const path = join(folder, 'users.csv');
  await writeFile(path, users);
  return path;
}

it('uploads files, and shows what the sync has changed, or would change', async () => {
  await using folder = await temporaryFolder();
  const directory = await createCsvDirectory(service);
  const users = await write(folder.path, 'idp_id,email\n1,ada@acme.example\n2,ben@acme.example\n');
  const tried = await rollcall('sync', 'files', directory.id, users, '--dry-run');
  expect([tried.code, tried.stdout]).toEqual([0, expect.stringMatching(/^Would change users +2 created/m)]);
  expect(await directory.newEvents()).toEqual([]);
  const synced = await rollcall('sync', 'files', directory.id, users);
  expect([synced.code, synced.stdout]).toEqual([0, expect.stringMatching(/^Users +2 created, 0 updated, 0 deleted$/m)]);
  expect(synced.stderr).toContain('Uploading the files 1 of 1 kB (100%)\n');
  expect(synced.stdout).toMatch(/^Uploaded 2 users, 0 groups and 0 memberships/);
  const one = await write(folder.path, 'idp_id,email\n1,ada@acme.example\n');
  expect((await rollcall('sync', 'files', directory.id, one)).stdout).toMatch(/^Uploaded 1 user,/m);
});

it('names the line and column of a problem, and fails', async () => {
  await using folder = await temporaryFolder();
  const directory = await createCsvDirectory(service);
  const { code, stderr, stdout } = await rollcall('sync', 'files', directory.id, await write(folder.path, 'idp_id,email\n1,nobody\n'));
  expect([code === 0, `${stdout}${stderr}`]).toEqual([false, expect.stringContaining('users.csv:2:2 ')]);
});

it.each([[['people.csv']], [['users.csv', 'users.csv']], [['groups.csv']]])('rejects the files %j', async (files) => {
  const directory = await createCsvDirectory(service);
  expect((await rollcall('sync', 'files', directory.id, ...files)).code).toBe(2);
});

it('creates, lists and revokes upload tokens', async () => {
  const directory = await createCsvDirectory(service);
  const created = await rollcall('upload-tokens', 'create', directory.id, '--name', 'HR');
  expect([created.code, created.stdout]).toEqual([0, expect.stringMatching(/^Token +rcu_/m)]);
  const id = /^ID +(\S+)/m.exec(created.stdout)![1]!;
  expect((await rollcall('upload-tokens', 'list', directory.id)).stdout).toMatch(/HR +never +until /);
  expect((await rollcall('upload-tokens', 'revoke', directory.id, id)).code).toBe(0);
  expect((await rollcall('upload-tokens', 'list', directory.id)).stdout).toMatch(/revoked/);
});
