import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ada, apiKey, request, type ServiceResponse, startTestService, type TestDirectory, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';
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
  const everybody = { name: 'everybody', by: 'address', authenticated: true, limit: { rps: perMinute, rpm: perMinute }, action: 'enforce' };
  await writeFile(rules, JSON.stringify({ volumetric: [strangers, everybody] }));
  service = await startTestService(
    {
      LIMITS_PLAN: 'enterprise',
      LIMITS_RULES_FILE: rules,
      TRUSTED_PROXIES: '127.0.0.0/8',
      AUTH_FAILURES_PER_SOURCE: '1',
      CHANGES_PER_HOUR_PER_DIRECTORY: '3',
      INTAKE_WAITING_PER_DIRECTORY: '1',
      SEARCHES_WAITING_PER_DIRECTORY: '1',
      EVENT_WAITS_PER_DIRECTORY: '1',
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
const byVolume = expect.stringMatching(/the rule (strangers|everybody)/);

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

it('counts guesses on pages without authentication, also those that are refused', async () => {
  const seen: [status: number, left: number][] = [];
  while (seen.length < 4) {
    const { status, headers } = await fetch(`${service.baseUrl}/api/scim/oauth/authorize?directory_id=${randomUUID()}`, {
      headers: { 'x-forwarded-for': '198.51.100.3' },
    });
    seen.push([status, Number(/"sustained";r=(\d+)/.exec(headers.get('ratelimit')!)![1])]);
  }
  expect(seen.map(([status]) => status)).toEqual([404, 429, 429, 429]);
  expect(seen.map(([, left]) => seen[0]![1] - left)).toEqual([0, 1, 2, 3]);
});

const refused = perMinute + 2;
const allBy = (setting: string) => Array.from({ length: refused }, () => [429, expect.stringContaining(setting)]);
const auth = () => ({ authorization: `Bearer ${directory.secret}` });

/** Sends more requests than the volumetric rule allows, all from one address. */
async function sendRefused(
  address: string,
  send: (headers: Record<string, string>) => Promise<ServiceResponse>,
  read = () => directory.scim('GET', '/Users'),
): Promise<unknown[]> {
  /** Of the project, in this minute. Reading it counts. */
  const remaining = async () => Number(/"sustained";r=(\d+)/.exec((await read()).headers.get('ratelimit')!)![1]);
  const before = await remaining();
  const responses: unknown[] = [];
  while (responses.length < refused) {
    const { status, body } = await send({ 'x-forwarded-for': address, ...auth() });
    responses.push([status, body.detail ?? body.error.message]);
  }
  // More, if earlier requests have left the window.
  expect(await remaining()).toBeGreaterThanOrEqual(before - 1);
  return responses;
}

describe('a request counts neither for its source nor for its project when it is refused by', () => {
  it('the hourly changes of its directory', async () => {
    directory = await service.createDirectory();
    for (let sent = 0; sent < 3; sent += 1) expect((await post(`198.51.100.${10 + sent}`, directory.secret)).status).toBe(201);
    const responses = await sendRefused('198.51.100.20', () => post('198.51.100.20', directory.secret));
    expect(responses).toEqual(allBy('CHANGES_PER_HOUR_PER_DIRECTORY'));
  });

  it('the queued changes of its directory', async () => {
    directory = await service.createDirectory();
    const lock = await service.db.transaction();
    await lock.raw('select from all_directories where id = ? for update', [directory.id]);
    const inFlight = post('198.51.100.31', directory.secret);
    await until(async () => {
      const { rows } = await service.db.raw(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and application_name = 'rollcall'`,
      );
      return rows.length > 0;
    });
    const waiting = [post('198.51.100.32', directory.secret), post('198.51.100.33', directory.secret)];
    expect((await Promise.race(waiting)).status).toBe(429);
    const responses = await sendRefused('198.51.100.30', () => post('198.51.100.30', directory.secret));
    const unread = await sendRefused('198.51.100.34', (headers) =>
      request(`${service.baseUrl}/api/scim/v2.0/${directory.id}/Users/unknown`, 'PUT', 'no user', headers),
    );
    await lock.rollback();
    expect((await inFlight).status).toBe(201);
    await Promise.all(waiting);
    expect([...responses, ...unread]).toEqual([...allBy('INTAKE_WAITING_PER_DIRECTORY'), ...allBy('INTAKE_WAITING_PER_DIRECTORY')]);
  });

  it('the waiting searches of its directory', async () => {
    directory = await service.createDirectory();
    const path = `${service.baseUrl}/api/scim/v2.0/${directory.id}/Users/.search`;
    const search = (headers: Record<string, string>) =>
      request(path, 'POST', { schemas: ['urn:ietf:params:scim:api:messages:2.0:SearchRequest'], filter: 'title co "x"' }, headers);
    const lock = await service.db.transaction();
    await lock.raw('lock table users in access exclusive mode');
    const others = [61, 62, 63].map((host) => search({ 'x-forwarded-for': `198.51.100.${host}`, ...auth() }));
    expect((await Promise.race(others)).status).toBe(429);
    const responses = await sendRefused('198.51.100.40', search, () => directory.scim('GET', '/Groups'));
    await lock.rollback();
    await Promise.all(others);
    expect(responses).toEqual(allBy('SEARCHES_WAITING_PER_DIRECTORY'));
  });

  it('the requests that wait for events of its directory', async () => {
    directory = await service.createDirectory();
    const path = `/api/v1/events?directory_id=${directory.id}`;
    const headers = { authorization: `Api-Key ${apiKey}` };
    const leaving = new AbortController();
    const others = ['first', 'second'].map(() =>
      fetch(`${service.baseUrl}${path}&wait=25`, { headers, signal: leaving.signal }).catch(() => undefined),
    );
    expect((await Promise.race(others))?.status).toBe(429);
    const responses = await sendRefused(
      '198.51.100.50',
      (from) => service.api('GET', `${path}&wait=25`, undefined, { ...from, ...headers }),
      () => service.api('GET', path),
    );
    leaving.abort();
    await Promise.all(others);
    expect(responses).toEqual(allBy('EVENT_WAITS_PER_DIRECTORY'));
  });
});
