import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { person } from '../support/personal-data.ts';
import { shareTestService, type TestDirectory, type TestService } from '../support/service.ts';
import { at, callRollcall } from './run-rollcall.ts';

let service: TestService;
let directory: TestDirectory;
beforeAll(async () => {
  service = await shareTestService();
  directory = await service.createDirectory();
});
afterAll(() => service.stop());

const rollcall = (...args: string[]) => callRollcall(args, at(service));

it('exports a user as JSON Lines, asks before an erasure, and erases', async () => {
  const { body: user } = await directory.scim('POST', '/Users', person());
  const exported = await rollcall('users', 'export', directory.id, user.id);
  const lines = exported.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { kind: string });
  expect([exported.code, exported.stderr]).toEqual([0, '']);
  expect(lines.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['user', 'event']));

  const asked = await rollcall('users', 'erase', directory.id, user.id);
  expect([asked.code, asked.stdout]).toEqual([7, '']);
  expect((await directory.scim('GET', `/Users/${user.id}`)).status).toBe(200);

  const erased = await rollcall('users', 'erase', directory.id, user.id, '--yes');
  expect([erased.code, erased.stdout]).toEqual([0, expect.stringMatching(/^Users +1$/m)]);
  expect(erased.stdout).toMatch(/^Events +2$/m);
  expect((await directory.scim('GET', `/Users/${user.id}`)).status).toBe(404);
  expect((await rollcall('users', 'export', directory.id, user.id)).stdout).not.toMatch(/quillwort/i);

  const again = await rollcall('users', 'erase', directory.id, user.id, '--yes', '--no-wait', '--json');
  expect(JSON.parse(again.stdout)).toMatchObject({ user_id: user.id, status: 'done' });
});

it('requires a directory and a user', async () => {
  for (const args of [['export'], ['erase', directory.id], ['erase', directory.id, 'ada']])
    expect((await rollcall('users', ...args)).code).toBe(2);
});
