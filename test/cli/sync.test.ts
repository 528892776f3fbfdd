import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { startFakeGoogle, type FakeGoogle } from '../support/google/fake-google.ts';
import { apiError } from '../support/google/google-errors.ts';
import { createHosted, googleEnv } from '../support/hosted.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { at, runRollcall } from './run-rollcall.ts';

const testTimeoutMs = 180_000;

let google: FakeGoogle;
let service: TestService;
beforeAll(async () => {
  google = await startFakeGoogle();
  service = await startTestService(googleEnv(google));
});
afterAll(async () => {
  await service?.stop();
  await google?.stop();
});
beforeEach(() => google.preset({}));

const rollcall = (...args: string[]) => runRollcall(args, at(service));

it(
  'reads a directory, shows what it does and what changed',
  async () => {
    for (let count = 0; count < 3; count += 1) google.addUser();
    const directory = await createHosted(service, google);
    const { code, stdout, stderr } = await rollcall('sync', directory.id);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^State +succeeded$/m);
    expect(stdout).toMatch(/^Users +3 created, 0 updated, 0 deleted$/m);
    expect(stderr).toMatch(/^(Waiting to be read|Reading users: \d+|Comparing|Ending|Applying .*|Reading .*)\n/);
    expect((await rollcall('syncs', 'list', directory.id)).stdout).toMatch(/request +succeeded/);
  },
  testTimeoutMs,
);

it(
  'ends with 7 where removals want a confirmation, and says the very command that gives it',
  async () => {
    for (let count = 0; count < 20; count += 1) google.addUser();
    const directory = await createHosted(service, google);
    expect((await rollcall('sync', directory.id)).code).toBe(0);
    for (const id of [...google.users.keys()].slice(0, 15)) google.removeUser(id);
    const asked = await rollcall('sync', directory.id);
    expect(asked.code).toBe(7);
    expect(asked.stdout).toMatch(/would remove 15 of 20 users/);
    const [, command] = /If these removals are right, say so: rollcall (.+)\n$/.exec(asked.stderr)!;
    const confirmed = await rollcall(...command!.split(' '));
    expect(confirmed.code).toBe(0);
    expect(confirmed.stdout).toMatch(/^Users +0 created, 0 updated, 15 deleted$/m);
  },
  testTimeoutMs,
);

it(
  'ends with 1 where a reading fails',
  async () => {
    google.addUser();
    const directory = await createHosted(service, google);
    google.failNext('users', apiError(403, 'forbidden', 'Not Authorized to access this resource/api'), 10);
    const { code, stdout } = await rollcall('sync', directory.id, '--json');
    expect([code, (JSON.parse(stdout) as { state: string }).state]).toEqual([1, 'failed']);
  },
  testTimeoutMs,
);

it('tells that a pushed directory is not read, and what is wrong with a run', async () => {
  const pushed = await service.createDirectory();
  expect(await rollcall('sync', pushed.id)).toMatchObject({
    code: 1,
    stderr: 'This directory is of type generic-scim-v2: only one of type google can be synced.\n',
  });
});
