import { expect, it } from '@jest/globals';
import { readBulk } from '../../src/scim/bulk/read-bulk.ts';
import { copyJson } from '../../src/scim/json.ts';
import { readUser } from '../../src/scim/user.ts';

const count = 2_000;
const objectsOfOneIndex = () => Array.from({ length: count }, () => JSON.parse('{"900":0,"a":1}') as object);

/** Without a garbage collection, so that all allocations count. */
function bytesEach(make: () => unknown): number {
  const before = process.memoryUsage().heapUsed;
  const made = make();
  const bytes = process.memoryUsage().heapUsed - before;
  expect(made).toBeDefined();
  return bytes / count;
}

it.each<[string, (objects: object[]) => unknown]>([
  ['copied', copyJson],
  ['read as an unknown attribute', (x) => readUser({ userName: 'ada', x })],
  ['read as values of a known attribute', (emails) => readUser({ userName: 'ada', emails })],
])('an object with a numeric name takes no space for the numbers below it when it is %s', (_, make) => {
  const objects = objectsOfOneIndex();
  expect(bytesEach(() => make(objects))).toBeLessThan(5_000);
});

it('a copy has the same names in the same order', () => {
  const value = JSON.parse('{"900":{"7":[{"__proto__":1}]},"b":2,"a":"1"}') as object;
  const copy = copyJson(value) as object;
  expect(JSON.stringify(copy)).toBe(JSON.stringify(value));
  expect(copy).not.toBe(value);
});

it('data of a Bulk request without references is not copied', () => {
  const x = objectsOfOneIndex();
  const data = { userName: 'ada', x, manager: 'bulkId:boss' };
  const { operations } = readBulk(
    {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'],
      Operations: [
        { method: 'POST', path: '/Users', bulkId: 'boss', data: { userName: 'boss' } },
        { method: 'POST', path: '/Users', bulkId: 'ada', data },
      ],
    },
    { newId: () => 'id' },
  );
  const read = operations[1] as unknown as { data: typeof data };
  expect(read.data.x).toBe(x);
  expect([read.data.manager, data.manager]).toEqual(['id', 'bulkId:boss']);
});
