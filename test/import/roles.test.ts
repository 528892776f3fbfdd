import { expect, it } from '@jest/globals';
import { createRunRecompute } from '../../src/directory/attributes/run-recompute.ts';
import { toRoleTable } from '../../src/directory/roles/role-table.ts';
import { createLogger } from '../../src/logger.ts';
import { createRecomputeStore } from '../../src/store/attributes/recompute-store.ts';
import { createChangeStore } from '../../src/store/changes/change-store.ts';
import { createRoleStore } from '../../src/store/roles/role-store.ts';
import { importFrom } from '../support/import-polis.ts';
import { usePolisAndTarget } from '../support/polis-tables.ts';

const { polis, target } = usePolisAndTarget();

const table = toRoleTable({
  groups: [
    { groupName: 'Admins', role: 'admin' },
    { groupName: 'Staff', role: 'member' },
  ],
  defaultRole: 'guest',
});

it('notes the users whom an import concerns, and keeps the roles of others', async () => {
  const { db } = target;
  const directory = await polis.addDirectory({ tenant: 'roles' });
  const [ada, ben, cy] = [await polis.addUser(directory), await polis.addUser(directory), await polis.addUser(directory)];
  const [admins, others] = [await polis.addGroup(directory, 'Admins'), await polis.addGroup(directory, 'Others')];
  await polis.addMember(directory, admins.id, ada.id);
  await polis.addMember(directory, others.id, ben.id);
  const runImport = async () => {
    const { code, report } = await importFrom(polis.url, target.url, ['--tenant', 'roles']);
    expect([code, report!.directories]).toMatchObject([0, [{ status: expect.stringMatching(/^(imported|unchanged)$/) }]]);
  };
  const noted = async () => (await db('users_to_recompute').where({ directory_id: directory.id }).pluck<string[]>('user_id')).sort();
  const roles = async () => {
    const rows = await db('users').where({ directory_id: directory.id });
    return Object.fromEntries(rows.map((row) => [row.id, row.roles]));
  };
  const compute = async () => {
    const row = await db('attribute_recomputes').where({ directory_id: directory.id }).first('id', 'finished_at');
    expect(row!.finished_at).toBeNull();
    const run = createRunRecompute({
      recomputes: createRecomputeStore(db),
      changes: createChangeStore(db),
      onQuotaReached: () => undefined,
      log: createLogger('silent'),
    });
    expect(await run({ directoryId: directory.id, recomputeId: row!.id }, new AbortController().signal)).toBe('done');
  };
  await runImport();
  await createRoleStore(db).set(directory.id, table);
  await compute();
  expect(await roles()).toEqual({ [ada.id]: ['admin'], [ben.id]: ['guest'], [cy.id]: ['guest'] });
  await runImport();
  expect(await noted()).toEqual([]);

  // A new user, a new member, one less, and a group that is renamed into a row.
  const dan = await polis.addUser(directory);
  await polis.addMember(directory, admins.id, cy.id);
  await polis.db('jackson_store').where('value', 'like', `%${admins.id}%`).andWhere('value', 'like', `%${ada.id}%`).delete();
  await polis
    .db('jackson_store')
    .where('key', 'like', 'dsync:groups:%')
    .andWhere('value', 'like', `%"id":"${others.id}"%`)
    .update({ value: JSON.stringify({ ...others, name: 'Staff', raw: { displayName: 'Staff', members: [], id: others.id } }) });
  await runImport();
  expect(await noted()).toEqual([ada.id, ben.id, cy.id].sort());
  expect(await roles()).toEqual({ [ada.id]: ['admin'], [ben.id]: ['guest'], [cy.id]: ['guest'], [dan.id]: ['guest'] });
  await compute();
  expect(await roles()).toEqual({ [ada.id]: ['guest'], [ben.id]: ['member'], [cy.id]: ['admin'], [dan.id]: ['guest'] });
  // To the import, that is no change of the directory.
  await runImport();
  expect(await noted()).toEqual([]);
});

it('notes the members of a group whose new name is in no row, also those who leave it at the same time', async () => {
  const { db } = target;
  const directory = await polis.addDirectory({ tenant: 'renamed' });
  const [ada, ben] = [await polis.addUser(directory), await polis.addUser(directory)];
  const admins = await polis.addGroup(directory, 'Admins');
  await polis.addMember(directory, admins.id, ada.id);
  await polis.addMember(directory, admins.id, ben.id);
  const runImport = async () => expect((await importFrom(polis.url, target.url, ['--tenant', 'renamed'])).code).toBe(0);
  await runImport();
  await createRoleStore(db).set(directory.id, table);
  await polis
    .db('jackson_store')
    .where('key', 'like', 'dsync:groups:%')
    .andWhere('value', 'like', `%"id":"${admins.id}"%`)
    .update({ value: JSON.stringify({ ...admins, name: 'Others', raw: { displayName: 'Others', members: [], id: admins.id } }) });
  await polis.db('jackson_store').where('value', 'like', `%${admins.id}%`).andWhere('value', 'like', `%${ben.id}%`).delete();
  await runImport();
  const noted = await db('users_to_recompute').where({ directory_id: directory.id }).pluck<string[]>('user_id');
  expect(noted.sort()).toEqual([ada.id, ben.id].sort());
});
