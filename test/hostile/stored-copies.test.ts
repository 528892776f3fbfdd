import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createSeededRandom } from '../support/seed.ts';
import { startTestService, type TestDirectory, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const groupSchema = 'urn:ietf:params:scim:schemas:core:2.0:Group';
const patchSchema = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
const size = 667_000;
const random = createSeededRandom();
/** Not compressible, because repeated text would take little space. */
const noise = (length: number) => Array.from({ length }, () => random.below(36).toString(36)).join('');

const databaseBytes = async () => {
  const { rows } = await service.db.raw<{ rows: { bytes: number }[] }>(
    `select cast(sum(pg_total_relation_size(oid)) as float8) as bytes from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  );
  return rows[0]!.bytes;
};
const print = (text: string) => process.stdout.write(`${text}\n`);

async function createUsers(directory: TestDirectory, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) ids.push((await directory.scim('POST', '/Users', { userName: `u${index}` })).body.id);
  return ids;
}

/** May have been stored when limits were larger. */
const makeLarge = (table: 'users' | 'groups', directory: TestDirectory, id: string) =>
  service.db.raw(`update ?? set resource = resource || jsonb_build_object('note', cast(? as text)) where directory_id = ? and id = ?`, [
    table,
    noise(size),
    directory.id,
    id,
  ]);

it('grows the database by no more than the group when 200 members of a 667 KB group are added and removed', async () => {
  const directory = await service.createDirectory();
  const ids = await createUsers(directory, 200);
  const { body: group } = await directory.scim('POST', '/Groups', { schemas: [groupSchema], displayName: 'staff' });
  await makeLarge('groups', directory, group.id);
  const before = await databaseBytes();
  const patch = (operation: object) => directory.scim('PATCH', `/Groups/${group.id}`, { schemas: [patchSchema], Operations: [operation] });
  expect((await patch({ op: 'add', path: 'members', value: ids.map((value) => ({ value })) })).status).toBeLessThan(300);
  expect((await patch({ op: 'remove', path: 'members' })).status).toBeLessThan(300);
  const growth = (await databaseBytes()) - before;
  print(`A 667 KB group, 200 members added and removed: the database grew by ${(growth / 1e6).toFixed(1)} MB`);
  expect(growth).toBeLessThan(5_000_000);
  const { rows } = await service.db.raw(
    `select count(*) as events, min(length(data->'group'->'raw'->>'note')) as note from events where directory_id = ? and type like 'group.user_%'`,
    [directory.id],
  );
  expect(rows).toEqual([{ events: 400, note: size }]);
}, 180_000);

it('grows the database by no more than the user when a large user joins and leaves 100 groups one by one', async () => {
  const directory = await service.createDirectory({ tenant: 'other' });
  const { body: user } = await directory.scim('POST', '/Users', { userName: 'ada' });
  await makeLarge('users', directory, user.id);
  const groups: string[] = [];
  for (let index = 0; index < 100; index += 1)
    groups.push((await directory.scim('POST', '/Groups', { schemas: [groupSchema], displayName: `g${index}` })).body.id);
  const before = await databaseBytes();
  for (const op of ['add', 'remove'])
    for (const id of groups)
      await directory.scim('PATCH', `/Groups/${id}`, {
        schemas: [patchSchema],
        Operations: [{ op, path: 'members', value: [{ value: user.id }] }],
      });
  await until(async () => (await service.db('events').where({ directory_id: directory.id }).count('*'))[0]!['count'] === 301);
  const growth = (await databaseBytes()) - before;
  print(`A 667 KB user joins and leaves 100 groups: the database grew by ${(growth / 1e6).toFixed(1)} MB`);
  expect(growth).toBeLessThan(5_000_000);
}, 180_000);
