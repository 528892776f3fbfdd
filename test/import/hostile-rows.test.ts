import { expect, it } from '@jest/globals';
import { polisHash } from '../../src/directory/import/polis-records.ts';
import { importFrom } from '../support/import-polis.ts';
import { usePolisAndTarget, type PolisDirectoryValue } from '../support/polis-tables.ts';

/** Rows that Polis never writes, in tables that are filled by hand. */

const { polis, target } = usePolisAndTarget();

const importTenant = (tenant: string, options: string[] = []) => importFrom(polis.url, target.url, ['--tenant', tenant, ...options]);
const isStored = async ({ id }: PolisDirectoryValue) => (await target.db('all_directories').where({ id })).length > 0;
const isUser = (tenant: string) => ['key like ?', [`dsync:users:${tenant}:%`]] as const;
/** A text that compresses badly. */
const longText = (length: number) =>
  Array.from({ length: Math.ceil(length / 40) }, (_, index) => polisHash(String(index)))
    .join('')
    .slice(0, length);

const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;

it.each([
  [
    'deep JSON',
    `value = replace(value, '"first_name":"Ada"', '"first_name":${nested(5_000)}')`,
    'its value is nested deeper than 1000 levels',
  ],
  [
    'a value that is too large',
    `value = '"' || repeat('x', 17000000) || '"'`,
    'its value has 17000002 bytes, and at most 16777216 are read',
  ],
  ['a time that is infinite', `"createdAt" = 'infinity'`, 'its time is not valid'],
  ['a time that has no text in ISO 8601', `"modifiedAt" = '20000-01-01'`, 'its time is not valid'],
  [
    'an ID with a slash',
    `value = replace(value, '"id":', '"id":"a/b","former":')`,
    'An ID must have 1 to 100 characters, none of them a slash, a backslash or a control character, and must not contain "bulkId"',
  ],
  [
    'a long userName',
    `value = replace(value, '"userName":"', '"userName":"${longText(600)}')`,
    'userName must have at most 500 characters (fixed limit)',
  ],
])('names a user with %s, and imports the other directories', async (title, change, problem) => {
  const tenant = title.replaceAll(/\W/g, '-');
  const [broken, sound] = [await polis.addDirectory({ tenant }), await polis.addDirectory({ tenant, product: 'sound' })];
  await polis.addUser(broken);
  await polis.addUser(sound);
  const [where, values] = isUser(`${tenant}:crm`);
  await polis.db.raw(`update jackson_store set ${change} where ${where}`, values);
  const { code, stderr, report } = await importTenant(tenant);
  expect([code, stderr]).toEqual([1, expect.stringContaining(`cannot be read: ${problem}. Nothing of this directory was imported.`)]);
  expect(report!.directories).toMatchObject([{ status: 'failed', unreadable: [{ problem }] }, { status: 'imported' }]);
  expect([await isStored(broken), await isStored(sound)]).toEqual([false, true]);
});

it('names a directory that Postgres cannot store, but not its values', async () => {
  const tenant = longText(5_200).replaceAll(/.{4}/g, (digits) => String.fromCodePoint(0x4e00 + (Number.parseInt(digits, 16) % 20_000)));
  const product = 'unstorable';
  const [long, sound] = [await polis.addDirectory({ tenant, product }), await polis.addDirectory({ product })];
  const { code, report } = await importFrom(polis.url, target.url, ['--product', product]);
  expect(code).toBe(1);
  expect(report!.directories).toMatchObject([
    { status: 'failed', reason: expect.stringContaining('cannot store its rows (54000)') },
    { status: 'imported' },
  ]);
  expect([await isStored(long), await isStored(sound)]).toEqual([false, true]);
});

it('names a directory with the ID of another one', async () => {
  const directory = await polis.addDirectory({ tenant: 'twin' });
  await polis.db.raw(
    `insert into jackson_store (key, value, namespace) select left(key, -1) || 'x', value, namespace from jackson_store where value like ?`,
    ['%"tenant":"twin"%'],
  );
  const { code, report } = await importTenant('twin');
  expect([code, report!.directories]).toMatchObject([
    1,
    [
      { status: 'failed', unreadable: [{ problem: 'another directory has its ID' }] },
      { id: directory.id, status: 'imported' },
    ],
  ]);
  await polis.db('jackson_store').where('value', 'like', '%"tenant":"twin"%').delete();
});

it('reads a user with two index entries once', async () => {
  const directory = await polis.addDirectory({ tenant: 'indexed-twice' });
  const { id } = await polis.addUser(directory);
  await polis.db.raw(`insert into jackson_index (key, "storeKey") select key, "storeKey" from jackson_index where key like ?`, [
    'dsync:users:indexed-twice:%',
  ]);
  const { report } = await importTenant('indexed-twice');
  expect(report!.directories).toMatchObject([{ status: 'imported', users: { read: 1, imported: 1 }, conflicts: [] }]);
  expect(await target.db('users').where({ directory_id: directory.id }).pluck('id')).toEqual([id]);
});

it('reports two rows with one ID as a conflict, and keeps one of them', async () => {
  const directory = await polis.addDirectory({ tenant: 'same-id' });
  const { id } = await polis.addUser(directory, { first_name: 'Old' });
  const group = await polis.addGroup(directory, 'All');
  await polis.addMember(directory, group.id, id);
  await polis.db.raw(
    `insert into jackson_store (key, value, namespace, "modifiedAt")
     select left(key, -1) || 'x', replace(value, '"Old"', '"New"'), namespace, "modifiedAt" + interval '1 day' from jackson_store where key like 'dsync:%:same-id:%'`,
  );
  await polis.db.raw(
    `insert into jackson_index (key, "storeKey") select key, left("storeKey", -1) || 'x' from jackson_index where key like 'dsync:%:same-id:%'`,
  );
  const failed = await importTenant('same-id');
  expect(failed.report!.directories).toMatchObject([
    { status: 'failed', conflicts: [{ kind: 'id', ids: [id, id] }, { kind: 'id', ids: [group.id, group.id] }, { kind: 'user_name' }] },
  ]);
  const { report } = await importTenant('same-id', ['--on-conflict', 'newest']);
  expect(report!.directories).toMatchObject([
    { status: 'imported', users: { read: 2, imported: 1 }, groups: { imported: 1 }, memberships: { read: 2, imported: 1, skipped: 1 } },
  ]);
  expect(await target.db('users').where({ directory_id: directory.id }).select('id', 'first_name')).toEqual([{ id, first_name: 'New' }]);
});

it('keeps raw of nearly 1 MiB, and the names of prototypes', async () => {
  const directory = await polis.addDirectory({ tenant: 'large' });
  const raw = JSON.parse(`{"userName":"x","__proto__":{"a":1},"note":"${'x'.repeat(1_000_000)}"}`) as object;
  for (let number = 0; number < 5; number += 1) await polis.addUser(directory, { raw: { ...raw, userName: `x-${number}` } });
  const { report } = await importTenant('large');
  expect(report!.directories).toMatchObject([{ status: 'imported', users: { imported: 5 } }]);
  const users = await target.db('users').where({ directory_id: directory.id }).select<{ pushed: { set: { note: string } } }[]>('pushed');
  expect(users.map(({ pushed }) => pushed.set.note.length)).toEqual(Array.from({ length: 5 }, () => 1_000_000));
});

it.each([
  ['user', { note: '\n'.repeat(8_000_000) }, '1048576 bytes as JSON'],
  ['user', { numbers: Array.from({ length: 20_001 }, () => 1) }, '20000 JSON values'],
  ['group', { note: 'x'.repeat(270_000) }, '262144 bytes as JSON'],
] as const)('names a %s whose raw is larger than a push may be', async (kind, raw, limit) => {
  const tenant = `raw-${limit.replaceAll(/\W/g, '-')}`;
  const directory = await polis.addDirectory({ tenant });
  const key = kind === 'user' ? (await polis.addUser(directory, { raw })).id : (await polis.addGroup(directory, 'All', { raw })).id;
  const { code, report } = await importTenant(tenant);
  const problem = `The resource would exceed ${limit} (fixed limit)`;
  expect([code, report!.directories]).toMatchObject([
    1,
    [{ status: 'failed', unreadable: [{ key: expect.stringContaining(polisHash(key)), problem }] }],
  ]);
  expect(await isStored(directory)).toBe(false);
});

it('keeps the digits of numbers that JavaScript would round, as text', async () => {
  const directory = await polis.addDirectory({ tenant: 'digits' });
  await polis.addUser(directory, { raw: { userName: 'digits', badges: ['BADGES'] } });
  const badges = '9007199254740993, -12345678901234567890, 1e400, 9007199254740992, 0.1, "a \\" 9007199254740993"';
  await polis.db.raw(`update jackson_store set value = replace(value, '"BADGES"', ?) where key like 'dsync:users:digits:%'`, [badges]);
  expect((await importTenant('digits')).report!.directories).toMatchObject([{ status: 'imported' }]);
  const user = await target.db('users').where({ directory_id: directory.id }).first<{ resource: { badges: unknown[] } }>('resource');
  expect(user.resource.badges).toEqual(['9007199254740993', '-12345678901234567890', '1e400', 2 ** 53, 0.1, 'a " 9007199254740993']);
});

it('finds all changes if the clock of Polis is fast', async () => {
  const directory = await polis.addDirectory({ tenant: 'ahead' });
  await polis.addUser(directory, {}, { modifiedAt: '2090-01-01T00:00:00Z' });
  await importTenant('ahead');
  const imported = await target.db('imported_directories').where({ directory_id: directory.id }).first<{ last_modified: Date }>();
  expect(imported.last_modified.getTime()).toBeLessThanOrEqual(Date.now());
});
