import { afterAll, beforeAll, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { applyInTransaction } from '../../../src/directory/changes/apply-to-directory.ts';
import type { Change, Mutation } from '../../../src/directory/changes/mutation.ts';
import { newId } from '../../../src/ids.ts';
import { createChangeStore } from '../../../src/store/changes/change-store.ts';
import { cloneDatabase } from '../../support/database.ts';

let database: Awaited<ReturnType<typeof cloneDatabase>>;
beforeAll(async () => {
  database = await cloneDatabase();
});
afterAll(() => database?.drop());

/** Set CONCURRENCY_ROUNDS for more. */
const runs = 40 * Number(process.env['CONCURRENCY_ROUNDS'] ?? 1);

const name = fc.constantFrom('a', 'b', 'C', 'c');
const externalId = fc.option(fc.constantFrom('a', 'B', 'x', 'y'), { nil: undefined });
/** The value of a member: a name, or the id of a resource that was created before. */
const called = fc.oneof(name, fc.constantFrom('x', 'y'), fc.nat(9));
const members = fc.array(called, { maxLength: 4 });
const place = fc.nat(9);
const step = fc.oneof(
  fc.record({ kind: fc.constant('createUser' as const), name, externalId }),
  fc.record({ kind: fc.constant('createGroup' as const), name, externalId, members }),
  fc.record({ kind: fc.constant('replaceUser' as const), place, name, externalId }),
  fc.record({ kind: fc.constant('replaceGroup' as const), place, name, externalId, members: fc.option(members, { nil: undefined }) }),
  fc.record({ kind: fc.constantFrom('add' as const, 'remove' as const, 'replace' as const), place, members }),
  fc.record({ kind: fc.constantFrom('clear' as const, 'activate' as const), place }),
  fc.record({ kind: fc.constant('delete' as const), place }),
);
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

const names = (fields: { externalId: string | undefined }) => (fields.externalId === undefined ? {} : { externalId: fields.externalId });

/** Uses the same generated ids in every directory. */
function toChanges(steps: Step[]): Change[] {
  const known: { id: string; kind: 'user' | 'group' }[] = [];
  const make = (kind: 'user' | 'group') => {
    const id = newId();
    known.push({ id, kind });
    return id;
  };
  const at = (index: number, kind?: 'user' | 'group') => {
    const found = kind ? known.filter((one) => one.kind === kind) : known;
    return found[index % (found.length || 1)] ?? { id: newId(), kind: kind ?? 'user' };
  };
  const value = (one: string | number) => (typeof one === 'string' ? one : at(one).id);
  const toMembers = (some: (string | number)[]) => some.map((one) => ({ value: value(one) }));
  return steps.map((one): Change => {
    switch (one.kind) {
      case 'createUser':
        return { kind: 'createUser', resourceId: make('user'), resource: { userName: one.name, ...names(one) } };
      case 'createGroup': {
        const some = toMembers(one.members);
        return { kind: 'createGroup', resourceId: make('group'), resource: { displayName: one.name, ...names(one) }, members: some };
      }
      case 'replaceUser':
        return { kind: 'replaceUser', resourceId: at(one.place, 'user').id, resource: { userName: one.name, ...names(one) } };
      case 'replaceGroup':
        return {
          kind: 'replaceGroup',
          resourceId: at(one.place, 'group').id,
          resource: { displayName: one.name, ...names(one) },
          ...(one.members && { members: toMembers(one.members) }),
        };
      case 'delete': {
        const { id, kind } = at(one.place);
        return { kind: kind === 'user' ? 'deleteUser' : 'deleteGroup', resourceId: id };
      }
      case 'activate': {
        const operations = [{ op: 'replace' as const, target: { path: { attribute: 'active' } }, value: true }];
        return { kind: 'patchUser', resourceId: at(one.place, 'user').id, operations };
      }
      case 'clear':
        return patchMembers(at(one.place, 'group').id, { kind: 'replace', members: [] });
      case 'remove':
        return patchMembers(at(one.place, 'group').id, { kind: 'remove', values: one.members.map(value) });
      case 'add':
      case 'replace':
        return patchMembers(at(one.place, 'group').id, { kind: one.kind, members: toMembers(one.members) });
    }
  });
}

const patchMembers = (resourceId: string, change: Extract<Change, { kind: 'patchGroup' }>['members'][number]): Change => ({
  kind: 'patchGroup',
  resourceId,
  operations: [],
  members: [change],
});

/** The result of applying the changes in batches of this size, or as one Bulk request. */
async function applied(changes: Change[], { together, asBulk = false }: { together: number; asBulk?: boolean }) {
  const { db } = database;
  const directoryId = newId();
  await db('directories').insert({ id: directoryId, tenant: 't', product: 'p', name: 'n', type: 'generic-scim-v2' });
  const store = createChangeStore(db);
  const statuses: (number | undefined)[] = [];
  for (let from = 0; from < changes.length; from += together) {
    const some = changes.slice(from, from + together);
    const mutations: Mutation[] = asBulk
      ? [{ id: newId(), directoryId, kind: 'bulk', operations: some.map((change, index) => ({ index, dependsOn: [], change })) }]
      : some.map((change) => ({ id: newId(), directoryId, ...change }));
    const { outcomes } = await applyInTransaction(store, directoryId, mutations);
    const results = asBulk ? outcomes[0]!.results! : outcomes;
    statuses.push(...results.map(({ error }) => error?.status));
  }
  const read = async (table: string, ...columns: string[]) =>
    (await db(table).where({ directory_id: directoryId }).select<Record<string, unknown>[]>(columns))
      .map((row) => JSON.stringify(row))
      .toSorted();
  const users = await read('users', 'id', 'user_name', 'external_id', 'version');
  const groups = await read('groups', 'id', 'display_name', 'external_id', 'version', 'member_count');
  const events = await db('events')
    .where({ directory_id: directoryId })
    .orderBy('sequence')
    .select<{ type: string; data: { id: string; group?: { id: string } } }[]>('type', 'data');
  return {
    statuses,
    users,
    groups,
    members: await read('group_members', 'group_id', 'member_id', 'kind'),
    pending: await read('pending_members', 'group_id', 'value_key'),
    events: events.map(({ type, data }) => `${type} ${data.id} ${data.group?.id ?? ''}`).toSorted(),
  };
}

it(
  'has the same result whether changes are applied one by one, as a batch or as a Bulk request',
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), fc.integer({ min: 2, max: 6 }), async (steps, together) => {
        const changes = toChanges(steps);
        const expected = await applied(changes, { together: 1 });
        expect(await applied(changes, { together })).toEqual(expected);
        // In a Bulk request, a member does not become pending for a resource that the same request fails to create.
        const hasErrors = expected.statuses.some((status) => status !== undefined);
        expect(hasErrors ? expected : await applied(changes, { together, asBulk: true })).toEqual(expected);
      }),
      { numRuns: runs },
    );
  },
  60_000 + runs * 2_000,
);
