import { expect, it } from '@jest/globals';
import { importFrom } from '../support/import-polis.ts';
import { usePolisAndTarget, type PolisDirectoryValue } from '../support/polis-tables.ts';

const { polis, target } = usePolisAndTarget();

const importTenant = (tenant: string, options: string[] = []) => importFrom(polis.url, target.url, ['--tenant', tenant, ...options]);
const idsOf = ({ id }: PolisDirectoryValue) => target.db('users').where({ directory_id: id }).orderBy('id').pluck('id');

async function addNamesakes(tenant: string) {
  const directory = await polis.addDirectory({ tenant });
  const group = await polis.addGroup(directory, 'All');
  const add = async (userName: string, createdAt: string, modifiedAt: string) => {
    const { id } = await polis.addUser(directory, { raw: { userName } }, { createdAt, modifiedAt });
    await polis.addMember(directory, group.id, id);
    return id;
  };
  const oldest = await add('ada@example.com', '2024-01-01T00:00:00Z', '2024-03-01T00:00:00Z');
  const newest = await add('ADA@example.com', '2024-02-01T00:00:00Z', '2024-05-01T00:00:00Z');
  const between = await add('Ada@example.com', '2024-03-01T00:00:00Z', '2024-04-01T00:00:00Z');
  const other = await add('other@example.com', '2024-01-01T00:00:00Z', '2024-01-01T00:00:00Z');
  return { directory, oldest, newest, between, other };
}

it('imports nothing of a directory with two users of one name, and names their IDs', async () => {
  const { directory, oldest, newest, between } = await addNamesakes('fail');
  const { code, stderr, report } = await importTenant('fail');
  expect([code, stderr]).toEqual([1, expect.stringContaining('1 conflict was found: correct it in Polis, or choose with --on-conflict.')]);
  expect(report!.directories).toMatchObject([{ status: 'failed', conflicts: [{ kind: 'user_name', ids: [oldest, newest, between] }] }]);
  expect(await target.db('all_directories').where({ id: directory.id })).toEqual([]);
});

it.each(['newest', 'skip'] as const)('keeps one of the users with --on-conflict %s, with its memberships', async (policy) => {
  const { directory, oldest, newest, other } = await addNamesakes(policy);
  const kept = policy === 'newest' ? newest : oldest;
  const dry = await importTenant(policy, ['--on-conflict', policy, '--dry-run']);
  expect(dry.report).toMatchObject({ dry_run: true, directories: [{ status: 'planned', users: { read: 4, imported: 2, skipped: 2 } }] });
  expect(await target.db('all_directories').where({ id: directory.id })).toEqual([]);
  const { code, report } = await importTenant(policy, ['--on-conflict', policy]);
  expect(code).toBe(0);
  expect(report!.directories).toMatchObject([
    { status: 'imported', users: { read: 4, imported: 2, skipped: 2 }, memberships: { read: 4, imported: 2 }, conflicts: [{ kept }] },
  ]);
  expect(await idsOf(directory)).toEqual([kept, other].sort());
  expect((await importTenant(policy, ['--on-conflict', policy])).report!.directories).toMatchObject([{ status: 'unchanged' }]);
});

it('reports duplicates of externalId, and a user and a group with the same ID', async () => {
  const directory = await polis.addDirectory({ tenant: 'ids' });
  for (const userName of ['a', 'b']) await polis.addUser(directory, { raw: { userName, externalId: 'e-1' } });
  const user = await polis.addUser(directory);
  await polis.addGroup(directory, 'Same ID', { id: user.id });
  for (const name of ['c', 'd']) await polis.addGroup(directory, name, { raw: { externalId: 'g-1' } });
  const { report } = await importTenant('ids');
  expect(report!.directories[0]!.conflicts.map(({ kind }) => kind)).toEqual(['user_external_id', 'group_external_id', 'id']);
  const resolved = await importTenant('ids', ['--on-conflict', 'newest']);
  expect(resolved.report!.directories).toMatchObject([{ status: 'failed', reason: expect.stringContaining('1 conflict was found') }]);
});
