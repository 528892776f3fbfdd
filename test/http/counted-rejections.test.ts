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
  const fingerprints = { name: 'fingerprints', by: 'fingerprint', limit: { rps: perMinute, rpm: perMinute }, action: 'enforce' };
  await writeFile(rules, JSON.stringify({ volumetric: [strangers, everybody, fingerprints] }));
  service = await startTestService(
    {
      LIMITS_PLAN: 'enterprise',
      LIMITS_RULES_FILE: rules,
      TRUSTED_PROXIES: '127.0.0.0/8',
      AUTH_FAILURES_PER_SOURCE: '1',
      AUTH_FAILURES_PER_DIRECTORY: '1',
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

const post = (address: string, secret: string, id = directory.id, headers: Record<string, string> = {}) =>
  request(
    `${service.baseUrl}/api/scim/v2.0/${id}/Users`,
    'POST',
    { ...ada, userName: `${address}@acme.example` },
    {
      'x-forwarded-for': address,
      authorization: `Bearer ${secret}`,
      ...headers,
    },
  );

const byFailures = expect.stringMatching(/^The credentials are invalid, .*AUTH_FAILURES_PER_(SOURCE|DIRECTORY)/);
const unread = expect.stringMatching(/^There were too many failed authentications from this address: AUTH_FAILURES_PER_SOURCE/);
/** Failed authentications of a source, beyond AUTH_FAILURES_PER_SOURCE, that are compared within a minute. */
const compared = 9;

async function guess(address: string, count: number, id = directory.id) {
  const responses: unknown[] = [];
  while (responses.length < count) {
    const { status, body } = await post(address, 'guess', id);
    responses.push([status, body.detail]);
  }
  return responses;
}
const times = (count: number, response: unknown) => Array.from({ length: count }, () => response);

it('refuses valid credentials that are not known yet where others have used up the volumetric limit of their address', async () => {
  const address = '198.51.100.6';
  for (let sent = 0; sent < perMinute; sent += 1) {
    const page = `${service.baseUrl}/api/scim/oauth/authorize`;
    expect((await fetch(page, { method: 'POST', headers: { 'x-forwarded-for': address } })).status).toBe(405);
  }
  const { status, body } = await post(address, directory.secret);
  expect([status, body.detail]).toEqual([429, expect.stringContaining('the rule strangers')]);
});

describe('a failed authentication that is refused', () => {
  it('does not count for its source, even if there are more than the source may send, and after some more is refused unread', async () => {
    const address = '198.51.100.1';
    expect(compared).toBeGreaterThan(perMinute);
    expect(await guess(address, 1 + compared + 3)).toEqual([
      [401, expect.anything()],
      ...times(compared, [429, byFailures]),
      ...times(3, [429, unread]),
    ]);
    const lock = await service.db.transaction();
    await lock.raw('lock table all_directories, scim_secrets in access exclusive mode');
    expect(await guess(address, 1)).toEqual([[429, unread]]);
    await lock.rollback();
  });

  it('does not count by TLS fingerprint, whether it was compared or refused unread', async () => {
    const fingerprint = { 'x-ja4-fingerprint': 't13d0000h2' };
    const statuses = async (count: number, addressOf: (index: number) => string) => {
      const seen: number[] = [];
      while (seen.length < count) seen.push((await post(addressOf(seen.length), 'guess', randomUUID(), fingerprint)).status);
      return seen;
    };
    expect(await statuses(1 + compared + 3, () => '198.51.100.70')).toEqual([401, ...times(compared + 3, 429)]);
    // Only the 401 has counted, so others have the rest.
    expect(await statuses(perMinute - 1, (index) => `198.51.100.${80 + index}`)).toEqual(times(perMinute - 1, 401));
    const { status, body } = await post('198.51.100.90', 'guess', randomUUID(), fingerprint);
    expect([status, body.detail]).toEqual([429, expect.stringContaining('the rule fingerprints')]);
  });

  it('does not keep valid credentials from reading, and from changing if they are known', async () => {
    const address = '198.51.100.2';
    await guess(address, 1 + compared);
    expect(await post(address, directory.secret)).toMatchObject({ status: 429, body: { detail: unread } });
    expect((await directory.scim('GET', '/Users', undefined, { 'x-forwarded-for': address })).status).toBe(200);
    // Now they are known. The volumetric limit has all its room: refused requests have taken none.
    const changes = [];
    for (let sent = 0; sent < 3; sent += 1) changes.push((await post(address, directory.secret)).status);
    expect(changes).toEqual([201, 409, 409]);
  });

  it('is refused unread as well if it is the limit of the directory that refuses it', async () => {
    const id = randomUUID();
    expect(await guess('198.51.100.3', 1, id)).toEqual([[401, expect.anything()]]);
    expect(await guess('198.51.100.4', compared + 2, id)).toEqual([...times(compared, [429, byFailures]), ...times(2, [429, unread])]);
  });

  it('does not count on pages without authentication', async () => {
    const responses: [status: number, left: number | undefined][] = [];
    while (responses.length < 1 + compared + 2) {
      const { status, headers } = await fetch(`${service.baseUrl}/api/scim/oauth/authorize?directory_id=${randomUUID()}`, {
        headers: { 'x-forwarded-for': '198.51.100.5' },
      });
      const left = /"sustained";r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1];
      responses.push([status, left === undefined ? undefined : Number(left)]);
    }
    const left = responses[0]![1]!;
    // Each response shows itself as counted.
    expect(responses).toEqual([[404, left], ...times(compared, [429, left - 1]), ...times(2, [429, undefined])]);
  });
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
    const withoutJson = await sendRefused('198.51.100.34', (headers) =>
      request(`${service.baseUrl}/api/scim/v2.0/${directory.id}/Users/unknown`, 'PUT', 'no user', headers),
    );
    await lock.rollback();
    expect((await inFlight).status).toBe(201);
    await Promise.all(waiting);
    expect([...responses, ...withoutJson]).toEqual([...allBy('INTAKE_WAITING_PER_DIRECTORY'), ...allBy('INTAKE_WAITING_PER_DIRECTORY')]);
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
