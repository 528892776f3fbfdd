import { randomBytes } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { polisHash } from '../../src/directory/import/polis-records.ts';
import { importFrom } from '../support/import-polis.ts';
import { createPolisTables, usePolisAndTarget } from '../support/polis-tables.ts';

/** Rows of old versions of Polis, in tables that are filled by hand. */

const { polis, target } = usePolisAndTarget();

const importTenant = (tenant: string, options: string[] = [], from = polis) =>
  importFrom(from.url, target.url, ['--tenant', tenant, ...options]);
const usersOf = (directoryId: string) =>
  target.db('users').where({ directory_id: directoryId }).orderBy('created_at').select<Record<string, unknown>[]>('*');

it('reads rows without namespace and index, of a tenant with colons and wildcards, and no rows of similar tenants', async () => {
  const old = { hasNamespace: false, isIndexed: false, modifiedAt: null };
  const directory = await polis.addDirectory({ tenant: 'a:b%_', product: 'c' }, { hasNamespace: false });
  const shorter = await polis.addDirectory({ tenant: 'a', product: 'b%_' }, { hasNamespace: false });
  const other = await polis.addDirectory({ tenant: 'a:bXY', product: 'c' }, { hasNamespace: false });
  const ada = await polis.addUser(directory, {}, { ...old, createdAt: '2022-01-01T00:00:00Z' });
  const grace = await polis.addUser(directory, {}, old);
  const ofOther = await polis.addUser(other, {}, old);
  const group = await polis.addGroup(directory, 'Old', old);
  await polis.addMember(directory, group.id, ada.id, old);
  const { report } = await importTenant('a:b%_');
  expect(report!.directories).toMatchObject([
    { id: directory.id, status: 'imported', users: { read: 2, imported: 2 }, groups: { imported: 1 }, memberships: { imported: 1 } },
  ]);
  expect((await usersOf(directory.id)).map(({ id }) => id)).toEqual([ada.id, grace.id]);
  expect((await importTenant('a:bXY')).report!.directories).toMatchObject([{ users: { imported: 1 } }]);
  expect((await usersOf(other.id)).map(({ id }) => id)).toEqual([ofOther.id]);
  // The keys of the first directory begin with its namespace.
  await polis.addUser(shorter, {}, old);
  expect((await importTenant('a')).report!.directories).toMatchObject([{ id: shorter.id, users: { read: 1 }, groups: { read: 0 } }]);
});

it('reads a table from before namespaces', async () => {
  const former = await createPolisTables({ hasNamespaces: false });
  try {
    const directory = await former.addDirectory({ tenant: 'former' });
    await former.addUser(directory, {}, { isIndexed: false });
    expect((await importTenant('former', [], former)).report!.directories).toMatchObject([{ status: 'imported', users: { imported: 1 } }]);
  } finally {
    await former.drop();
  }
});

it('reads plain and encrypted rows side by side, with initialization vectors of 12 and 16 bytes, and both forms of the key', async () => {
  const text = 'exactly-32-characters-are-a-key!';
  const key = Buffer.from(text, 'latin1');
  const directory = await polis.addDirectory({ tenant: 'sealed' }, { key });
  await polis.addUser(directory, {}, { key, ivBytes: 16 });
  await polis.addUser(directory, {}, { key });
  await polis.addUser(directory, {});
  expect((await importTenant('sealed', ['--source-encryption-key', text])).report!.directories).toMatchObject([
    { status: 'imported', users: { read: 3, imported: 3 } },
  ]);
  const piped = ['--tenant', 'sealed', '--source-encryption-key', '-'];
  const again = await importFrom(polis.url, target.url, piped, { stdin: `${key.toString('base64')}\n` });
  expect(again.report!.directories).toMatchObject([{ status: 'unchanged' }]);
  for (const secret of [text, key.toString('base64'), new URL(polis.url).password || 'no password'])
    expect(`${again.stdout}${again.stderr}${JSON.stringify(again.report)}`).not.toContain(secret);
  await polis.db('jackson_store').where('key', 'like', 'dsync:config:%').whereNotNull('iv').delete();
});

it('reads users after a PUT, which have no directory, and users whose index has an old name', async () => {
  const directory = await polis.addDirectory({ tenant: 'renamed' });
  const user = await polis.addUser(directory, { email: 'old@example.com' });
  const raw = { userName: 'new@example.com', id: user.id };
  await polis
    .db('jackson_store')
    .where('key', 'like', `dsync:users:renamed:%`)
    .update({ value: JSON.stringify({ ...user, email: 'new@example.com', raw }) });
  await polis.addUser(directory, { email: 'old@example.com' });
  await importTenant('renamed');
  expect(new Set((await usersOf(directory.id)).map(({ email }) => email))).toEqual(new Set(['new@example.com', 'old@example.com']));
});

it('falls back to the email without userName, and keeps attributes that SCIM does not allow in raw only', async () => {
  const directory = await polis.addDirectory({ tenant: 'loose' });
  const raw = { name: 'Ada Lovelace', emails: { value: 'ada@example.com' }, active: 'maybe', title: ['Dr', 'Prof'] };
  const user = await polis.addUser(directory, { email: 'ada@example.com', active: 'False', first_name: null, raw });
  const { report } = await importTenant('loose');
  expect(report!.directories).toMatchObject([{ status: 'imported', warnings: [expect.stringContaining('1 user has attributes')] }]);
  const [row] = await usersOf(directory.id);
  expect(row).toMatchObject({ id: user.id, user_name: 'ada@example.com', email: 'ada@example.com', active: false, first_name: '' });
  expect(row!['resource']).toMatchObject({ userName: 'ada@example.com', emails: [{ value: 'ada@example.com' }], active: false });
  expect(row!['resource']).not.toHaveProperty('name');
});

it('keeps the IDs and tokens of Google, so that the next sync finds the same users', async () => {
  const directory = await polis.addDirectory({
    tenant: 'google',
    type: 'google',
    scim: { path: '', secret: '' },
    google_access_token: 'access',
    google_refresh_token: 'refresh',
    google_domain: 'acme.example',
  });
  const raw = {
    id: '103456789012345678901',
    primaryEmail: 'ada@acme.example',
    name: { givenName: 'Ada', familyName: 'Lovelace', fullName: 'Ada Lovelace' },
    suspended: true,
    etag: 'changes',
    emails: [{ address: 'ada@acme.example', primary: true }],
  };
  const user = await polis.addUser(directory, { id: raw.id, email: raw.primaryEmail, active: false, raw });
  const groupRaw = { id: '03abc', email: 'team@acme.example', name: 'Team' };
  for (const id of ['03abc', '04abc']) await polis.addGroup(directory, 'Team', { id, raw: { ...groupRaw, displayName: undefined, id } });
  await polis.addMember(directory, '03abc', user.id);
  await polis.addMember(directory, '04abc', '03abc');
  const { report } = await importTenant('google');
  expect(report!.directories).toMatchObject([
    { status: 'imported', users: { imported: 1 }, groups: { imported: 2 }, memberships: { imported: 2 } },
  ]);
  expect(report!.directories[0]!.checksums!.target).toEqual(report!.directories[0]!.checksums!.source);
  expect(await usersOf(directory.id)).toMatchObject([
    { public_id: user.id, external_id: user.id, user_name: raw.primaryEmail, active: false, resource: { displayName: 'Ada Lovelace' } },
  ]);
  const kinds = await target.db('group_members').where({ directory_id: directory.id }).orderBy('position').pluck('kind');
  expect(kinds).toEqual(['user', 'group']);
  const stored = await target.db('directories').where({ id: directory.id }).first('google_domain', 'google_refresh_token');
  expect(stored).toMatchObject({ google_domain: 'acme.example', google_refresh_token: expect.any(String) });
});

it('keeps groups of the same name, and drops and counts memberships without a user', async () => {
  const directory = await polis.addDirectory({ tenant: 'orphans' });
  const user = await polis.addUser(directory);
  const [one, two] = [await polis.addGroup(directory, 'Same'), await polis.addGroup(directory, 'same')];
  await polis.addMember(directory, one.id, user.id);
  await polis.addMember(directory, one.id, 'nobody');
  await polis.addMember(directory, 'no-group', user.id);
  await polis.addMember(directory, two.id, one.id);
  const { report } = await importTenant('orphans');
  expect(report!.directories).toMatchObject([
    { status: 'imported', groups: { imported: 2 }, memberships: { read: 4, imported: 2, skipped: 2 }, orphans: 2 },
  ]);
});

it('separates the users, groups and memberships of two directories of one tenant and product', async () => {
  const [first, second] = [await polis.addDirectory({ tenant: 'pair' }), await polis.addDirectory({ tenant: 'pair' })];
  for (const directory of [first, second]) {
    const user = await polis.addUser(directory, { email: 'same@example.com' });
    const group = await polis.addGroup(directory, 'Same');
    await polis.addMember(directory, group.id, user.id);
  }
  const { report } = await importTenant('pair');
  for (const directory of report!.directories)
    expect(directory).toMatchObject({
      status: 'imported',
      users: { imported: 1 },
      memberships: { read: 1, imported: 1, skipped: 0 },
      orphans: 0,
    });
});

it('names a row that cannot be read, imports nothing of its directory, and imports the others', async () => {
  const [broken, sound] = [
    await polis.addDirectory({ tenant: 'broken' }),
    await polis.addDirectory({ tenant: 'broken', product: 'sound' }),
  ];
  await polis.addUser(broken);
  await polis.addUser(broken, { id: 'unreadable' });
  await polis.addUser(sound);
  const key = `dsync:users:broken:crm:${polisHash('unreadable')}`;
  await polis.db('jackson_store').where({ key }).update({ iv: 'AAAA', tag: 'AAAA' });
  const { code, stderr, report } = await importTenant('broken', ['--source-encryption-key', randomBytes(32).toString('base64')]);
  expect([code, stderr]).toEqual([1, expect.stringContaining(key)]);
  expect(report!.directories).toMatchObject([
    { id: broken.id, status: 'failed', unreadable: [{ key }], users: { imported: 0 } },
    { id: sound.id, status: 'imported', users: { imported: 1 } },
  ]);
  expect(await target.db('all_directories').where({ id: broken.id })).toEqual([]);
  await polis
    .db('jackson_store')
    .where({ key })
    .update({ value: JSON.stringify({ id: 'unreadable', raw: { note: 'a\0b' } }), iv: null, tag: null });
  expect((await importTenant('broken')).stderr).toContain('a character that Postgres cannot store');
  await polis.db('jackson_store').where({ key }).delete();
  expect((await importTenant('broken')).report!.directories).toMatchObject([{ status: 'imported' }, { status: 'unchanged' }]);
});
