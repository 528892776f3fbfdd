import { describe, expect, it } from '@jest/globals';
import type { Change, Mutation, Result } from '../../../src/directory/changes/mutation.ts';
import { defaultQuotas } from '../../../src/directory/quotas.ts';
import { newId } from '../../../src/ids.ts';
import { idOf, setUpGroupChanges } from '../../support/group-changes.ts';
import { statusOf } from '../../support/status-of.ts';

const statusOrOk = (result: Result) => statusOf(result) ?? 200;
const quotas = { ...defaultQuotas, groupsPerMember: 2 };

describe.each([
  ['read by one statement', {}],
  ['read by several statements', { smallBytes: -1 }],
])('the quota of groups per member, %s', (_title, options) => {
  const { directory, apply, mutate, newUser, newGroup, add, remove, drop, membersOf } = setUpGroupChanges({ quotas, ...options });
  const statuses = async (...mutations: Mutation[]) => (await apply(...mutations)).map(statusOrOk);
  const oneByOne = async (...mutations: Mutation[]) => {
    const found: number[] = [];
    for (const mutation of mutations) found.push(...(await statuses(mutation)));
    return found;
  };
  const bulk = (...changes: Mutation[]): Mutation => ({
    id: newId(),
    directoryId: directory.id,
    kind: 'bulk',
    operations: changes.map((change, index) => ({ index, dependsOn: [], change: change as unknown as Change })),
  });
  const replaceMembers = (resourceId: string, ...values: string[]) =>
    mutate({ kind: 'patchGroup', resourceId, operations: [], members: [{ kind: 'replace', members: values.map((value) => ({ value })) }] });
  const makeGroups = (count: number, ...members: string[]) => Array.from({ length: count }, (_, index) => newGroup(`g${index}`, members));

  it('rejects a group beyond the limit, with the limit and its setting, by any name of the member', async () => {
    const user = newUser('ada', { externalId: 'E1' });
    const [one, two, three] = makeGroups(3);
    await apply(user, one!, two!, three!);
    expect(await oneByOne(add(idOf(one!), idOf(user)), add(idOf(two!), 'Ada'))).toEqual([200, 200]);
    const [outcome] = await apply(add(idOf(three!), 'E1'));
    expect(outcome!.error).toEqual({
      code: 'quota_reached',
      detail: expect.stringContaining('MAX_GROUPS_PER_MEMBER'),
      quota: 'groups_per_member',
    });
    expect(await membersOf(idOf(three!))).toEqual([]);
    expect(await oneByOne(replaceMembers(idOf(three!), 'ada'), newGroup('four', ['ada']), add(idOf(one!), idOf(user)))).toEqual([
      403, 403, 200,
    ]);
    expect(await oneByOne(remove(idOf(one!), 'ada'), replaceMembers(idOf(three!), 'ada'), replaceMembers(idOf(three!), 'ada'))).toEqual([
      200, 200, 200,
    ]);
  });

  it('also counts the groups of a nested group', async () => {
    const inner = newGroup('inner');
    const groups = makeGroups(3);
    await apply(inner, ...groups);
    expect(await oneByOne(...groups.map((group) => add(idOf(group), idOf(inner))))).toEqual([200, 200, 403]);
  });

  it('checks each operation of a Bulk request separately, and counts the groups that the others add and remove', async () => {
    const user = newUser('ada');
    const groups = makeGroups(4);
    const [first] = await apply(bulk(user, ...groups, ...groups.map((group) => add(idOf(group), idOf(user)))));
    expect(first!.results!.map(statusOrOk)).toEqual([200, 200, 200, 200, 200, 200, 200, 403, 403]);
    const [a, b, c, d] = groups.map(idOf);
    const [second] = await apply(bulk(drop('deleteGroup', a!), add(c!, 'ada'), add(d!, 'ada'), replaceMembers(b!), add(d!, 'ada')));
    expect(second!.results!.map(statusOrOk)).toEqual([200, 200, 403, 200, 200]);
    expect(
      await directory
        .db('group_members')
        .where({ member_id: idOf(user) })
        .pluck('group_id'),
    ).toEqual([c, d]);
  });

  it('counts groups in which a new user or group was pending', async () => {
    await apply(
      newGroup('two', ['ada', 'ben', 'cid', 'G1']),
      newGroup('three', ['ADA', 'ben', 'cid', 'G1']),
      newGroup('four', ['cid', 'G1']),
    );
    const [ada, ben] = [newUser('ada'), newUser('x')];
    expect(await oneByOne(ada, newUser('cid'), newGroup('named', [], { externalId: 'G1' }))).toEqual([200, 403, 403]);
    expect(await directory.db('users').where({ directory_id: directory.id }).pluck('user_name')).toEqual(['ada']);
    expect(await oneByOne(ben, newGroup('five', ['x']))).toEqual([200, 200]);
    const rename = mutate({ kind: 'replaceUser', resourceId: idOf(ben), resource: { userName: 'ben' } });
    expect(await oneByOne(rename)).toEqual([403]);
    const freed = bulk(
      replaceMembers(idOf(ada)),
      mutate({ kind: 'replaceUser', resourceId: idOf(ada), resource: { userName: 'ada', title: 't' } }),
    );
    expect((await apply(freed))[0]!.results!.map(statusOrOk)).toEqual([404, 200]);
  });

  it('accepts a limit for one directory, and keeps members that already exceed it', async () => {
    const user = newUser('ada');
    const groups = makeGroups(2, 'ada');
    await apply(user, ...groups);
    await directory
      .db('directories')
      .where({ id: directory.id })
      .update({ quotas: JSON.stringify({ groups_per_member: 1 }) });
    const third = newGroup('third');
    expect(await oneByOne(third, replaceMembers(idOf(groups[0]!), 'ada', 'pending'))).toEqual([200, 200]);
    const [outcome] = await apply(add(idOf(third), 'ada'));
    expect(outcome!.error!.detail).toContain('at most 1 group with the same member (quotas.groups_per_member of this directory)');
    expect(await oneByOne(drop('deleteUser', idOf(user)))).toEqual([200]);
  });

  it('enforces the limit for concurrent changes', async () => {
    const user = newUser('ada');
    const groups = Array.from({ length: 12 }, (_, index) => newGroup(`g${index}`));
    await apply(user, ...groups);
    const made = await Promise.all(groups.map((group) => statuses(add(idOf(group), 'ada'))));
    expect(made.flat().toSorted((a, b) => a - b)).toEqual([200, 200, ...Array.from({ length: 10 }, () => 403)]);
  });
});
