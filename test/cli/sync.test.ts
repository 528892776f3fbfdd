import { beforeEach, expect, it } from '@jest/globals';
import type { FakeGoogle } from '../support/google/fake-google.ts';
import { apiError } from '../support/google/google-errors.ts';
import { useGoogleService } from '../support/google-service.ts';
import { createPulledDirectory } from '../support/pulled-directories.ts';
import type { TestService } from '../support/service.ts';
import { at, callRollcall, runRollcall } from './run-rollcall.ts';

const testTimeoutMs = 180_000;

let google: FakeGoogle;
let service: TestService;
useGoogleService((started) => ({ google, service } = started));
beforeEach(() => google.preset({}));

const rollcall = (...args: string[]) => callRollcall(args, at(service));

it(
  'syncs a directory, and shows its progress and the changes',
  async () => {
    for (let count = 0; count < 3; count += 1) google.addUser();
    const directory = await createPulledDirectory(service, google);
    const { code, stdout, stderr } = await runRollcall(['sync', directory.id], at(service));
    expect(code).toBe(0);
    expect(stdout).toMatch(/^State +succeeded$/m);
    expect(stdout).toMatch(/^Users +3 created, 0 updated, 0 deleted$/m);
    expect(stderr).toMatch(/^(Queued|Reading users: \d+|Comparing|Finishing|Applying .*|Reading .*)\n/);
    expect((await rollcall('syncs', 'list', directory.id, '--wide')).stdout).toMatch(/request +succeeded/);
  },
  testTimeoutMs,
);

it(
  'exits with 7 if removals need confirmation, and prints the command that confirms them',
  async () => {
    for (let count = 0; count < 20; count += 1) google.addUser();
    const directory = await createPulledDirectory(service, google);
    expect((await rollcall('sync', directory.id)).code).toBe(0);
    for (const id of [...google.users.keys()].slice(0, 15)) google.removeUser(id);
    const pending = await rollcall('sync', directory.id);
    expect(pending.code).toBe(7);
    expect(pending.stdout).toMatch(/15 of 20 users/);
    const [, command] = /To apply these removals: rollcall (.+)\nTo refuse them: rollcall syncs cancel /.exec(pending.stderr)!;
    const confirmed = await rollcall(...command!.split(' '));
    expect(confirmed.code).toBe(0);
    expect(confirmed.stdout).toMatch(/^Users +0 created, 0 updated, 15 deleted$/m);
  },
  testTimeoutMs,
);

it(
  'exits with 1 if the sync fails',
  async () => {
    google.addUser();
    const directory = await createPulledDirectory(service, google);
    google.failNext('users', apiError(403, 'forbidden', 'Not Authorized to access this resource/api'), 10);
    const { code, stdout } = await rollcall('sync', directory.id, '--json');
    expect([code, (JSON.parse(stdout) as { state: string }).state]).toEqual([1, 'failed']);
  },
  testTimeoutMs,
);

it('rejects a pushed directory with one sentence', async () => {
  const pushed = await service.createDirectory();
  expect(await rollcall('sync', pushed.id)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^[^\n]+generic-scim-v2[^\n]+\n$/),
  });
});
