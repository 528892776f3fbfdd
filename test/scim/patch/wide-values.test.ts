import { expect, it } from '@jest/globals';
import { ScimError } from '../../../src/scim/errors.ts';
import type { JsonObject } from '../../../src/scim/json.ts';
import { applyPatch } from '../../../src/scim/patch/apply-patch.ts';
import { userType } from '../../../src/scim/schema/resource-types.ts';
import { enterprise, operationsOf } from './patch.ts';

const times = <Item>(count: number, make: (index: number) => Item) => Array.from({ length: count }, (_, index) => make(index));
const named = (count: number, value: unknown = 1): JsonObject => Object.fromEntries(times(count, (index) => [`k${index}`, value]));
const user = (more: JsonObject): JsonObject => ({ userName: 'ada', ...more });
const empty = times(9_000, () => ({}));

const longNames = (count: number, first: string) =>
  Object.fromEntries(times(count, (index) => [`${first}${String(index).padStart(4, '0')}${'\u0130'.repeat(2_500)}`, 1]));
/** Integers whose unseeded V8 hashes end in the same bits, found by inverting each step of the hash. */
function colliding(count: number): number[] {
  const found: number[] = [];
  for (let wanted = 0; found.length < count; wanted += 0x4000) {
    let hash = wanted ^ (wanted >>> 16);
    hash = Math.imul(hash, inverse(2_057));
    for (const bits of [4, 8, 16]) hash ^= hash >>> bits;
    hash = Math.imul(hash, inverse(5));
    for (const bits of [12, 24]) hash ^= hash >>> bits;
    const value = Math.imul(hash + 1, inverse(0x7fff));
    if (value > 0) found.push(value);
  }
  return found;
}

/** Modulo 2^32. */
function inverse(factor: number): number {
  let found = factor;
  for (let step = 0; step < 5; step += 1) found = Math.imul(found, 2 - Math.imul(factor, found));
  return found;
}

function outcomeOf(run: () => unknown): string {
  try {
    run();
    return 'applied';
  } catch (error) {
    return error instanceof ScimError ? 'rejected' : String(error);
  }
}

/** Small requests that compare many values with one of many names, or search repeatedly for a name among many. */
it.each<[title: string, resource: JsonObject, operations: object[]]>([
  ['adds a wide value to a long list', user({ custom: empty }), [{ op: 'add', path: 'custom', value: [named(10_000)] }]],
  ['removes a wide value from a long list', user({ custom: empty }), [{ op: 'remove', path: 'custom', value: [named(10_000)] }]],
  [
    'removes what holds a wide value',
    user({ custom: empty.map(() => ({ a: {} })) }),
    [{ op: 'remove', path: 'custom', value: [{ a: named(10_000) }] }],
  ],
  [
    'removes what has a wide value',
    user({ custom: empty.map(() => ({ value: {} })) }),
    [{ op: 'remove', path: 'custom', value: [{ value: named(10_000) }] }],
  ],
  [
    'adds a wide e-mail address',
    user({ emails: times(8_000, () => ({ type: 'w' })) }),
    [{ op: 'add', path: 'emails', value: [named(9_000)] }],
  ],
  [
    'removes a wide e-mail address',
    user({ emails: times(8_000, () => ({ type: 'w' })) }),
    [{ op: 'remove', path: 'emails', value: [named(9_000)] }],
  ],
  [
    'removes parts that are not there',
    user({ custom: named(9_000) }),
    times(1_000, (index) => ({ op: 'remove', path: `custom.absent${index}` })),
  ],
  ['sets parts', user({ custom: named(9_000) }), times(1_000, (index) => ({ op: 'replace', path: `custom.K${index}`, value: 2 }))],
  [
    'replaces what a filter finds',
    user({ custom: times(10, () => ({ type: 'a', ...named(1_500) })) }),
    times(1_000, () => ({ op: 'replace', path: 'custom[TYPE eq "a"]', value: { type: 'a' } })),
  ],
  [
    'has carried out what a filter finds',
    user({ custom: times(5_000, () => ({ value: {} })) }),
    [{ op: 'add', path: 'custom[value eq "b"]', value: { value: named(10_000) } }],
  ],
  [
    'changes a wide extension',
    user({ [enterprise]: named(9_000) }),
    times(1_000, (index) => ({ op: 'replace', path: `${enterprise}:department`, value: `${index}` })),
  ],
  [
    'adds to numbers that a map would put into one place',
    user({ custom: colliding(15_000) }),
    times(12, (index) => (index % 2 ? { op: 'remove', path: 'custom[value eq "z"]' } : { op: 'add', path: 'custom', value: [0] })),
  ],
  ['looks for long names', user({ custom: longNames(199, 'a') }), [{ op: 'add', path: 'custom', value: longNames(200, 'b') }]],
  [
    'has filters of a hundred terms on nothing',
    user({}),
    times(1_000, (index) => ({ op: 'remove', path: `x${index}[${times(100, () => 'a pr').join(' or ')}].b` })),
  ],
  [
    'names many filters without a path',
    user({}),
    times(200, () => ({ op: 'add', value: Object.fromEntries(times(1_000, (index) => [`x[a eq "${index}"].b`, 'y'])) })),
  ],
  [
    'looks for a long text in many short ones',
    user({ custom: times(19_900, (index) => `aaaaaaaaaaaaaa${index % 10}`) }),
    times(2, () => ({ op: 'remove', path: `custom[value co "${'a'.repeat(7_900)}b"]` })),
  ],
  [
    'looks for a text in many that begin like it',
    user({ custom: times(1_600, () => 'a'.repeat(600)) }),
    times(10, () => ({ op: 'remove', path: `custom[value co "${'a'.repeat(300)}b"]` })),
  ],
  [
    'changes long values and adds to them in turns',
    user({ list: times(60, (index) => ({ value: `${'v'.repeat(16_300)}${index}`, z: 0 })) }),
    times(450, () => [
      { op: 'add', path: 'list', value: [{ value: 'v', z: 0 }] },
      { op: 'replace', path: 'list.z', value: 0 },
    ]).flat(),
  ],
])('a PATCH that %s costs little processor time, or is rejected', (_title, resource, operations) => {
  const from = process.cpuUsage();
  const outcome = outcomeOf(() => applyPatch(resource, operationsOf(operations), userType));
  const { user: inUser, system } = process.cpuUsage(from);
  expect(outcome).toMatch(/^(applied|rejected)$/);
  expect((inUser + system) / 1_000).toBeLessThan(1_000);
});
