import { expect, it } from '@jest/globals';
import type { Knex } from 'knex';
import type { RecomputeKey } from '../../../src/directory/attributes/ports.ts';
import { createRunRecompute, type RunRecomputeDeps } from '../../../src/directory/attributes/run-recompute.ts';
import { createApplyTogether } from '../../../src/directory/changes/apply-to-directory.ts';
import { maxNoted } from '../../../src/directory/changes/find-to-recompute.ts';
import type { Change } from '../../../src/directory/changes/mutation.ts';
import { toRoleTable } from '../../../src/directory/roles/role-table.ts';
import { newId } from '../../../src/ids.ts';
import { isSameJson } from '../../../src/scim/json.ts';
import { createLogger } from '../../../src/logger.ts';
import { createRecomputeStore } from '../../../src/store/attributes/recompute-store.ts';
import { createChangeStore } from '../../../src/store/changes/change-store.ts';
import { createRoleStore } from '../../../src/store/roles/role-store.ts';
import { applyChanges, createGroup, createUser, useDirectory } from '../statements/directory.ts';

let db: Knex;
let directoryId: string;
useDirectory((found) => ({ db, directoryId } = found));

const table = toRoleTable({ groups: [{ groupName: 'Admins', role: 'admin' }], defaultRole: 'guest' });
const log = createLogger('silent');
const begun: RecomputeKey[] = [];
const onRecompute = (key: RecomputeKey) => void begun.push(key);
const apply = (changes: Change[]) => applyChanges({ db, directoryId }, changes, { onRecompute });
const noted = () => db('users_to_recompute').where({ directory_id: directoryId }).pluck<string[]>('user_id');
const rolesOf = async () =>
  Object.fromEntries((await db('users').where({ directory_id: directoryId })).map(({ user_name: name, roles }) => [name, roles]));
const run = (key: RecomputeKey, options: Partial<RunRecomputeDeps> = {}) =>
  createRunRecompute({
    recomputes: createRecomputeStore(db),
    changes: createChangeStore(db),
    onQuotaReached: () => undefined,
    log,
    ...options,
  })(key, new AbortController().signal);
async function setTable(): Promise<RecomputeKey> {
  return (await createRoleStore(db).set(directoryId, table))!.recompute!;
}
const rename = (id: string, displayName: string): Change => ({ kind: 'replaceGroup', resourceId: id, resource: { displayName } });
const told = async () =>
  (await db('events').where({ directory_id: directoryId, type: 'user.updated' }).orderBy('sequence')).map(
    ({ data }) => data.role ?? data.roles,
  );

it('computes all users if a group with very many members is renamed, and replaces a recomputation that runs', async () => {
  const ids = [newId(), newId(), newId()].sort();
  const group = newId();
  await apply([...ids.map((id, index) => createUser(id, `user-${index}`)), createGroup(group, 'Former', [ids[0]!])]);
  const running = await setTable();
  const recomputes = createRecomputeStore(db);
  expect(
    await run(running, {
      mayContinue: () => false,
      recomputes: { ...recomputes, nextUsers: (key, _limit, options) => recomputes.nextUsers(key, 1, options) },
    }),
  ).toBe('wait');
  expect(await rolesOf()).toMatchObject({ 'user-0': ['guest'], 'user-1': null });
  await db('groups')
    .where({ id: group })
    .update({ member_count: maxNoted + 1 });
  begun.length = 0;
  await apply([rename(group, 'Admins')]);
  expect([begun.length, await noted()]).toEqual([1, []]);
  // Its batch in progress must not move where the new one stands.
  await recomputes.noteProgress(running, { after: ids[1]!, users: 1 });
  expect(await run(running)).toBe('done');
  expect(await run(begun[0]!)).toBe('done');
  expect(await rolesOf()).toEqual({ 'user-0': ['admin'], 'user-1': ['guest'], 'user-2': ['guest'] });
});

it('renames a group alone, so that changes of other directories do not wait for its members', async () => {
  const [ada, group] = [newId(), newId()];
  await setTable();
  await apply([createUser(ada, 'ada'), createGroup(group, 'Admins', [ada])]);
  const mutation = { id: newId(), directoryId, ...rename(group, 'Former') };
  const applyTogether = createApplyTogether({ changes: createChangeStore(db), onQuotaReached: () => undefined, log });
  expect((await applyTogether(new Map([[directoryId, [mutation]]]))).size).toBe(0);
  const other = { id: newId(), directoryId, ...rename(group, 'ADMINS') };
  expect((await applyTogether(new Map([[directoryId, [other]]]))).size).toBe(1);
});

it('gives a user that is pushed before its groups were looked at no default role, and tells its role once', async () => {
  const ada = newId();
  await apply([createUser(ada, 'ada'), createGroup(newId(), 'Admins', [ada])]);
  const key = await setTable();
  await apply([{ kind: 'replaceUser', resourceId: ada, resource: { userName: 'ada', title: 'Countess' } }, createUser(newId(), 'ben')]);
  expect(await rolesOf()).toEqual({ ada: null, ben: ['guest'] });
  expect(await run(key)).toBe('done');
  expect(await rolesOf()).toEqual({ ada: ['admin'], ben: ['guest'] });
  expect(await told()).toEqual([undefined, 'admin']);
});

it('gives up its place after a batch if others wait, and goes on later', async () => {
  // A batch has 192.
  const ids = Array.from({ length: 200 }, () => newId());
  await apply(ids.map((id, index) => createUser(id, `user-${index}`)));
  const key = await setTable();
  const ran: number[] = [];
  const mayContinue = (ranMs: number) => ran.push(ranMs) < 0;
  expect(await run(key, { mayContinue })).toBe('wait');
  expect(await run(key, { mayContinue })).toBe('wait');
  expect(await run(key, { mayContinue })).toBe('done');
  expect(ran.every((ms) => ms > 0)).toBe(true);
  expect(Object.values(await rolesOf()).filter((roles) => isSameJson(roles, ['guest']))).toHaveLength(200);
});
