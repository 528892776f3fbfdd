import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { apiKey, request, startTestService, type TestDirectory, type TestService } from '../support/service.ts';
import { untilRefused } from '../support/audit.ts';
import { askForToken, basic, createClient, ofClient } from '../support/oauth-clients.ts';
import { until } from '../support/until.ts';

const root = '/api/v1/directory-sync';

let service: TestService;
let directory: TestDirectory;
let otherTenant: TestDirectory;
beforeAll(async () => {
  service = await startTestService(
    { TRUSTED_PROXIES: '127.0.0.0/8', AUTH_FAILURES_PER_SOURCE: '5', AUTH_FAILURES_PER_DIRECTORY: '8' },
    { deliver: false },
  );
  directory = await service.createDirectory();
  otherTenant = await service.createDirectory({ tenant: 'other' });
});
afterAll(() => service.stop());

const from = (address: string, headers: Record<string, string> = {}) => ({ 'x-forwarded-for': address, ...headers });
const scimPath = (id: string) => `/api/scim/v2.0/${id}/Users`;
const ask = (path: string, headers: Record<string, string>, method = 'GET') =>
  request(`${service.baseUrl}${path}`, method, undefined, headers);
const guess = (address: string, path = scimPath(directory.id), method = 'GET') =>
  ask(path, from(address, { authorization: 'Bearer guess' }), method);

async function statuses(count: number, failing: () => ReturnType<typeof ask>) {
  const seen: number[] = [];
  while (seen.length < count) seen.push((await failing()).status);
  return seen;
}

it.each([
  ['the JSON API', () => `${root}?tenant=acme&product=app`, 'GET', '198.51.100.1'],
  ['the JSON API, by DELETE', () => `${root}/${directory.id}`, 'DELETE', '198.51.100.2'],
  ['SCIM', () => scimPath('00000000-0000-7000-8000-000000000001'), 'GET', '198.51.100.3'],
  ['SCIM, by POST', () => scimPath('00000000-0000-7000-8000-000000000002'), 'POST', '198.51.100.4'],
  ['SCIM, by PUT', () => scimPath('00000000-0000-7000-8000-000000000004'), 'PUT', '198.51.100.8'],
  ['SCIM, by PATCH', () => scimPath('00000000-0000-7000-8000-000000000005'), 'PATCH', '198.51.100.9'],
  ['SCIM, by HEAD', () => scimPath('00000000-0000-7000-8000-000000000006'), 'HEAD', '198.51.100.10'],
  ['the JSON API, by PUT', () => `${root}/${directory.id}`, 'PUT', '198.51.100.11'],
  ['the JSON API, by PATCH', () => `${root}/${directory.id}`, 'PATCH', '198.51.100.12'],
  ['the JSON API, by HEAD', () => `${root}/${directory.id}`, 'HEAD', '198.51.100.13'],
  ['SCIM, with no id', () => scimPath('no-uuid'), 'GET', '198.51.100.5'],
  ['metrics', () => '/metrics', 'GET', '198.51.100.6'],
])('limits failures of a source at %s, without a plan, whatever the method', async (_title, path, method, address) => {
  expect(await statuses(7, () => guess(address, path(), method))).toEqual([401, 401, 401, 401, 401, 429, 429]);
  const limited = await guess(address, path(), method);
  expect(Number(limited.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  // A response to HEAD has no body.
  expect(JSON.stringify(limited.body) ?? '').toContain(method === 'HEAD' ? '' : 'AUTH_FAILURES_PER_SOURCE');
});

it('limits the token endpoint too, by HTTP Basic or in the body, and no valid client', async () => {
  const client = await createClient(service, directory.id);
  const form = { ...ofClient(client), client_secret: 'guess' };
  const guessSecret = () => askForToken(service, form, from('198.51.100.14'));
  const guessByBasic = () =>
    askForToken(service, { grant_type: 'client_credentials' }, from('198.51.100.14', { authorization: basic(client.id, 'guess') }));
  expect(await statuses(3, guessSecret)).toEqual([401, 401, 401]);
  expect(await statuses(3, guessByBasic)).toEqual([401, 401, 429]);
  const limited = await guessSecret();
  expect([limited.status, limited.body.error]).toEqual([429, 'temporarily_unavailable']);
  expect(Number(limited.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  expect((await askForToken(service, ofClient(client), from('198.51.100.14'))).status).toBe(200);
  expect(JSON.stringify([await untilRefused(service), service.logs])).not.toContain(client.secret.slice(4));
});

it('limits the consent page and the callback too', async () => {
  const paths = ['authorize?directoryId=00000000-0000-7000-8000-000000000003', 'callback?state=guess&code=guess'];
  const seen: number[] = [];
  for (let count = 0; count < 7; count += 1)
    seen.push((await ask(`/api/scim/oauth/${paths[count % 2]}`, from('198.51.100.7', { accept: 'application/json' }))).status);
  expect(seen.slice(-2)).toEqual([429, 429]);
  expect(seen.slice(0, 5)).not.toContain(429);
});

it('lets valid credentials pass from a source, and for a directory, that are over their limits', async () => {
  const spent = '203.0.113.1';
  await statuses(6, () => guess(spent));
  // One more is allowed every seven seconds.
  let host = 1;
  const limited = await until(async () => {
    const response = await guess(`203.0.113.${(host += 1)}`);
    return response.status === 429 && response;
  });
  expect([limited.status, limited.body.detail]).toEqual([429, expect.stringContaining('AUTH_FAILURES_PER_DIRECTORY')]);
  // A secret that was not used before is not cached.
  expect((await directory.scim('GET', '/Users', undefined, from(spent))).status).toBe(200);
  expect((await otherTenant.scim('GET', '/Users', undefined, from(spent))).status).toBe(200);
  expect((await ask(`${root}/all`, from(spent, { authorization: `Api-Key ${apiKey}` }))).status).toBe(200);
  const { body } = await service.api('POST', `${root}/${directory.id}/scim/secret/rotate`, { overlap_seconds: 0 });
  const rotated = { authorization: `Bearer ${body.data.secret}` };
  expect((await ask(scimPath(directory.id), from(spent, rotated))).status).toBe(200);
});

it('counts a /64 of IPv6 as one source, and uses X-Forwarded-For only from trusted proxies', async () => {
  const seen: number[] = [];
  for (let host = 1; host <= 6; host += 1) seen.push((await guess(`2001:db8:5:6::${host}`, '/metrics')).status);
  expect(seen).toEqual([401, 401, 401, 401, 401, 429]);
  const untrusting = await service.startAnother({ TRUSTED_PROXIES: '', AUTH_FAILURES_PER_SOURCE: '2' });
  const invented = (host: number) =>
    request(`${untrusting.baseUrl}/metrics`, 'GET', undefined, { 'x-forwarded-for': `198.51.100.${host}` });
  expect([(await invented(1)).status, (await invented(2)).status, (await invented(3)).status]).toEqual([401, 401, 429]);
  await untrusting.stop();
});

it('logs each failure with its source, and a flood in a bounded number of lines', async () => {
  await statuses(60, () => guess('198.51.100.200', '/metrics'));
  const about = service.logs.filter(({ source }) => source === '198.51.100.200');
  expect(about).toHaveLength(10);
  expect(about[0]).toMatchObject({ at: 'metrics', msg: 'authentication failed', requestId: expect.any(String) });
  const ids = new Set(about.map(({ requestId }) => requestId));
  const loud = service.logs.filter(
    ({ msg, level, path, requestId }) => msg === 'request' && path === '/metrics' && level === 30 && !ids.has(requestId),
  );
  expect(loud.length).toBeLessThan(40);
  const guesses = service.logs.filter((line) => JSON.stringify(line).includes('guess'));
  expect(guesses.filter(({ path }) => path !== '/api/scim/oauth/callback')).toEqual([]);
});

it('logs the addresses that it has only counted when it stops', async () => {
  const stopping = await service.startAnother({ AUTH_FAILURES_PER_SOURCE: '100' });
  for (let count = 0; count < 13; count += 1)
    await request(`${stopping.baseUrl}/metrics`, 'GET', undefined, from('198.51.100.201', { authorization: 'Bearer guess' }));
  await stopping.stop();
  expect(service.logs.filter(({ source }) => source === '198.51.100.201')).toHaveLength(10);
  expect(service.logs.flatMap(({ sources }) => (sources as object[] | undefined) ?? [])).toContainEqual({
    source: '198.51.100.201',
    failures: 3,
  });
});

it('counts failures for Prometheus', async () => {
  const text = await (await fetch(`${service.baseUrl}/metrics`, { headers: { authorization: `Api-Key ${apiKey}` } })).text();
  expect(text).toMatch(/rollcall_authentication_failures_total\{at="scim",outcome="rate_limited"\} \d+/);
});
