import { expect, it } from '@jest/globals';
import { toImportedUser } from '../../src/directory/import/to-resources.ts';
import type { JsonObject } from '../../src/scim/json.ts';

/** Reads a user of Polis. Returns what SCIM sees of it, and the processor time. */
function read(raw: JsonObject) {
  const started = process.cpuUsage();
  const times = { createdAt: new Date(), modifiedAt: undefined };
  const record = { key: 'user 1', id: 'u-1', email: 'ada@example.com', firstName: '', lastName: '', active: true, raw, ...times };
  const { user } = toImportedUser(record, { provider: undefined, onIncomplete: () => undefined });
  return { resource: user.resource, processorMs: process.cpuUsage(started).user / 1000 };
}

const numbered = (count: number, value: unknown) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index}`, value]));

it.each([
  ['many attributes', numbered(15_000, 'x'), 900],
  ['a large attribute and many more', { large: Array.from({ length: 18_000 }, () => ({})), ...numbered(900, 1) }, 900],
  [
    'many attributes that are given twice',
    { ...numbered(450, 1), ...Object.fromEntries(Object.keys(numbered(450, 1)).map((name) => [name.toUpperCase(), 2])) },
    450,
  ],
])('reads a user with %s and an invalid one in bounded time', (_, raw, kept) => {
  const { resource, processorMs } = read({ ...raw, emails: 5 });
  expect(resource).not.toHaveProperty('emails');
  expect(Object.keys(resource).filter((name) => name.startsWith('n')).length).toBeGreaterThanOrEqual(Math.min(kept, 400));
  expect(processorMs).toBeLessThan(3_000);
});

it('measures a user before its attributes are read', () => {
  const started = process.cpuUsage();
  expect(() => read({ ...numbered(150_000, 1), emails: 5 })).toThrow('1048576 bytes');
  expect(process.cpuUsage(started).user / 1000).toBeLessThan(3_000);
});
