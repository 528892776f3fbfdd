import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { heapUsed } from '../support/heap-used.ts';
import { isHarmlessCoreLine } from '../support/core-lines.ts';
import { hostileRequests, type HostileRequest } from '../support/hostile.ts';
import { ada, startTestService, type TestDirectory, type TestService } from '../support/service.ts';
import { randomRuns } from '../support/random-runs.ts';

/** Different in each run. FUZZ_SEED repeats the run of a title. */
const seed = Number(process.env['FUZZ_SEED'] ?? Date.now() % 2 ** 31);
const runs = {
  numRuns: Number(process.env['FUZZ_RUNS'] ?? randomRuns(12)),
  seed,
  interruptAfterTimeLimit: 60_000,
  markInterruptAsFailure: true,
};
const maxResponseMs = 15_000;

let service: TestService;
let directory: TestDirectory;
let bystander: TestDirectory;
beforeAll(async () => {
  service = await startTestService({ SCIM_TIMEOUT_MS: '15000' }, { deliver: false });
  [directory, bystander] = [await service.createDirectory(), await service.createDirectory({ tenant: 'bystander' })];
  await bystander.scim('POST', '/Users', ada);
});
afterAll(() => service.stop());

/** A new user and a new group for the requests to change. */
async function makeTargets(): Promise<{ user: string; group: string }> {
  const name = crypto.randomUUID();
  const user = await directory.scim('POST', '/Users', { ...ada, userName: name });
  const group = await directory.scim('POST', '/Groups', { displayName: name, members: [{ value: user.body.id }] });
  return { user: user.body.id, group: group.body.id };
}

/** The problem with the response to a request, if there is one. */
async function findFault({ method, path, headers, body }: HostileRequest, targets: { user: string; group: string }) {
  const aim = (text: string) => text.replaceAll('{user}', targets.user).replaceAll('{group}', targets.group);
  const response = await fetch(`${service.baseUrl}/api/scim/v2.0/${directory.id}${aim(path)}`, {
    method,
    headers: {
      authorization: `Bearer ${directory.secret}`,
      ...(body !== undefined && { 'content-type': 'application/scim+json' }),
      ...headers,
    },
    ...(body !== undefined && { body: aim(body) }),
    signal: AbortSignal.timeout(maxResponseMs),
  });
  const { status } = response;
  const text = await response.text();
  if (status >= 500 && !(status === 501 && isUnknownMethod({ method, path }))) return `${status} ${text}`;
  if (text === '') return method === 'HEAD' || [200, 204, 304].includes(status) ? undefined : `${status} without a body`;
  if (response.headers.get('content-type') !== 'application/scim+json; charset=utf-8')
    return `${response.headers.get('content-type')}: ${text}`;
  const error = JSON.parse(text) as { status?: unknown; detail?: unknown };
  return status >= 400 && (error.status !== String(status) || typeof error.detail !== 'string') ? `${status} ${text}` : undefined;
}

const isUnknownMethod = ({ method, path }: Pick<HostileRequest, 'method' | 'path'>) => method === 'PROPFIND' || path.startsWith('/Me');

describe(`with the seed ${seed}`, () => {
  it.each(Object.entries(hostileRequests))('responds to hostile %s in time, and never with an internal error', async (_kind, hostile) => {
    const targets = await makeTargets();
    const property = fc.asyncProperty(fc.array(hostile, { minLength: 12, maxLength: 12 }), async (requests) => {
      const faults = await Promise.all(requests.map((one) => findFault(one, targets).catch(String)));
      expect(faults.flatMap((fault, index) => (fault === undefined ? [] : { ...requests[index], fault }))).toEqual([]);
    });
    await fc.assert(property, runs);
  });
});

it('works afterwards, and so do other directories', async () => {
  expect((await fetch(`${service.baseUrl}/health/ready`)).status).toBe(200);
  const { user } = await makeTargets();
  expect((await directory.scim('GET', `/Users/${user}`)).status).toBe(200);
  expect((await directory.scim('DELETE', `/Users/${user}`)).status).toBe(204);
  expect((await bystander.scim('GET', '/Users')).body).toMatchObject({ totalResults: 1, Resources: [ada] });
  expect((await bystander.scim('GET', '/Groups')).body.totalResults).toBe(0);
  expect(service.logs.filter((line) => Number(line['level']) >= 50 && !isHarmlessCoreLine(JSON.stringify(line)))).toEqual([]);
  expect({}).not.toHaveProperty('polluted');
  expect(Object.keys(Object.prototype)).toEqual([]);
});

it('numbered every change without gaps', async () => {
  const sequences = await service.db('events').where({ directory_id: directory.id }).orderBy('sequence').pluck('sequence');
  expect(sequences.map(Number)).toEqual(sequences.map((_, index) => index + 1));
});

describe('names that are special in JavaScript', () => {
  const pollutions = [
    '{"__proto__":{"polluted":true}}',
    '{"constructor":{"prototype":{"polluted":true}}}',
    '{"name":{"__proto__":{"polluted":true}}}',
    '{"emails":[{"__proto__":{"polluted":true},"value":"a"}]}',
    '{"__proto__.polluted":true}',
    '{"constructor.prototype.polluted":true}',
    '{"urn:ietf:params:scim:schemas:extension:enterprise:2.0:User":{"__proto__":{"polluted":true}}}',
    '{"urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:__proto__.polluted":true}',
    '{"emails[type eq \\"__proto__\\"].__proto__":{"polluted":true}}',
  ];
  const paths = ['__proto__', '__proto__.polluted', 'constructor.prototype', 'name.__proto__', 'emails[type eq "work"].__proto__'];
  const patches = [
    ...pollutions.flatMap((value) => ['add', 'replace', 'remove'].map((op) => `{"op":"${op}","value":${value}}`)),
    ...paths.flatMap((path) => ['add', 'replace', 'remove'].map((op) => JSON.stringify({ op, path, value: { polluted: true } }))),
  ];

  it('pollute nothing', async () => {
    const { user, group } = await makeTargets();
    const responses = await Promise.all([
      ...pollutions.flatMap((body) => [
        directory.scim('PUT', `/Users/${user}`, `{"userName":"${crypto.randomUUID()}",${body.slice(1)}`),
        directory.scim('PUT', `/Groups/${group}`, `{"displayName":"${crypto.randomUUID()}",${body.slice(1)}`),
      ]),
      ...patches.flatMap((operation) => [
        directory.scim('PATCH', `/Users/${user}`, `{"Operations":[${operation}]}`),
        directory.scim('PATCH', `/Groups/${group}`, `{"Operations":[${operation}]}`),
      ]),
      directory.scim('GET', '/Users?__proto__=a&constructor=b&filter=__proto__ pr&sortBy=constructor&attributes=__proto__,toString'),
    ]);
    expect(responses.filter(({ status }) => status >= 500)).toEqual([]);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    expect([].constructor.prototype).not.toHaveProperty('polluted');
    expect((await directory.scim('GET', `/Users/${user}`)).body.polluted).toBeUndefined();
  });
});

it('leaks no memory after large bodies, long filters and deep nesting', async () => {
  const { user } = await makeTargets();
  const large = JSON.stringify({ ...ada, note: 'x'.repeat(200_000) });
  const wide = JSON.stringify({ ...ada, ...Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`name${index}`, index])) });
  const deep = `{"userName":"a","x":${'['.repeat(60)}${']'.repeat(60)}}`;
  const filter = encodeURIComponent(Array.from({ length: 100 }, (_, index) => `emails.value co "${index}"`).join(' or '));
  const round = () =>
    Promise.all([
      ...[large, wide, deep].map((body) => directory.scim('PUT', `/Users/${user}`, body)),
      directory.scim('GET', `/Users?filter=${filter}&count=1`),
      directory.scim('GET', `/Users?filter=${'('.repeat(4_000)}`),
    ]);
  await round();
  const before = heapUsed();
  for (let index = 0; index < 5; index += 1) await round();
  expect(heapUsed() - before).toBeLessThan(10_000_000);
});

it('changes a user with very many names as fast as another, and limits its attributes', async () => {
  const { user } = await makeTargets();
  const many = Object.fromEntries(Array.from({ length: 30_000 }, (_, index) => [`name${index}`, index]));
  expect((await directory.scim('PUT', `/Users/${user}`, { userName: user, ...many })).status).toBe(413);
  expect((await directory.scim('PUT', `/Users/${user}`, { userName: user, many })).status).toBe(413);
  const fewer = Object.fromEntries(Object.entries(many).slice(0, 15_000));
  expect((await directory.scim('PUT', `/Users/${user}`, { userName: user, many: fewer })).status).toBe(200);
  const startedAtMs = performance.now();
  expect((await directory.scim('PUT', `/Users/${user}`, { userName: user })).status).toBe(200);
  expect(performance.now() - startedAtMs).toBeLessThan(10_000);
});
