import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { applyMutations } from '../../src/directory/apply-mutations.ts';
import type { Change, Mutation, Result } from '../../src/directory/mutation.ts';
import type { MemberChange } from '../../src/scim/patch/operation.ts';
import { newId } from '../../src/ids.ts';
import { createChangeStore } from '../../src/store/changes/change-store.ts';
import { createGroupStore } from '../../src/store/groups.ts';
import { createUserStore } from '../../src/store/users.ts';
import { cloneDatabase } from '../support/database.ts';

let database: Awaited<ReturnType<typeof cloneDatabase>>;
let directoryId: string;
beforeAll(async () => {
  database = await cloneDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  directoryId = newId();
  await database.db('directories').insert({ id: directoryId, tenant: 't', product: 'p', name: 'n', type: 'generic-scim-v2' });
  await database.db('webhook_endpoints').insert({ id: newId(), directory_id: directoryId, url: 'http://127.0.0.1:1/' });
});

const mutate = (change: Change): Mutation => ({ id: newId(), directoryId, ...change });
const apply = async (...mutations: Mutation[]) => (await applyMutations(createChangeStore(database.db), directoryId, mutations)).outcomes;
const newUser = (userName: string, more: object = {}) =>
  mutate({ kind: 'createUser', resourceId: newId(), resource: { userName, ...more } });
const newGroup = (displayName: string, members: string[] = [], more: object = {}) =>
  mutate({ kind: 'createGroup', resourceId: newId(), resource: { displayName, ...more }, members: members.map((value) => ({ value })) });
const idOf = (mutation: Mutation) => (mutation as Change).resourceId;
const add = (resourceId: string, ...values: string[]) =>
  mutate({ kind: 'patchGroup', resourceId, operations: [], members: [{ kind: 'add', members: values.map((value) => ({ value })) }] });
const remove = (resourceId: string, ...values: string[]) =>
  mutate({ kind: 'patchGroup', resourceId, operations: [], members: [{ kind: 'remove', values }] });
const rename = (resourceId: string, userName: string) => mutate({ kind: 'replaceUser', resourceId, resource: { userName } });
const drop = (kind: 'deleteUser' | 'deleteGroup', resourceId: string) => mutate({ kind, resourceId });

/** What an application is told: the type, and who it is about. */
const told = async () => {
  const rows = await database.db('events').where({ directory_id: directoryId }).orderBy('sequence').select('type', 'data');
  return rows.map(({ type, data }) =>
    [type, data.raw.userName ?? data.raw.displayName, ...(data.group ? [data.group.name] : [])].join(' '),
  );
};
const membersOf = async (id: string) =>
  (await createGroupStore(database.db).get(directoryId, id, { withMembers: true }))?.members?.map(({ value }) => value);
const versions = (results: Result[]) => results.map(({ version, refusal }) => version ?? refusal?.status);

it('keeps members as rows, tells each change once, and nothing of what changes nothing', async () => {
  const [ada, ben, staff] = [newUser('ada'), newUser('ben'), newGroup('staff')];
  await apply(ada, ben, staff);
  const outcomes = await apply(
    add(idOf(staff), idOf(ada), idOf(ben)),
    add(idOf(staff), idOf(ada)),
    remove(idOf(staff), idOf(ben)),
    remove(idOf(staff), idOf(ben)),
  );
  expect(versions(outcomes)).toEqual([2, 2, 3, 3]);
  expect(await membersOf(idOf(staff))).toEqual([idOf(ada)]);
  expect((await told()).slice(3)).toEqual(['group.user_added ada staff', 'group.user_added ben staff', 'group.user_removed ben staff']);
});

it('tells what is different after a request, not the steps on the way', async () => {
  const [ada, ben] = [newUser('ada'), newUser('ben')];
  const staff = newGroup('staff', [idOf(ada)]);
  await apply(ada, ben, staff);
  const before = (await told()).length;
  const patch = (...members: MemberChange[]) => mutate({ kind: 'patchGroup', resourceId: idOf(staff), operations: [], members });
  const outcomes = await apply(
    patch({ kind: 'remove', values: [idOf(ada)] }, { kind: 'add', members: [{ value: idOf(ada) }] }),
    patch({ kind: 'add', members: [{ value: idOf(ben) }, { value: 'late' }] }, { kind: 'remove', values: ['late', idOf(ben)] }),
    patch({ kind: 'replace', members: [] }, { kind: 'add', members: [{ value: idOf(ben) }] }),
  );
  expect(versions(outcomes)).toEqual([1, 1, 2]);
  expect((await told()).slice(before)).toEqual(['group.user_removed ada staff', 'group.user_added ben staff']);
});

it('finds a member by an external id that looks like one of ours', async () => {
  const externalId = newId();
  await apply(newUser('ada', { externalId }));
  const staff = newGroup('staff', [externalId]);
  await apply(staff);
  expect(await membersOf(idOf(staff))).not.toEqual([externalId]);
  expect(versions(await apply(remove(idOf(staff), externalId)))).toEqual([2]);
  expect(await membersOf(idOf(staff))).toEqual([]);
});

it('writes a large group once, however many members it gets at once', async () => {
  const users = Array.from({ length: 500 }, (_, index) => newUser(`u${index}`));
  const staff = newGroup('staff', [], { note: 'x'.repeat(200_000) });
  await apply(...users, staff);
  const before = process.memoryUsage().rss;
  expect(versions(await apply(add(idOf(staff), ...users.map(idOf))))).toEqual([2]);
  expect((process.memoryUsage().rss - before) / 1_048_576).toBeLessThan(100);
});

it('fills in the event of a member that was not read as one that was', async () => {
  const ada = newUser('ada', { name: { givenName: 'Ada', familyName: 'L' }, emails: [{ value: 'a@x', primary: true }], active: false });
  const [staff, crew] = [newGroup('staff', [idOf(ada)]), newGroup('crew')];
  await apply(ada, staff, crew);
  await apply(add(idOf(crew), idOf(ada)));
  const [read, filled] = await database
    .db('events')
    .where({ directory_id: directoryId, type: 'group.user_added' })
    .orderBy('sequence')
    .pluck('data');
  expect(filled).toEqual({
    ...read,
    group: { ...read.group, id: idOf(crew), name: 'crew', raw: { displayName: 'crew', id: idOf(crew), members: [] } },
  });
});

it('tells of a replaced group its new name, who left and who came', async () => {
  const [ada, ben, eve] = [newUser('ada'), newUser('ben'), newUser('eve')];
  const staff = newGroup('staff', [idOf(ada), idOf(ben)]);
  await apply(ada, ben, eve, staff);
  const replaceGroup = (displayName: string, members?: string[]) =>
    mutate({
      kind: 'replaceGroup',
      resourceId: idOf(staff),
      resource: { displayName },
      ...(members && { members: members.map((value) => ({ value })) }),
    });
  const before = (await told()).length;
  expect(
    versions(await apply(replaceGroup('crew', [idOf(ben), idOf(eve)]), replaceGroup('crew', [idOf(eve), idOf(ben)]), replaceGroup('crew'))),
  ).toEqual([2, 2, 2]);
  expect((await told()).slice(before)).toEqual(['group.updated crew', 'group.user_removed ada crew', 'group.user_added eve crew']);
});

it('lets a user leave all groups before it is deleted', async () => {
  const ada = newUser('ada');
  const [staff, crew] = [newGroup('staff', [idOf(ada)]), newGroup('crew', [idOf(ada)])];
  await apply(ada, staff, crew);
  const before = (await told()).length;
  await apply(drop('deleteUser', idOf(ada)));
  expect((await told()).slice(before)).toEqual(['group.user_removed ada staff', 'group.user_removed ada crew', 'user.deleted ada']);
  expect(await database.db('group_members').where({ directory_id: directoryId })).toEqual([]);
  expect(await createGroupStore(database.db).get(directoryId, idOf(staff))).toMatchObject({ version: 2 });
});

it('tells of the groups in a group whether it is made with them or gets them later', async () => {
  const [ada, inner] = [newUser('ada'), newGroup('inner')];
  await apply(ada, inner);
  const [made, later] = [newGroup('made', [idOf(inner), idOf(ada)]), newGroup('later')];
  await apply(made);
  await apply(later);
  await apply(add(idOf(later), idOf(inner), idOf(ada)));
  const ofMade = ['group.created made', 'group.updated made', 'group.user_added ada made'];
  expect((await told()).slice(2)).toEqual([...ofMade, ...ofMade.map((text) => text.replace('made', 'later').replace(/made$/, 'later'))]);
});

it('refuses a group that would be its own member, by any of its names, and changes nothing', async () => {
  const [ada, staff] = [newUser('ada', { externalId: 'X-2' }), newGroup('staff', [], { externalId: 'X-1' })];
  const self = newId();
  await apply(ada, staff);
  const before = await told();
  const id = idOf(staff);
  const replace = (externalId: string, ...values: string[]) =>
    mutate({
      kind: 'replaceGroup',
      resourceId: id,
      resource: { displayName: 'staff', externalId },
      members: values.map((value) => ({ value })),
    });
  const outcomes = await apply(
    mutate({ kind: 'createGroup', resourceId: self, resource: { displayName: 'self' }, members: [{ value: self }] }),
    newGroup('self', ['Self-1'], { externalId: 'self-1' }),
    add(id, idOf(ada), id.toUpperCase()),
    add(id, 'X-1'),
    replace('X-1', id),
    replace('X-3', 'X-1'),
    replace('X-3', 'X-3'),
  );
  expect(outcomes.map(({ refusal }) => [refusal?.status, refusal?.scimType])).toEqual(outcomes.map(() => [400, 'invalidValue']));
  expect(outcomes[0]!.refusal!.detail).toMatch(/member of itself.*out of members/);
  expect(await told()).toEqual(before);
  expect(await database.db('parked_members').where({ directory_id: directoryId })).toEqual([]);
  // A user goes by this name too, and is found first.
  expect(versions(await apply(replace('X-2', 'X-2'), remove(id, id)))).toEqual([2, 2]);
  expect(await membersOf(id)).toEqual([idOf(ada)]);
});

it('waits no longer for a name that the group itself has taken', async () => {
  const staff = newGroup('staff', ['X-1', 'X-2']);
  await apply(staff);
  await apply(mutate({ kind: 'replaceGroup', resourceId: idOf(staff), resource: { displayName: 'staff', externalId: 'X-1' } }));
  expect(await membersOf(idOf(staff))).toEqual(['X-2']);
  expect(await told()).toEqual(['group.created staff', 'group.updated staff']);
});

it('lets groups be members of each other in a circle', async () => {
  const inner = newGroup('inner');
  const outer = newGroup('outer', [idOf(inner)]);
  expect(versions(await apply(inner, outer, add(idOf(inner), idOf(outer))))).toEqual([1, 1, 2]);
});

it('empties a group before it is deleted, also one that is in another', async () => {
  const ada = newUser('ada');
  const inner = newGroup('inner', [idOf(ada)]);
  const outer = newGroup('outer', [idOf(inner)]);
  await apply(ada, inner, outer);
  const before = (await told()).length;
  await apply(drop('deleteGroup', idOf(inner)));
  expect((await told()).slice(before)).toEqual(['group.user_removed ada inner', 'group.updated outer', 'group.deleted inner']);
  expect(await membersOf(idOf(outer))).toEqual([]);
});

it('parks a member that nobody is yet, and attaches it when it arrives, by id, external id or user name', async () => {
  const late = newUser('late@example.com', { externalId: 'X-1' });
  const groups = [newGroup('byId', [idOf(late)]), newGroup('byExternalId', ['X-1']), newGroup('byName', ['LATE@example.com'])];
  await apply(...groups);
  expect(await membersOf(idOf(groups[2]!))).toEqual(['LATE@example.com']);
  const [outcome] = await apply(late);
  expect(outcome).toMatchObject({ version: 1, awaited: true });
  for (const group of groups) expect(await membersOf(idOf(group))).toEqual([idOf(late)]);
  expect((await told()).slice(3)).toEqual([
    'user.created late@example.com',
    'group.user_added late@example.com byId',
    'group.user_added late@example.com byName',
    'group.user_added late@example.com byExternalId',
  ]);
  expect(await database.db('parked_members').where({ directory_id: directoryId })).toEqual([]);
});

it('takes a parked member back, and never parks one twice', async () => {
  const staff = newGroup('staff', ['nobody']);
  await apply(staff);
  expect(versions(await apply(add(idOf(staff), 'NOBODY'), remove(idOf(staff), 'nobody'), remove(idOf(staff), 'nobody')))).toEqual([
    1, 2, 2,
  ]);
  expect(await membersOf(idOf(staff))).toEqual([]);
  expect(await told()).toEqual(['group.created staff']);
});

it('frees a name within one transaction for the next who wants it', async () => {
  const [ada, ben] = [newUser('ada'), newUser('ben')];
  await apply(ada, ben);
  expect(versions(await apply(rename(idOf(ada), 'eve'), rename(idOf(ben), 'ada'), rename(idOf(ada), 'ben')))).toEqual([2, 2, 3]);
  expect(versions(await apply(rename(idOf(ada), 'ada'), drop('deleteUser', idOf(ben)), rename(idOf(ada), 'ada'), newUser('ben')))).toEqual(
    [409, 404, 4, 1].map((value) => (value === 404 ? undefined : value)),
  );
});

it('refuses what would take a name that is taken, a version that is gone, and what is not there', async () => {
  const [ada, ben] = [newUser('ada', { externalId: '1' }), newUser('ben', { externalId: '2' })];
  const [staff, crew] = [newGroup('staff', [], { externalId: '1' }), newGroup('crew')];
  await apply(ada, ben, staff, crew);
  const before = await told();
  const patch = (path: string, value: string, ifMatch?: number[]) =>
    mutate({
      kind: 'patchUser',
      resourceId: idOf(ben),
      operations: [{ op: 'replace', target: { path: { attribute: path } }, value }],
      ...(ifMatch && { ifMatch }),
    });
  const outcomes = await apply(
    patch('userName', 'ADA'),
    patch('externalId', '1'),
    patch('title', 'x', [7]),
    newGroup('STAFF'),
    newGroup('other', [], { externalId: '1' }),
    mutate({ kind: 'replaceGroup', resourceId: idOf(crew), resource: { displayName: 'staff' } }),
    drop('deleteGroup', newId()),
    add(newId(), idOf(ada)),
  );
  expect(versions(outcomes)).toEqual([409, 409, 412, 409, 409, 409, 404, 404]);
  expect(await told()).toEqual(before);
  expect(await createUserStore(database.db).get(directoryId, idOf(ben))).toMatchObject({ version: 1 });
});

it('counts users and groups with each change', async () => {
  const [ada, ben, staff] = [newUser('ada'), newUser('ben'), newGroup('staff')];
  await apply(ada, ben, staff);
  await apply(drop('deleteUser', idOf(ada)), newUser('BEN'));
  expect(await database.db('directories').where({ id: directoryId }).first()).toMatchObject({ user_count: 1, group_count: 1 });
});

it('applies a bulk as one, stops at its errors, and refuses what refers to what was not made', async () => {
  const [ada, twin] = [newUser('ada'), newUser('ADA')] as Change[];
  const staff = newGroup('staff', [twin!.resourceId]) as Change;
  const bulk = (failOnErrors?: number) =>
    mutate({
      kind: 'bulk',
      operations: [
        { index: 1, dependsOn: [], change: ada! },
        { index: 0, dependsOn: [], change: twin! },
        { index: 2, dependsOn: [0], change: staff },
        { index: 3, dependsOn: [], refusal: { status: 400, detail: 'no' } },
        { index: 4, dependsOn: [], change: newUser('eve') as Change },
      ],
      ...(failOnErrors !== undefined && { failOnErrors }),
    } as unknown as Change);
  const [first] = await apply(bulk(3));
  expect(first!.results!.map(({ index, refusal }) => [index, refusal?.status])).toEqual([
    [1, undefined],
    [0, 409],
    [2, 400],
    [3, 400],
  ]);
  expect(await told()).toEqual(['user.created ada']);
});

it.each([
  ['refused', undefined],
  ['never begun', 1],
  ['refused as it was read', undefined],
])('waits for nobody who was %s in the same bulk', async (fate, failOnErrors) => {
  await apply(newGroup('taken'));
  const crew = newGroup('taken') as Change;
  const staff = newGroup('staff', [crew.resourceId]) as Change;
  const bad = { index: 1, dependsOn: [], refusal: { status: 400, detail: 'no' } };
  const operations = [
    { index: 0, dependsOn: [2], change: staff },
    ...(fate === 'never begun' ? [bad] : []),
    fate === 'refused as it was read' ? { ...bad, index: 2 } : { index: 2, dependsOn: [0], change: crew },
  ];
  const [outcome] = await apply(mutate({ kind: 'bulk', operations, failOnErrors } as unknown as Change));
  const isMade = fate !== 'refused as it was read';
  expect(outcome!.results![0]!.refusal?.status).toBe(isMade ? undefined : 400);
  expect(await membersOf(idOf(staff as Mutation))).toEqual(isMade ? [] : undefined);
  expect(await database.db('parked_members').where({ directory_id: directoryId })).toEqual([]);
});
