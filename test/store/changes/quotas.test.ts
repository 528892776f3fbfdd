import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { BulkOperation, Change, Mutation } from '../../../src/directory/changes/mutation.ts';
import { defaultQuotas } from '../../../src/directory/quotas.ts';
import { newId } from '../../../src/ids.ts';
import { idOf, setUpGroupChanges } from '../../support/group-changes.ts';
import { statusOf } from '../../support/status-of.ts';
import { randomRuns } from '../../support/random-runs.ts';

const quotas = { ...defaultQuotas, users: 4, groups: 3, groupMembers: 3, groupsPerMember: 2, memberships: 5, resourceBytes: 2_000 };
const { directory, apply, mutate, newUser, newGroup, add, remove, rename, drop, emitted, membersOf } = setUpGroupChanges({ quotas });

const rounds = Number(process.env['CONCURRENCY_ROUNDS'] ?? 1);
const statuses = async (...mutations: Mutation[]) => (await apply(...mutations)).map((outcome) => statusOf(outcome) ?? 200);
const bulk = (changes: Mutation[]): Mutation => ({
  id: newId(),
  directoryId: directory.id,
  kind: 'bulk',
  operations: changes.map((change, index): BulkOperation => ({ index, dependsOn: [], change: change as unknown as Change })),
});

const idsOf = (table: 'users' | 'groups') => directory.db(table).where({ directory_id: directory.id }).pluck<string[]>('id');

async function readCounts() {
  const { rows } = await directory.db.raw(
    `select d.user_count as users, d.group_count as groups, d.membership_count as memberships, d.resource_bytes as bytes,
       (select coalesce(sum(member_count), 0) from groups where directory_id = d.id) as "ofGroups",
       (select count(*) from users where directory_id = d.id) as "realUsers",
       (select count(*) from groups where directory_id = d.id) as "realGroups",
       (select count(*) from group_members where directory_id = d.id) + (select count(*) from pending_members where directory_id = d.id) as "realMemberships",
       (select json_agg(resource) from (select resource from users where directory_id = d.id union all select resource from groups where directory_id = d.id) r) as resources,
       (select coalesce(max(groups), 0) from (select count(*) as groups from group_members where directory_id = d.id group by member_id) of_each) as "mostGroups",
       (select count(*) from groups g where directory_id = d.id and member_count <>
         (select count(*) from group_members m where m.directory_id = d.id and m.group_id = g.id)
         + (select count(*) from pending_members m where m.directory_id = d.id and m.group_id = g.id)) as "wrongGroups"
     from directories d where d.id = ?`,
    [directory.id],
  );
  const [{ resources, ...row }] = rows;
  const counts = Object.fromEntries(Object.entries(row).map(([name, value]) => [name, Number(value)])) as Record<string, number>;
  const realBytes = ((resources ?? []) as object[]).reduce((sum, resource) => sum + Buffer.byteLength(JSON.stringify(resource)), 0);
  return { ...counts, realBytes } as Record<string, number>;
}

it('rejects a user, group or member beyond the quota, with the limit and its setting', async () => {
  const users = ['a', 'b', 'c', 'd'].map((name) => newUser(name));
  expect(await statuses(...users)).toEqual([200, 200, 200, 200]);
  const [outcome] = await apply(newUser('e'));
  expect(outcome!.error).toEqual({
    code: 'quota_reached',
    detail: expect.stringContaining('MAX_USERS_PER_DIRECTORY'),
    quota: 'users',
  });
  const group = newGroup('g', users.slice(0, 3).map(idOf));
  expect(await statuses(group, add(idOf(group), idOf(users[3]!)))).toEqual([200, 403]);
  expect(await membersOf(idOf(group))).toEqual(users.slice(0, 3).map(idOf));
  expect(await statuses(newGroup('four', users.map(idOf)))).toEqual([403]);
  expect(await statuses(newGroup('h'), newGroup('i'), newGroup('j'))).toEqual([200, 200, 403]);
  expect(await emitted()).not.toContainEqual(expect.stringMatching(/four|\bj\b/));
});

it('counts pending members, and the user that replaces one', async () => {
  const group = newGroup('g', ['x', 'y', 'z']);
  expect(await statuses(group, add(idOf(group), 'w'))).toEqual([200, 403]);
  expect(await statuses(newUser('x'), newUser('y', { externalId: 'z' }))).toEqual([200, 200]);
  expect(await readCounts()).toMatchObject({ memberships: 2, ofGroups: 2 });
  expect(await statuses(add(idOf(group), 'w'))).toEqual([200]);
});

it('limits the memberships of all groups and the bytes of all resources', async () => {
  const [one, two] = [newGroup('one', ['a', 'b', 'c']), newGroup('two', ['a', 'b'])];
  expect(await statuses(one, two, add(idOf(two), 'c'))).toEqual([200, 200, 403]);
  expect(await statuses(remove(idOf(one), 'a'), add(idOf(two), 'c'))).toEqual([200, 200]);
  const large = newUser('large', { title: 'x'.repeat(1_500) });
  expect(await statuses(large, newUser('another', { title: 'x'.repeat(500) }))).toEqual([200, 403]);
  expect(await statuses(rename(idOf(large), 'small'))).toEqual([200]);
  expect(await statuses(newUser('another', { title: 'x'.repeat(500) }))).toEqual([200]);
});

it('checks each operation of a Bulk request separately, and counts what the others free', async () => {
  const users = ['a', 'b', 'c', 'd'].map((name) => newUser(name));
  await apply(...users);
  const [outcome] = await apply(bulk([newUser('e'), drop('deleteUser', idOf(users[0]!)), newUser('f'), newUser('g')]));
  expect(outcome!.results!.map(statusOf)).toEqual([403, undefined, undefined, 403]);
  expect(await readCounts()).toMatchObject({ users: 4, realUsers: 4 });
});

it('allows changes that do not grow, also above a lowered quota', async () => {
  const users = ['a', 'b', 'c'].map((name) => newUser(name, { title: 'long enough' }));
  const group = newGroup('g', users.map(idOf));
  await apply(...users, group);
  await directory
    .db('directories')
    .where({ id: directory.id })
    .update({ quotas: JSON.stringify({ users: 1, groups: 0, group_members: 1, memberships: 0, resource_bytes: 0 }) });
  const [outcome] = await apply(newUser('d'));
  expect(outcome!.error).toMatchObject({ quota: 'users' });
  const swap = mutate({
    kind: 'patchGroup',
    resourceId: idOf(group),
    operations: [],
    members: [{ kind: 'replace', members: [idOf(users[0]!), 'x', 'y'].map((value) => ({ value })) }],
  });
  expect(await statuses(rename(idOf(users[0]!), 'e'), swap, remove(idOf(group), 'x'), drop('deleteUser', idOf(users[1]!)))).toEqual([
    200, 200, 200, 200,
  ]);
  expect(await statuses(add(idOf(group), 'z'))).toEqual([403]);
});

it('enforces quotas for concurrent changes', async () => {
  const group = newGroup('g');
  await apply(group);
  const adds = Array.from({ length: 30 }, (_, index) => apply(add(idOf(group), `member-${index}`)));
  const users = Array.from({ length: 30 }, (_, index) => apply(newUser(`user-${index}`)));
  const made = (await Promise.all([...adds, ...users])).map(([outcome]) => statusOf(outcome!));
  expect([made.slice(0, 30), made.slice(30)].map((some) => some.filter((status) => status === undefined).length)).toEqual([3, 4]);
  expect(made.filter((status) => status !== undefined && status !== 403)).toEqual([]);
  expect(await readCounts()).toMatchObject({ users: 4, realUsers: 4, memberships: 3, realMemberships: 3, wrongGroups: 0 });
});

it(
  'keeps counts that match the rows after random changes',
  () => {
    const name = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
    const some = fc.array(name, { maxLength: 4 });
    const step = fc.oneof(
      fc.record({ kind: fc.constant('user' as const), name, title: fc.string({ maxLength: 20 }) }),
      fc.record({ kind: fc.constant('group' as const), name, members: some }),
      fc.record({ kind: fc.constantFrom('add' as const, 'remove' as const, 'replace' as const), place: fc.nat(20), members: some }),
      fc.record({ kind: fc.constantFrom('rename' as const, 'drop' as const), place: fc.nat(20), name }),
      fc.record({ kind: fc.constant('together' as const), count: fc.integer({ min: 2, max: 5 }) }),
    );
    return fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
        const known: { id: string; kind: 'user' | 'group' }[] = [];
        const at = (place: number, kind?: 'user' | 'group') => {
          const found = kind ? known.filter((item) => item.kind === kind) : known;
          return found[place % (found.length || 1)] ?? { id: newId(), kind: kind ?? ('user' as const) };
        };
        let waiting: Mutation[] = [];
        for (const one of steps) {
          switch (one.kind) {
            case 'user': {
              const user = newUser(one.name, { title: one.title });
              known.push({ id: idOf(user), kind: 'user' });
              waiting.push(user);
              break;
            }
            case 'group': {
              const group = newGroup(one.name, [...one.members, ...known.slice(0, 2).map(({ id }) => id)]);
              known.push({ id: idOf(group), kind: 'group' });
              waiting.push(group);
              break;
            }
            case 'add':
              waiting.push(add(at(one.place, 'group').id, ...one.members, at(one.place).id));
              break;
            case 'remove':
              waiting.push(remove(at(one.place, 'group').id, ...one.members));
              break;
            case 'replace':
              waiting.push(
                mutate({
                  kind: 'patchGroup',
                  resourceId: at(one.place, 'group').id,
                  operations: [],
                  members: [{ kind: 'replace', members: one.members.map((value) => ({ value })) }],
                }),
              );
              break;
            case 'rename':
              waiting.push(rename(at(one.place, 'user').id, one.name));
              break;
            case 'drop': {
              const { id, kind } = at(one.place);
              waiting.push(drop(kind === 'user' ? 'deleteUser' : 'deleteGroup', id));
              break;
            }
            case 'together':
              await apply(bulk(waiting));
              waiting = [];
          }
          if (waiting.length === 3) await apply(...waiting.splice(0));
        }
        if (waiting.length > 0) await apply(...waiting);
        const counts = await readCounts();
        expect(counts).toMatchObject({
          users: counts['realUsers'],
          groups: counts['realGroups'],
          memberships: counts['realMemberships'],
          ofGroups: counts['realMemberships'],
          bytes: counts['realBytes'],
          wrongGroups: 0,
        });
        expect(counts['users']).toBeLessThanOrEqual(quotas.users);
        expect(counts['mostGroups']).toBeLessThanOrEqual(quotas.groupsPerMember);
        expect(counts['memberships']).toBeLessThanOrEqual(quotas.memberships);
        for (const id of await idsOf('groups')) await apply(drop('deleteGroup', id));
        for (const id of await idsOf('users')) await apply(drop('deleteUser', id));
        expect(await readCounts()).toMatchObject({ users: 0, groups: 0, memberships: 0, bytes: 0 });
      }),
      { numRuns: randomRuns(30) * rounds },
    );
  },
  120_000 + 60_000 * rounds,
);
