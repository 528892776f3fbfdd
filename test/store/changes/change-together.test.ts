import { afterAll, beforeAll, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { randomBytes } from 'node:crypto';
import { type Applied, applyInTransaction, createApplyTogether } from '../../../src/directory/changes/apply-to-directory.ts';
import type { Change, Mutation } from '../../../src/directory/changes/mutation.ts';
import { toRoleTable } from '../../../src/directory/roles/role-table.ts';
import { newId } from '../../../src/ids.ts';
import { readPatch } from '../../../src/scim/patch/read-patch.ts';
import { userType } from '../../../src/scim/schema/resource-types.ts';
import { createLogger } from '../../../src/logger.ts';
import { createChangeStore } from '../../../src/store/changes/change-store.ts';
import { cloneDatabase } from '../../support/database.ts';
import { anyStep, contentsOf, toChanges } from '../../support/random-changes.ts';
import { statusOf } from '../../support/status-of.ts';
import { randomRuns } from '../../support/random-runs.ts';

let database: Awaited<ReturnType<typeof cloneDatabase>>;
let store: ReturnType<typeof createChangeStore>;
beforeAll(async () => {
  database = await cloneDatabase();
  store = createChangeStore(database.db);
});
afterAll(() => database.drop());

const patchUrn = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
const log = createLogger('debug');
const applyTogether = (groups: Record<string, Mutation[]>) =>
  createApplyTogether({ changes: store, onQuotaReached: () => undefined, log })(new Map(Object.entries(groups)));
const directories = (count: number) => Promise.all(Array.from({ length: count }, createDirectory));
async function createDirectory(): Promise<string> {
  const id = newId();
  await database.db('directories').insert({ id, tenant: 't', product: 'p', name: 'n', type: 'generic-scim-v2' });
  await database.db('webhook_endpoints').insert({ id: newId(), directory_id: id, url: 'http://127.0.0.1:1/' });
  return id;
}
const mutate = (directoryId: string, change: Change): Mutation => ({ id: newId(), directoryId, ...change });
const create = (directoryId: string, userName: string) =>
  mutate(directoryId, { kind: 'createUser', resourceId: newId(), resource: { userName } });
const namesIn = async (directoryId: string) =>
  (await database.db('users').where({ directory_id: directoryId }).orderBy('user_name')).map((user) => user.user_name);
const countEventsOf = async (directoryId: string) =>
  (await database.db('stored_events').where({ directory_id: directoryId }).pluck('id')).length;
const emailsIn = (directoryId: string) => database.db('user_emails').where({ directory_id: directoryId }).pluck('value_key');

it('applies the changes of several directories with two statements', async () => {
  const [one, two, three] = await directories(3);
  const sent: string[] = [];
  const record = ({ sql }: { sql: string }) => sent.push(sql);
  database.db.on('query', record);
  const applied = await applyTogether({
    [one!]: [create(one!, 'ada'), create(one!, 'ADA')],
    [two!]: [create(two!, 'ada')],
    [three!]: [create(three!, 'cy')],
  });
  database.db.off('query', record);
  expect(sent).toHaveLength(2);
  expect(new Set(applied.keys())).toEqual(new Set([one, two, three]));
  expect(applied.get(one!)!.outcomes.map(statusOf)).toEqual([undefined, 409]);
  expect([...applied.values()].map(({ wake }) => wake)).toEqual([true, true, true]);
  expect(await Promise.all([one, two, three].map((id) => namesIn(id!)))).toEqual([['ada'], ['ada'], ['cy']]);
});

it('leaves out a directory that is locked, gone, or has changed since it was read', async () => {
  const [locked, gone, moved, one, two] = await directories(5);
  await database.db('directories').where({ id: gone }).delete();
  const holder = await database.db.transaction();
  await holder('directories').where({ id: locked }).forUpdate().first();
  const groups = Object.fromEntries([locked, gone, moved, one, two].map((id) => [id!, [create(id!, 'ada')]]));
  const changes = {
    ...store,
    changeTogether: ((all) =>
      store.changeTogether(
        all.map(({ request, decide }) => ({
          request,
          decide: async (snapshot) => {
            if (request.directoryId === moved) await applyInTransaction(store, moved, [create(moved, 'ben')]);
            return decide(snapshot);
          },
        })),
      )) as typeof store.changeTogether,
  };
  const applied = await createApplyTogether({ changes, onQuotaReached: () => undefined, log })(new Map(Object.entries(groups)));
  await holder.rollback();
  expect(new Set(applied.keys())).toEqual(new Set([one, two]));
  expect(await Promise.all([locked, moved, one].map((id) => namesIn(id!)))).toEqual([[], ['ben'], ['ada']]);
});

it('leaves out a directory whose endpoint is locked', async () => {
  const [locked, one] = await directories(2);
  const holder = await database.db.transaction();
  await holder('webhook_endpoints').where({ directory_id: locked }).forUpdate().first();
  const applied = await applyTogether({ [locked!]: [create(locked!, 'ada')], [one!]: [create(one!, 'ada')] });
  await holder.rollback();
  expect(new Set(applied.keys())).toEqual(new Set([one]));
  expect(await Promise.all([locked, one].map((id) => namesIn(id!)))).toEqual([[], ['ada']]);
});

it('leaves out a directory whose membership events copy large users that were not read', async () => {
  const [large, repeated, small, other] = await directories(4);
  const groups: Record<string, Mutation[]> = { [other!]: [create(other!, 'ada')] };
  for (const [id, bytes, count] of [
    [large!, 70_000, 1],
    [repeated!, 7_000, 10],
    [small!, 7_000, 5],
  ] as const) {
    const [userId, resource] = [newId(), { userName: 'ada', nickName: randomBytes(bytes / 2).toString('hex') }];
    await applyInTransaction(store, id, [mutate(id, { kind: 'createUser', resourceId: userId, resource })]);
    const createGroup = (displayName: string) =>
      mutate(id, { kind: 'createGroup', resourceId: newId(), resource: { displayName }, members: [{ value: userId }] });
    groups[id] = Array.from({ length: count }, (_, index) => createGroup(`group ${index}`));
  }
  const applied = await applyTogether(groups);
  expect(new Set(applied.keys())).toEqual(new Set([small, other]));
  expect(await Promise.all([large, repeated, small].map((id) => countEventsOf(id!)))).toEqual([1, 1, 11]);
});

it('keeps directories apart whose users have the same IDs', async () => {
  const ids = await directories(2);
  const resourceId = newId();
  const all = (toResource: (index: number) => { userName: string; emails: { value: string }[] }, kind: 'createUser' | 'replaceUser') =>
    applyTogether(Object.fromEntries(ids.map((id, index) => [id, [mutate(id, { kind, resourceId, resource: toResource(index) })]])));
  await all(() => ({ userName: 'ada', emails: [{ value: 'old' }] }), 'createUser');
  await all((index) => ({ userName: `ada${index}`, emails: [{ value: ['new', 'old'][index]! }] }), 'replaceUser');
  expect(await Promise.all(ids.map(emailsIn))).toEqual([['new'], ['old']]);
});

it('applies a mutation once that several workers try at the same time', async () => {
  const ids = await directories(4);
  for (let round = 1; round <= 10; round += 1) {
    const groups = Object.fromEntries(ids.map((id) => [id, [create(id, `user${round}`)]]));
    const together = [applyTogether(groups), applyTogether(groups)];
    const alone = ids.map((id) => applyInTransaction(store, id, groups[id]!));
    const outcomes = [...(await Promise.all(together)).flatMap((applied) => [...applied.values()]), ...(await Promise.all(alone))];
    expect(outcomes.flatMap((applied) => applied.outcomes.map(statusOf))).toEqual(outcomes.map(() => undefined));
  }
  for (const directory_id of ids) {
    const sequences = await database.db('stored_events').where({ directory_id }).orderBy('sequence').pluck('sequence');
    expect(sequences).toEqual(Array.from({ length: 10 }, (_, index) => index + 1));
    expect(await database.db('directories').where({ id: directory_id }).first('user_count', 'last_sequence')).toEqual({
      user_count: 10,
      last_sequence: 10,
    });
  }
});

const [adaId, adminsId] = [newId(), newId()];
const setNick: Change = {
  kind: 'patchUser',
  resourceId: adaId,
  operations: [{ op: 'replace', target: { path: { attribute: 'nickName' } }, value: 'Countess' }],
};
const addMember: Change = {
  kind: 'patchGroup',
  resourceId: adminsId,
  operations: [],
  members: [{ kind: 'add', members: [{ value: adaId }] }],
};
const roleTable = JSON.stringify(toRoleTable({ groups: [{ groupName: 'Admins', role: 'admin' }] }));

it.each<{ what: string; table: string; change: Change; hasRoles?: boolean }>([
  { what: 'new users', table: 'users', change: { kind: 'createUser', resourceId: newId(), resource: { userName: 'ben' } } },
  { what: 'changed users', table: 'users', change: setNick },
  { what: 'new members', table: 'group_members', change: addMember },
  { what: 'new members whose roles change', table: 'users_to_recompute', change: addMember, hasRoles: true },
])('leaves out all directories if Postgres rejects $what of one of them', async ({ table, change, hasRoles = false }) => {
  const ids = await directories(3);
  for (const id of ids)
    await applyInTransaction(store, id, [
      mutate(id, { kind: 'createUser', resourceId: adaId, resource: { userName: 'ada' } }),
      mutate(id, { kind: 'createGroup', resourceId: adminsId, resource: { displayName: 'Admins' }, members: [] }),
    ]);
  if (hasRoles) await database.db('all_directories').whereIn('id', ids).update({ role_table: roleTable });
  const contents = () => Promise.all(ids.map((id) => contentsOf(database.db, id)));
  const before = await contents();
  const groups = Object.fromEntries(ids.map((id) => [id, [mutate(id, change)]]));
  await database.db.raw(`alter table ${table} add constraint poison check (directory_id <> '${ids[1]}') not valid`);
  try {
    expect((await applyTogether(groups)).size).toBe(0);
    expect(await contents()).toEqual(before);
    const [one, poison, two] = ids.map((id) => applyInTransaction(store, id, groups[id]!));
    await expect(poison).rejects.toThrow('poison');
    expect([...(await one!).outcomes, ...(await two!).outcomes].map(statusOf)).toEqual([undefined, undefined]);
    expect((await contents())[1]).toEqual(before[1]);
  } finally {
    await database.db.raw(`alter table ${table} drop constraint poison`);
  }
  // Nothing else keeps it out of a shared statement.
  const applied = await applyTogether(groups);
  expect([...applied.values()].flatMap(({ outcomes }) => outcomes.map(statusOf))).toEqual([undefined, undefined, undefined]);
  const after = await contents();
  for (const [index, { events }] of after.entries()) expect(events.length).toBeGreaterThan(before[index]!.events.length);
});

it('leaves out a directory whose decision takes long, which keeps its budget when it is alone', async () => {
  const [slow, one, two] = await directories(3);
  const emails = Array.from({ length: 600 }, (_, index) => ({ value: `${index}@example.com` }));
  const resourceId = newId();
  await applyInTransaction(store, slow!, [mutate(slow!, { kind: 'createUser', resourceId, resource: { userName: 'ada', emails } })]);
  const filter = ['0@example.com', ...Array.from({ length: 90 }, (_, index) => `other-${index}`)]
    .map((value) => `value eq "${value}"`)
    .join(' or ');
  const body = { schemas: [patchUrn], Operations: [{ op: 'replace', path: `emails[${filter}].type`, value: 'work' }] };
  const patch = mutate(slow!, { kind: 'patchUser', resourceId, operations: readPatch(body, userType).operations });
  const applied = await applyTogether({ [slow!]: [patch], [one!]: [create(one!, 'ben')], [two!]: [create(two!, 'cy')] });
  expect(new Set(applied.keys())).toEqual(new Set([one, two]));
  const { outcomes } = await applyInTransaction(store, slow!, [patch]);
  expect(outcomes).toMatchObject([{ version: 2 }]);
});

it('leaves out only the directory whose decision fails', async () => {
  const [broken, one, two] = await directories(3);
  const changes = {
    ...store,
    changeTogether: ((all) =>
      store.changeTogether(
        all.map(({ request, decide }) => ({
          request,
          decide: (snapshot) => {
            if (request.directoryId === broken) throw new Error('a defect');
            return decide(snapshot);
          },
        })),
      )) as typeof store.changeTogether,
  };
  const applied = await createApplyTogether({ changes, onQuotaReached: () => undefined, log })(
    new Map([broken, one, two].map((id) => [id!, [create(id!, 'ada')]])),
  );
  expect(new Set(applied.keys())).toEqual(new Set([one, two]));
});

/** Set CONCURRENCY_ROUNDS for more. */
const runs = randomRuns(10) * Number(process.env['CONCURRENCY_ROUNDS'] ?? 1);

it(
  'has the same result as one transaction for each directory',
  async () => {
    const steps = fc.array(anyStep, { minLength: 3, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(fc.array(steps, { minLength: 2, maxLength: 5 }), fc.integer({ min: 1, max: 4 }), async (stepsOfEach, atOnce) => {
        const changes = stepsOfEach.map(toChanges);
        const [alone, shared] = [await directories(changes.length), await directories(changes.length)];
        for (let from = 0; changes.some(({ length }) => from < length); from += atOnce) {
          const mutationsOf = (ids: string[]) =>
            ids.map((id, index) => changes[index]!.slice(from, from + atOnce).map((change) => mutate(id, change)));
          const expected = [];
          for (const [index, mutations] of mutationsOf(alone).entries())
            expected.push(mutations.length === 0 ? undefined : summarize(await applyInTransaction(store, alone[index]!, mutations)));
          const groups = mutationsOf(shared).flatMap((mutations, index) =>
            mutations.length === 0 ? [] : [[shared[index]!, mutations] as const],
          );
          const applied = await applyTogether(Object.fromEntries(groups));
          expect(shared.map((id) => applied.get(id) && summarize(applied.get(id)!))).toEqual(expected);
        }
        for (const [index, id] of alone.entries())
          expect(await contentsOf(database.db, shared[index]!)).toEqual(await contentsOf(database.db, id));
      }),
      { numRuns: runs },
    );
  },
  60_000 + runs * 4_000,
);

const summarize = ({ outcomes, wake }: Applied) => [
  outcomes.map(({ resourceId, version, error, emitted, user }) => [resourceId, version, error, emitted, user?.groups]),
  wake,
];

it('where inactive users are hidden, leaves out only what changes active or members', async () => {
  const ids = await directories(4);
  const users = new Map(ids.map((id) => [id, create(id, 'ada')]));
  for (const [id, user] of users) await applyInTransaction(store, id, [user]);
  await database.db('directories').whereIn('id', ids).update({ inactive_users: 'delete' });
  const put = (id: string, resource: object) =>
    mutate(id, {
      kind: 'replaceUser',
      resourceId: (users.get(id) as { resourceId: string }).resourceId,
      resource: { userName: 'ada', ...resource },
    });
  const [renamed, created, deactivated, joined] = ids as [string, string, string, string];
  const applied = await applyTogether({
    [renamed]: [put(renamed, { displayName: 'Ada', active: true })],
    [created]: [create(created, 'ben')],
    [deactivated]: [put(deactivated, { active: false })],
    [joined]: [
      mutate(joined, {
        kind: 'createGroup',
        resourceId: newId(),
        resource: { displayName: 'Team' },
        members: [{ value: (users.get(joined) as { resourceId: string }).resourceId }],
      }),
    ],
  });
  expect(new Set(applied.keys())).toEqual(new Set([renamed, created]));
  expect(await Promise.all(ids.map(countEventsOf))).toEqual([2, 2, 1, 1]);
});
