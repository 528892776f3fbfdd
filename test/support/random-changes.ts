import fc from 'fast-check';
import type { Knex } from 'knex';
import type { Change } from '../../src/directory/changes/mutation.ts';
import { newId } from '../../src/ids.ts';

const name = fc.constantFrom('a', 'b', 'C', 'c');
const externalId = fc.option(fc.constantFrom('a', 'B', 'x', 'y'), { nil: undefined });
/** The value of a member: a name, or the id of a resource that was created before. */
const called = fc.oneof(name, fc.constantFrom('x', 'y'), fc.nat(9));
const members = fc.array(called, { maxLength: 4 });
const place = fc.nat(9);
export const anyStep = fc.oneof(
  fc.record({ kind: fc.constant('createUser' as const), name, externalId }),
  fc.record({ kind: fc.constant('createGroup' as const), name, externalId, members }),
  fc.record({ kind: fc.constant('replaceUser' as const), place, name, externalId }),
  fc.record({ kind: fc.constant('replaceGroup' as const), place, name, externalId, members: fc.option(members, { nil: undefined }) }),
  fc.record({ kind: fc.constantFrom('add' as const, 'remove' as const, 'replace' as const), place, members }),
  fc.record({ kind: fc.constantFrom('clear' as const, 'activate' as const), place }),
  fc.record({ kind: fc.constant('delete' as const), place }),
);
export type Step = typeof anyStep extends fc.Arbitrary<infer One> ? One : never;

const names = (fields: { externalId: string | undefined }) => (fields.externalId === undefined ? {} : { externalId: fields.externalId });

/** Uses the same generated ids in every directory. */
export function toChanges(steps: Step[]): Change[] {
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

/** What a directory contains, and its events. */
export async function contentsOf(db: Knex, directoryId: string) {
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
    users,
    groups,
    members: await read('group_members', 'group_id', 'member_id', 'kind'),
    pending: await read('pending_members', 'group_id', 'value_key'),
    events: events.map(({ type, data }) => `${type} ${data.id} ${data.group?.id ?? ''}`).toSorted(),
  };
}
