import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ada, request, startTestService, type TestDirectory, type TestService } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const perMinute = 6;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let service: TestService;
let directory: TestDirectory;
beforeAll(async () => {
  folder = await temporaryFolder();
  const rules = join(folder.path, 'rules.yaml');
  const strangers = {
    name: 'strangers',
    by: 'address',
    authenticated: false,
    limit: { rps: perMinute, rpm: perMinute },
    action: 'enforce',
  };
  await writeFile(rules, JSON.stringify({ volumetric: [strangers] }));
  service = await startTestService(
    {
      LIMITS_PLAN: 'production',
      LIMITS_RULES_FILE: rules,
      TRUSTED_PROXIES: '127.0.0.0/8',
      AUTH_FAILURES_PER_SOURCE: '1',
      CHANGES_PER_HOUR_PER_DIRECTORY: '1',
    },
    { deliver: false },
  );
  directory = await service.createDirectory();
});
afterAll(async () => {
  await service.stop();
  await folder[Symbol.asyncDispose]();
});

const post = (address: string, secret: string) =>
  request(
    `${service.baseUrl}/api/scim/v2.0/${directory.id}/Users`,
    'POST',
    { ...ada, userName: `${address}@acme.example` },
    {
      'x-forwarded-for': address,
      authorization: `Bearer ${secret}`,
    },
  );
const byVolume = expect.stringContaining('the rule strangers');

it('counts failed authentications for their source, also those beyond their own limit, and then rejects unknown credentials, valid ones too', async () => {
  const address = '198.51.100.1';
  const guesses = [];
  for (let sent = 0; sent <= perMinute; sent += 1) guesses.push(await post(address, 'guess'));
  expect(guesses.map(({ status, body }) => [status, body.detail])).toEqual([
    [401, expect.anything()],
    ...Array.from({ length: perMinute - 1 }, () => [429, expect.stringContaining('AUTH_FAILURES_PER_SOURCE')]),
    [429, byVolume],
  ]);
  const { status, body } = await post(address, directory.secret);
  expect([status, body.detail]).toEqual([429, byVolume]);
  // Accepted from elsewhere, they are known.
  expect((await post('198.51.100.2', directory.secret)).status).toBe(201);
  expect((await post(address, directory.secret)).body.detail).not.toEqual(byVolume);
});

it('counts a change that the hourly limit of its directory rejects', async () => {
  directory = await service.createDirectory();
  /** Of the project, in this minute. Reading it counts. */
  const remaining = async () => Number(/"sustained";r=(\d+)/.exec((await directory.scim('GET', '/Users')).headers.get('ratelimit')!)![1]);
  expect((await post('198.51.100.3', directory.secret)).status).toBe(201);
  const before = await remaining();
  const { status, body } = await post('198.51.100.4', directory.secret);
  expect([status, body.detail]).toEqual([429, expect.stringContaining('CHANGES_PER_HOUR_PER_DIRECTORY')]);
  expect(await remaining()).toBe(before - 2);
});
