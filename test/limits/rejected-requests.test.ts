import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createMemoryCounters, createMemoryLeases } from '../../src/limits/memory-counters.ts';
import type { Counters, Leases } from '../../src/limits/ports.ts';
import { createProjects } from '../../src/limits/projects.ts';
import type { LimitedRequest } from '../../src/limits/request.ts';
import { readRules } from '../../src/limits/rules.ts';
import type { Counted } from '../../src/limits/windows.ts';
import { createLimitCounters, createLimitLeases } from '../../src/store/limits/counters.ts';
import { cloneDatabase } from '../support/database.ts';
import { createTestLimits } from '../support/limits.ts';

let database: Awaited<ReturnType<typeof cloneDatabase>>;
beforeAll(async () => {
  database = await cloneDatabase();
});
afterAll(() => database.drop());

const perMinute = 5;
const rules = {
  ...readRules(undefined),
  volumetric: [
    { name: 'enforced', by: 'address', action: 'enforce', limit: { rps: perMinute, rpm: perMinute } },
    { name: 'fingerprinted', by: 'fingerprint', action: 'enforce', limit: { rps: perMinute, rpm: perMinute } },
    { name: 'watched', by: 'address', action: 'report', limit: { rps: 1_000, rpm: 1_000 } },
  ],
} as ReturnType<typeof readRules>;

function createLayers(counters: Counters, leases: Leases, address: string) {
  const { limits, toRequest } = createTestLimits({
    rules,
    counters,
    leases,
    // More than a source may send.
    projects: createProjects({ plan: 'enterprise', environment: 'production' }),
  });
  /** Passes a request through all three limits, and returns the one that rejects it. */
  const send = async (fields: Partial<LimitedRequest> = {}) => {
    const counted: Counted[] = [];
    const request = toRequest({ method: 'PUT', path: '/admin/identities/4f1c', address, ...fields, counted });
    const rejected =
      (await limits.volumetric(request)) ??
      [await limits.project(request)].find((decision) => decision?.isAllowed === false) ??
      (await limits.inflight(request)).rejected;
    return rejected?.layer ?? 'allowed';
  };
  /** The project's remaining requests in the second and in the minute. Reading them counts as a request. */
  const leftOfProject = async () => {
    const { isAllowed, windows } = (await limits.project(toRequest({ method: 'PUT', path: '/admin/identities/4f1c', address })))!;
    expect(isAllowed).toBe(true);
    return windows.map(({ remaining }) => remaining);
  };
  return { send, leftOfProject };
}

const stores: [title: string, open: () => { counters: Counters; leases: Leases }][] = [
  ['in memory', () => ({ counters: createMemoryCounters(), leases: createMemoryLeases({ now: () => 0 }) })],
  ['in Postgres', () => ({ counters: createLimitCounters(database.db), leases: createLimitLeases(database.db) })],
];

it.each(stores)('a request rejected for its resource counts neither for its source nor for its project, %s', async (title, open) => {
  const { counters, leases } = open();
  const { send, leftOfProject } = createLayers(counters, leases, title === 'in memory' ? '192.0.2.1' : '192.0.2.2');
  expect(await send()).toBe('allowed');
  const left = await leftOfProject();
  for (let count = 0; count < 20; count += 1) expect(await send()).toBe('inflight');
  expect(await leftOfProject()).toEqual(left.map((remaining) => remaining - 1));
  // Four of the five that the source may send are left.
  for (let count = 0; count < perMinute - 1; count += 1) expect(await send({ path: `/admin/identities/other-${count}` })).toBe('allowed');
  expect(await send({ path: '/admin/identities/last' })).toBe('volumetric');
});

it.each(stores)('a request rejected for its resource or its source does not count for its fingerprint, %s', async (title, open) => {
  const { counters, leases } = open();
  const address = title === 'in memory' ? '192.0.2.5' : '192.0.2.6';
  const { send } = createLayers(counters, leases, address);
  const request = { fingerprint: title, path: `/admin/identities/fingerprint-${title.length}` };
  expect(await send(request)).toBe('allowed');
  for (let count = 0; count < 20; count += 1) expect(await send(request)).toBe('inflight');
  for (let count = 0; count < perMinute - 1; count += 1)
    expect(await send({ path: `/admin/identities/none-${title.length}-${count}` })).toBe('allowed');
  for (let count = 0; count < 20; count += 1) expect(await send(request)).toBe('volumetric');
  // Four of the five that the fingerprint may send are left, from other addresses.
  const from = (count: number) =>
    send({
      fingerprint: title,
      address: `${address.replace('192.0.2', '198.51.100')}${count}`,
      path: `/admin/identities/from-${title.length}-${count}`,
    });
  for (let count = 0; count < perMinute - 1; count += 1) expect(await from(count)).toBe('allowed');
  expect(await from(perMinute)).toBe('volumetric');
});

it.each(stores)('a request that a plan rejects does not count for its source, %s', async (title, open) => {
  const { counters, leases } = open();
  const { limits, toRequest } = createTestLimits({ rules: { ...rules, inflight: [] }, counters, leases });
  const address = title === 'in memory' ? '192.0.2.3' : '192.0.2.4';
  const path = '/sessions/whoami';
  // Others of the same project use up what its plan allows.
  let used = 0;
  while ((await limits.project(toRequest({ path })))!.isAllowed) used += 1;
  expect(used).toBeGreaterThan(0);
  for (let count = 0; count < 20; count += 1) {
    const request = toRequest({ path, address, counted: [] });
    expect(await limits.volumetric(request)).toBeUndefined();
    expect(await limits.project(request)).toMatchObject({ isAllowed: false });
    expect(request.counted).toEqual([]);
  }
  for (let count = 0; count < perMinute; count += 1) expect(await limits.volumetric(toRequest({ address }))).toBeUndefined();
  expect(await limits.volumetric(toRequest({ address }))).toMatchObject({ layer: 'volumetric', bucket: 'enforced' });
});

it.each(stores)('of several concurrent requests on one resource, only the allowed one counts, %s', async (title, open) => {
  const { counters, leases } = open();
  const rounds = Number(process.env['CONCURRENCY_ROUNDS'] ?? 3);
  for (let round = 0; round < rounds; round += 1) {
    const { send } = createLayers(counters, leases, `198.51.${title === 'in memory' ? 100 : 101}.${round + 1}`);
    const sent = await Promise.all(Array.from({ length: 4 }, () => send({ path: `/admin/identities/round-${title.length}-${round}` })));
    expect(sent.toSorted()).toEqual(['allowed', 'inflight', 'inflight', 'inflight']);
    for (let count = 0; count < perMinute - 1; count += 1)
      expect(await send({ path: `/admin/identities/${title.length}-${round}-${count}` })).toBe('allowed');
    expect(await send({ path: '/admin/identities/none' })).toBe('volumetric');
  }
});
