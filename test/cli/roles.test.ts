import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { push } from '../support/inactive-users.ts';
import { rolesOf } from '../support/roles.ts';
import { ada, shareTestService, type TestDirectory, type TestService } from '../support/service.ts';
import { at, callRollcall } from './run-rollcall.ts';

let service: TestService;
let directory: TestDirectory;
let folder: string;
let user: string;
beforeAll(async () => {
  service = await shareTestService();
  directory = await service.createDirectory();
  user = await push(directory, '/Users', ada);
  await push(directory, '/Groups', { displayName: 'Admins', members: [{ value: user }] });
  folder = await mkdtemp(join(tmpdir(), 'rollcall-roles-'));
});
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true });
});

const rollcall = (...args: string[]) => callRollcall(['roles', ...args], at(service));
async function write(content: unknown): Promise<string> {
  const file = join(folder, 'file.json');
  await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

it('previews a table, replaces it, shows it and removes it', async () => {
  expect((await rollcall('show', directory.id)).stdout).toContain('no role table');
  const rows = [
    { group_name: 'admins', role: 'admin' },
    { group_name: 'Later', role: 'editor' },
  ];
  const byPriority = rows.map((row, index) => ({ ...row, priority: 9 - index }));
  expect((await rollcall('preview', directory.id, '--file', await write({ groups: byPriority }))).stdout).toContain(
    'Groups that do not exist: Later\n',
  );
  const file = await write({ groups: rows, default_role: 'guest' });
  const preview = await rollcall('preview', directory.id, '--file', file, '--limit', '1');
  expect([preview.code, preview.stdout]).toEqual([0, expect.stringContaining(`${user} admin`)]);
  expect(preview.stdout).toContain('Groups that do not exist: Later\n');
  const set = await rollcall('set', directory.id, '--file', file);
  expect([set.code, set.stdout]).toEqual([0, expect.stringMatching(/^ +1 +admins +admin +yes\n +2 +Later +editor +no$/m)]);
  expect(set.stdout).toMatch(/^Default role +guest$/m);
  expect(await rolesOf(service, directory.id, user)).toEqual(['admin', ['admin']]);
  expect((await rollcall('show', directory.id)).stdout).toBe(set.stdout);
  const shown = JSON.parse((await rollcall('show', directory.id, '--json')).stdout);
  expect(shown.recompute).toMatchObject({ state: 'done', done: 1, total: 1 });
  const removal = await rollcall('preview', directory.id, '--delete');
  expect([removal.code, removal.stdout]).toEqual([0, `Looked at 1 of 1 user: 1 would get a user.updated.\n${user} no role\n`]);
  expect((await rollcall('show', directory.id)).stdout).toBe(set.stdout);
  const removed = await rollcall('delete', directory.id);
  expect([removed.code, removed.stdout]).toEqual([0, expect.stringContaining('no role table')]);
  expect(await rolesOf(service, directory.id, user)).toEqual([undefined, undefined]);
});

it('shows the pushed roles that users would have without a table, also those that are objects', async () => {
  const other = await service.createDirectory();
  const id = await push(other, '/Users', { ...ada, roles: [{ value: 'editor', primary: true }] });
  expect((await rollcall('preview', other.id, '--delete')).stdout).toBe(
    `Looked at 1 of 1 user: 0 would get a user.updated.\n${id} editor\n`,
  );
  const both = await rollcall('preview', other.id, '--delete', '--file', await write({}));
  expect([both.code, both.stderr]).toEqual([2, expect.stringContaining('--delete')]);
});

it('needs a file that can be read, with a table that is valid', async () => {
  expect((await rollcall('set', directory.id)).code).toBe(2);
  const missing = await rollcall('set', directory.id, '--file', join(folder, 'missing.json'));
  expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('Example: --file roles.json')]);
  const invalid = await rollcall('set', directory.id, '--file', await write({ groups: [] }));
  expect([invalid.code, invalid.stderr]).toEqual([1, expect.stringContaining('groups must not be empty')]);
});
