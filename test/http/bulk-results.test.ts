import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { shareTestService, type TestDirectory, type TestService } from '../support/service.ts';

let service: TestService;
let directory: TestDirectory;
beforeAll(async () => {
  service = await shareTestService();
  directory = await service.createDirectory();
});
afterAll(() => service.stop());

const bulk = async (operations: object[], more: object = {}) =>
  (
    await directory.scim('POST', '/Bulk', {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'],
      Operations: operations,
      ...more,
    })
  ).body.Operations as { status: string; bulkId?: string; response?: { scimType: string } }[];
const newUser = (bulkId: string) => ({ method: 'POST', path: '/Users', bulkId, data: { userName: bulkId } });
const unreadable = Array.from({ length: 999 }, () => ({}));
const statuses = (results: { status: string }[]) => [...new Set(results.map(({ status }) => status))];
const stored = async () =>
  (await service.db('mutations').where({ directory_id: directory.id }).select<{ outcome: object }[]>('outcome')).map(
    ({ outcome }) => outcome,
  );

it('responds to a Bulk without a valid operation, and stores nothing', async () => {
  const results = await bulk([{}, ...unreadable]);
  expect([results.length, statuses(results)]).toEqual([1_000, ['400']]);
  expect(results[0]!.response).toMatchObject({ scimType: 'invalidSyntax' });
  expect(await bulk(unreadable, { failOnErrors: 3 })).toHaveLength(3);
  expect(await bulk([])).toEqual([]);
  expect(await stored()).toEqual([]);
});

it('stores only the results of valid operations of a Bulk', async () => {
  const results = await bulk([...unreadable, newUser('ada')]);
  expect(results.map(({ status }) => status)).toEqual([...unreadable.map(() => '400'), '201']);
  const [outcome] = await stored();
  expect(JSON.stringify(outcome).length).toBeLessThan(1_000);
});

it('counts invalid operations for failOnErrors', async () => {
  const ben = newUser('ben');
  const results = await bulk([ben, {}, { ...ben, bulkId: 'again' }, newUser('eve')], { failOnErrors: 2 });
  expect(results.map(({ status, bulkId }) => [status, bulkId])).toEqual([
    ['201', 'ben'],
    ['400', undefined],
    ['409', 'again'],
  ]);
});

it('rejects a version and a path that are too long before parsing them', async () => {
  const results = await bulk([
    newUser('kept'),
    { method: 'DELETE', path: '/Users/x', version: '1,'.repeat(500_000) },
    { method: 'DELETE', path: `/Users${'/a'.repeat(500_000)}` },
  ]);
  expect(results.map(({ status, response }) => [status, response?.scimType])).toEqual([
    ['201', undefined],
    ['400', 'invalidValue'],
    ['400', 'invalidValue'],
  ]);
});

it('does not repeat a long bulkId or an invalid ID', async () => {
  const long = 'x'.repeat(100_000);
  const text = JSON.stringify(
    await bulk([
      ...Array.from({ length: 20 }, () => ({ method: 'DELETE', path: `/Users/${long}` })),
      { ...newUser(long), data: { userName: 'long' } },
    ]),
  );
  expect(text.length).toBeLessThan(10_000);
  expect(text).toContain('invalidValue');
});
