import { expect, it } from '@jest/globals';
import { createFailedAuthentications, type FailedAuthentication } from '../../src/limits/failed-authentications.ts';
import { heapUsed } from '../support/heap-used.ts';
import { until } from '../support/until.ts';

const directoryId = '0b9f1c62-6f0e-4c8a-9c3b-1f2d8a7e5c41';

function createTest(options: { perSource?: number; perDirectory?: number; logWindowMs?: number } = {}) {
  let nowMs = 1_700_000_000_000;
  const outcomes: string[] = [];
  const lines: Record<string, unknown>[] = [];
  const failures = createFailedAuthentications({
    perSource: 3,
    perDirectory: 5,
    metrics: { authenticationFailed: ({ at, outcome }) => void outcomes.push(`${at} ${outcome}`) },
    log: { warn: (line: object, message?: string) => void lines.push({ ...line, message }) },
    ...(options.logWindowMs === undefined && { now: () => nowMs }),
    ...options,
  });
  const fail = (failure: Partial<FailedAuthentication> = {}) => failures.note({ at: 'scim', address: '192.0.2.1', ...failure }).exceeded;
  return { failures, fail, outcomes, lines, passMs: (ms: number) => void (nowMs += ms) };
}

it('limits failures by source, reports for how long, and refills tokens one by one', () => {
  const { fail, outcomes, passMs } = createTest();
  expect([fail(), fail(), fail()]).toEqual([undefined, undefined, undefined]);
  expect(fail()).toEqual({ limit: 'source', perMinute: 3, setting: 'AUTH_FAILURES_PER_SOURCE', waitMs: 20_000 });
  expect(fail({ address: '192.0.2.2' })).toBeUndefined();
  passMs(19_999);
  expect(fail()).toMatchObject({ waitMs: 1 });
  passMs(1);
  expect([fail(), fail()?.limit]).toEqual([undefined, 'source']);
  passMs(60_000);
  expect([fail(), fail(), fail(), fail()?.limit]).toEqual([undefined, undefined, undefined, 'source']);
  expect(new Set(outcomes)).toEqual(new Set(['scim rejected', 'scim rate_limited']));
});

it('counts a /64 of IPv6, and an IPv4-mapped address, as one source', () => {
  const { fail } = createTest();
  for (let host = 1; host <= 3; host += 1) expect(fail({ address: `2001:db8:1:2:${host}::1` })).toBeUndefined();
  expect(fail({ address: '2001:db8:1:2:ffff::1' })?.limit).toBe('source');
  expect(fail({ address: '2001:db8:1:3::1' })).toBeUndefined();
  for (let count = 0; count < 3; count += 1) expect(fail({ address: '::ffff:192.0.2.9' })).toBeUndefined();
  expect(fail({ address: '192.0.2.9' })?.limit).toBe('source');
});

it('limits failures for a directory across all sources, and counts a rejected failure only once', () => {
  const { fail, passMs } = createTest();
  for (let host = 1; host <= 5; host += 1) expect(fail({ address: `192.0.2.${host}`, directoryId })).toBeUndefined();
  for (let count = 0; count < 10; count += 1)
    expect(fail({ address: '192.0.2.99', directoryId })).toMatchObject({ limit: 'directory', setting: 'AUTH_FAILURES_PER_DIRECTORY' });
  // The source has all its three tokens still.
  for (let count = 0; count < 3; count += 1) expect(fail({ address: '192.0.2.99' })).toBeUndefined();
  passMs(12_000);
  // A failure that its source's limit rejects takes no token of the directory.
  for (let count = 0; count < 10; count += 1) expect(fail({ address: '192.0.2.99', directoryId })?.limit).toBe('source');
  expect(fail({ address: '192.0.2.98', directoryId })).toBeUndefined();
});

it('does not count requests without an address as one source', () => {
  const { fail } = createTest();
  for (let count = 0; count < 5; count += 1) expect(fail({ address: '', directoryId })).toBeUndefined();
  expect(fail({ address: '', directoryId })?.limit).toBe('directory');
});

it('keeps its memory bounded under a flood of addresses, and still limits returning ones', () => {
  const { fail } = createTest({ perDirectory: 1_000_000 });
  const before = heapUsed();
  for (let index = 0; index < 300_000; index += 1)
    fail({ address: `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`, directoryId });
  expect((heapUsed() - before) / 2 ** 20).toBeLessThan(64);
  for (let count = 0; count < 3; count += 1) fail();
  expect(fail()?.limit).toBe('source');
});

it('logs each failure with its source, and lists those of a flood with their counts at the end of the minute', async () => {
  const { fail, lines } = createTest({ logWindowMs: 5_000 });
  for (let count = 0; count < 1_000; count += 1) fail({ at: 'api', requestId: `r${count}` });
  for (let count = 0; count < 12; count += 1) fail({ address: `2001:db8::${count}`, directoryId });
  const summary = await until(() => lines.find(({ message }) => message === 'authentication failed again from these sources'));
  expect(summary['sources']).toEqual([
    { source: '192.0.2.1', failures: 990 },
    { source: '2001:db8::10', failures: 1 },
    { source: '2001:db8::11', failures: 1 },
  ]);
  const single = lines.filter(({ message }) => message === 'authentication failed');
  expect(single).toHaveLength(20);
  expect(single[0]).toEqual({ source: '192.0.2.1', at: 'api', requestId: 'r0', message: 'authentication failed' });
  expect(single[10]).toMatchObject({ source: '2001:db8::0', directoryId });
});

it('logs every address of a flood from very many, in one line for a hundred', () => {
  const { failures, fail, lines } = createTest({ logWindowMs: 600_000 });
  const addresses = Array.from({ length: 5_000 }, (_, index) => `10.0.${index >> 8}.${index & 255}`);
  for (const address of addresses) fail({ address });
  // The first 4,000 that are counted are logged as soon as the memory for them is used up.
  expect(lines).toHaveLength(200 + 40);
  failures.logCounted();
  expect(lines).toHaveLength(200 + 48);
  const logged = lines.flatMap(({ source, sources }) => sources ?? [{ source, failures: 1 }]);
  expect(logged).toEqual(addresses.map((source) => ({ source, failures: 1 })));
  failures.logCounted();
  expect(lines).toHaveLength(200 + 48);
});

it('logs at most 64 characters of an address', () => {
  const { fail, lines } = createTest();
  for (let count = 0; count < 2; count += 1) fail({ address: 'x'.repeat(10_000) });
  expect(lines[0]!['source']).toBe('x'.repeat(64));
});
