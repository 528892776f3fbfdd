import { expect, it } from '@jest/globals';
import type { Knex } from 'knex';
import type { RecomputeKey } from '../../../src/directory/attributes/ports.ts';
import { createRunRecompute, type RunRecomputeDeps } from '../../../src/directory/attributes/run-recompute.ts';
import { applyInTransaction, createApplyTogether } from '../../../src/directory/changes/apply-to-directory.ts';
import type { Change } from '../../../src/directory/changes/mutation.ts';
import { toUserProfile } from '../../../src/directory/resources/user.ts';
import { toRoleTable } from '../../../src/directory/roles/role-table.ts';
import { newId } from '../../../src/ids.ts';
import { createLogger } from '../../../src/logger.ts';
import { createRecomputeStore } from '../../../src/store/attributes/recompute-store.ts';
import { type ChangeStoreOptions, createChangeStore } from '../../../src/store/changes/change-store.ts';
import { createDeletionStore } from '../../../src/store/directories/deletion-store.ts';
import { createRoleStore } from '../../../src/store/roles/role-store.ts';
import { toUser } from '../../../src/store/users/user-rows.ts';
import { until } from '../../support/until.ts';
import { applyChanges, createGroup, createUser, useDirectory } from '../statements/directory.ts';

let db: Knex;
let directoryId: string;
useDirectory((found) => ({ db, directoryId } = found));

const table = toRoleTable({ groups: [{ groupName: 'Admins', role: 'admin' }], defaultRole: 'guest' });
const log = createLogger('silent');
const apply = (changes: Change[], options?: ChangeStoreOptions) => applyChanges({ db, directoryId }, changes, options);
const noted = () => db('users_to_recompute').where({ directory_id: directoryId }).orderBy('user_id').pluck<string[]>('user_id');
const rolesOf = async () =>
  Object.fromEntries((await db('users').where({ directory_id: directoryId })).map(({ user_name: name, roles }) => [name, roles]));
const run = (key: RecomputeKey, options?: ChangeStoreOptions, more: Partial<RunRecomputeDeps> = {}) =>
  createRunRecompute({
    recomputes: createRecomputeStore(db),
    changes: createChangeStore(db, options),
    onQuotaReached: () => undefined,
    log,
    ...more,
  })(key, new AbortController().signal);
/** Sets the table, and computes the users. */
async function setTable(): Promise<void> {
  const changed = await createRoleStore(db).set(directoryId, table);
  await run(changed!.recompute!);
}
const addTo = (id: string, ...values: string[]): Change => ({
  kind: 'patchGroup',
  resourceId: id,
  operations: [],
  members: [{ kind: 'add', members: values.map((value) => ({ value })) }],
});

it('notes users in the transaction that adds them, tells the caller, and is found if the caller died', async () => {
  const [ada, group] = [newId(), newId()];
  await setTable();
  const begun: RecomputeKey[] = [];
  await apply([createUser(ada, 'ada'), createUser(newId(), 'ben')]);
  expect(await noted()).toEqual([]);
  await apply([createGroup(group, 'Admins', [ada])], { onRecompute: (key) => begun.push(key) });
  expect(await noted()).toEqual([ada]);
  expect(begun).toHaveLength(1);
  await db('attribute_recomputes')
    .where({ directory_id: directoryId })
    .update({ progressed_at: db.raw(`now() - interval '1 hour'`) });
  expect(await createRecomputeStore(db).findUnfinished(10)).toEqual(begun);
  expect(await run(begun[0]!)).toBe('done');
  expect([await noted(), await rolesOf()]).toEqual([[], { ada: ['admin'], ben: ['guest'] }]);
});

it('leaves a recomputation that runs, which takes the noted users first and then goes on', async () => {
  const ids = Array.from({ length: 4 }, () => newId()).sort();
  await apply(ids.map((id, index) => createUser(id, `user-${index}`)));
  const changed = await createRoleStore(db).set(directoryId, table);
  const key = changed!.recompute!;
  const recomputes = createRecomputeStore(db);
  expect(await recomputes.nextUsers(key, 2)).toMatchObject({ userIds: ids.slice(0, 2), isNoted: false });
  const begun: RecomputeKey[] = [];
  await apply([createGroup(newId(), 'Admins', [ids[3]!])], { onRecompute: (other) => begun.push(other) });
  expect(begun).toEqual([]);
  expect(await recomputes.nextUsers(key, 2)).toMatchObject({ userIds: [ids[3]], isNoted: true });
  await run(key);
  expect(Object.values(await rolesOf())).toEqual([['guest'], ['guest'], ['guest'], ['admin']]);
});

it('forgets the note of a user who stays the same', async () => {
  const ada = newId();
  await setTable();
  await apply([createUser(ada, 'ada')]);
  await db('users_to_recompute').insert({ directory_id: directoryId, user_id: ada });
  const mutation = { id: newId(), directoryId, kind: 'recompute' as const, userIds: [ada], isNoted: true };
  await applyInTransaction(createChangeStore(db), directoryId, [mutation], undefined, { reason: 'mapping' });
  expect([await noted(), await rolesOf()]).toEqual([[], { ada: ['guest'] }]);
});

it('does not end while a change that is not committed notes users', async () => {
  const ada = newId();
  await setTable();
  await apply([createUser(ada, 'ada')]);
  const key: RecomputeKey = {
    directoryId,
    recomputeId: (await db('attribute_recomputes').where({ directory_id: directoryId }).first('id'))!.id,
  };
  const recomputes = createRecomputeStore(db);
  await db('attribute_recomputes').where({ directory_id: directoryId }).update({ finished_at: null });
  const trx = await db.transaction();
  const begun: RecomputeKey[] = [];
  await applyChanges({ db: trx, directoryId }, [createGroup(newId(), 'Admins', [ada])], { onRecompute: (other) => begun.push(other) });
  expect(begun).toEqual([]);
  const finishing = recomputes.finish(key);
  await untilWaiting();
  await trx.commit();
  expect(await finishing).toBe(false);
  expect(await recomputes.nextUsers(key, 64)).toMatchObject({ userIds: [ada], isNoted: true });
  await run(key);
  expect(await recomputes.finish(key)).toBe(true);
});

it('begins a recomputation that has ended again', async () => {
  const [ada, group] = [newId(), newId()];
  await setTable();
  await apply([createUser(ada, 'ada'), createGroup(group, 'Admins', [])]);
  const keys: RecomputeKey[] = [];
  for (const change of [addTo(group, ada), { kind: 'deleteGroup', resourceId: group } as const]) {
    await apply([change], { onRecompute: (key) => keys.push(key) });
    await run(keys.at(-1)!);
  }
  expect(new Set(keys.map(({ recomputeId }) => recomputeId)).size).toBe(2);
  expect(await rolesOf()).toEqual({ ada: ['guest'] });
  expect(await db('attribute_recomputes').where({ directory_id: directoryId }).pluck('done')).toEqual([1]);
});

it('keeps noted users until the webhook has room for events', async () => {
  const ada = newId();
  await setTable();
  const keys: RecomputeKey[] = [];
  await apply([createUser(ada, 'ada'), createGroup(newId(), 'Admins', [ada])], { onRecompute: (key) => keys.push(key) });
  await db('all_directories')
    .where({ id: directoryId })
    .update({ quotas: JSON.stringify({ undelivered_bytes: 1 }) });
  expect(await run(keys[0]!)).toBe('wait');
  expect(await noted()).toEqual([ada]);
  await db('all_directories').where({ id: directoryId }).update({ quotas: null });
  expect(await run(keys[0]!)).toBe('done');
  expect(await rolesOf()).toEqual({ ada: ['admin'] });
});

it('computes the same with many statements as with one, and forgets users that were deleted since', async () => {
  const [ada, ben] = [newId(), newId()];
  await setTable();
  const keys: RecomputeKey[] = [];
  await apply([createUser(ada, 'ada'), createUser(ben, 'ben'), createGroup(newId(), 'Admins', [ada, ben])], {
    onRecompute: (key) => keys.push(key),
  });
  await apply([{ kind: 'deleteUser', resourceId: ben }]);
  expect(await run(keys[0]!, { smallBytes: -1 })).toBe('done');
  expect([await noted(), await rolesOf()]).toEqual([[], { ada: ['admin'] }]);
});

it('notes users of several directories with one statement', async () => {
  const directories = [directoryId, newId(), newId()];
  for (const id of directories.slice(1)) {
    await db('directories').insert({ id, tenant: 't', product: 'p', name: 'n', type: 'generic-scim-v2' });
    await db('webhook_endpoints').insert({ id: newId(), directory_id: id, url: 'http://127.0.0.1:1/' });
  }
  const users = directories.map(() => newId());
  for (const [index, id] of directories.entries()) {
    if (index < 2)
      await createRoleStore(db)
        .set(id, table)
        .then((changed) => createRecomputeStore(db).finish(changed!.recompute!));
    await applyChanges({ db, directoryId: id }, [createUser(users[index]!, 'ada')]);
  }
  const begun: RecomputeKey[] = [];
  const changes = createChangeStore(db, { onRecompute: (key) => begun.push(key) });
  const mutations = directories.map((id, index) => ({ id: newId(), directoryId: id, ...createGroup(newId(), 'ADMINS', [users[index]!]) }));
  const sent: string[] = [];
  const record = ({ sql }: { sql: string }) => sent.push(sql);
  db.on('query', record);
  const applied = await createApplyTogether({ changes, onQuotaReached: () => undefined, log })(
    new Map(mutations.map((mutation) => [mutation.directoryId, [mutation]])),
  );
  db.off('query', record);
  expect([applied.size, sent.length]).toEqual([3, 2]);
  expect(begun.map((key) => key.directoryId).sort()).toEqual(directories.slice(0, 2).sort());
  const all = await db('users_to_recompute').whereIn('directory_id', directories).pluck<string[]>('user_id');
  expect(new Set(all)).toEqual(new Set(users.slice(0, 2)));
});

it('shows the same user in a membership event, which Postgres writes, as elsewhere', async () => {
  const ids = [newId(), newId(), newId()];
  const shown = [[], ['a'], ['a', 'b']];
  await setTable();
  await apply(ids.map((id, index) => createUser(id, `user-${index}`)));
  for (const [index, id] of ids.entries())
    await db('users')
      .where({ directory_id: directoryId, id })
      .update({ roles: JSON.stringify(shown[index]) });
  await apply([createGroup(newId(), 'Others', ids)]);
  const events = await db('events').where({ directory_id: directoryId, type: 'group.user_added' }).orderBy('sequence').select('data');
  const rows = await db('users').where({ directory_id: directoryId }).orderBy('created_at').orderBy('id');
  const byId = new Map(rows.map((row) => [row.id, JSON.parse(JSON.stringify(toUserProfile(toUser(row))))]));
  expect(events).toHaveLength(3);
  for (const { data } of events) {
    const { group: _, reason: _reason, ...profile } = data;
    expect(profile).toEqual(byId.get(data.id));
    expect(profile.role).toBe(profile.roles[0] ?? null);
  }
});

it('deletes noted users with their directory', async () => {
  const ada = newId();
  await setTable();
  await apply([createUser(ada, 'ada'), createGroup(newId(), 'Admins', [ada])]);
  await db('all_directories').where({ id: directoryId }).update({ deleting_at: db.fn.now() });
  while (await createDeletionStore(db).deleteSome(directoryId, 1));
  expect(await noted()).toEqual([]);
});

/** Until a statement waits for the row of the recomputation. */
const untilWaiting = () =>
  until(async () => {
    const { rows } = await db.raw<{ rows: object[] }>(
      `select from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock' and query like '%attribute_recomputes%for update%'`,
    );
    return rows.length > 0;
  });

it('waits a moment for the other users of a burst before it ends, if there is room', async () => {
  const [ada, group] = [newId(), newId()];
  await apply([createUser(ada, 'ada'), createGroup(group, 'Admins', [])]);
  const asked: string[] = [];
  const timed = async (key: RecomputeKey, kind: string, mayLinger: boolean) => {
    const startedMs = performance.now();
    const noteAsked = () => asked.push(kind) > 0 && mayLinger;
    expect(await run(key, undefined, { mayLinger: noteAsked })).toBe('done');
    return performance.now() - startedMs;
  };
  await timed((await createRoleStore(db).set(directoryId, table))!.recompute!, 'all users', true);
  const begun: RecomputeKey[] = [];
  await apply([addTo(group, ada)], { onRecompute: (key) => begun.push(key) });
  expect(await timed(begun[0]!, 'noted', true)).toBeGreaterThan(249);
  await apply([{ kind: 'deleteGroup', resourceId: group }], { onRecompute: (key) => begun.push(key) });
  await timed(begun[1]!, 'noted, without room', false);
  expect(asked).toEqual(['noted', 'noted, without room']);
});
