import { expect, it } from '@jest/globals';
import { holdWrites, importFrom } from '../support/import-polis.ts';
import { usePolisAndTarget } from '../support/polis-tables.ts';

const { polis, target } = usePolisAndTarget();

it('reads Polis as it was when the import began, and shows how far it is', async () => {
  const [first, second] = [
    await polis.addDirectory({ tenant: 'still', product: 'a' }, { createdAt: '2024-01-01T00:00:00Z' }),
    await polis.addDirectory({ tenant: 'still', product: 'b' }, { createdAt: '2024-01-02T00:00:00Z' }),
  ];
  await polis.addUser(first);
  const user = await polis.addUser(second);
  const group = await polis.addGroup(second, 'All');
  await polis.addMember(second, group.id, user.id);
  const held = await holdWrites(target.db, first.id);
  const importing = importFrom(polis.url, target.url, ['--tenant', 'still']);
  await held.isWaiting();
  await polis.db('jackson_store').where('value', 'like', `%"id":"${user.id}"%`).delete();
  await polis.addUser(second);
  await held.release();
  const { stderr, report } = await importing;
  expect(report!.directories).toMatchObject([
    { id: first.id, status: 'imported' },
    { id: second.id, status: 'imported', users: { read: 1, imported: 1 }, memberships: { imported: 1 }, orphans: 0 },
  ]);
  expect(await target.db('users').where({ directory_id: second.id }).pluck('id')).toEqual([user.id]);
  expect(stderr).toMatch(/^Reading users of still\/a: 1 of 1 \(100%\)$/m);
  expect(stderr).toMatch(/^Reading memberships of still\/b: 1 of 1 \(100%\)$/m);
});
