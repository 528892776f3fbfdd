import { newId } from '../../src/ids.ts';
import type { Bulk, Change, Mutation } from '../../src/directory/changes/mutation.ts';
import { setUpGroupChanges } from './group-changes.ts';

export const mib = 1_048_576;
export const times = <Item>(count: number, make: (index: number) => Item) => Array.from({ length: count }, (_, index) => make(index));

export const bulkOf = (directoryId: string, changes: Change[]): Mutation & Bulk => ({
  id: newId(),
  directoryId,
  kind: 'bulk',
  operations: changes.map((change, index) => ({ index, dependsOn: [], change })),
});

export const setTitle = (resourceId: string): Change => ({
  kind: 'patchUser',
  resourceId,
  operations: [{ op: 'replace', target: { path: { attribute: 'title' } }, value: 'new' }],
});

/** Like `setUpGroupChanges`, with users of any size and a change that reads them. */
export function setUpLargeChanges() {
  const changes = setUpGroupChanges();
  const { directory } = changes;
  return {
    ...changes,
    /** Stores users with a note of this size, which Postgres compresses well. */
    async storeUsers(count: number, bytes: number, directoryId = directory.id): Promise<string[]> {
      const ids = times(count, () => newId());
      await directory.db.raw(
        `insert into users (directory_id, id, user_name, user_name_key, active, first_name, last_name, email, resource, created_at, updated_at)
         select :directoryId, id, cast(id as text), cast(id as text), true, '', '', '',
           jsonb_build_object('userName', id, 'note', repeat('x', cast(:bytes as int))), now(), now()
         from unnest(cast(:ids as uuid[])) id`,
        { directoryId, ids, bytes },
      );
      await directory
        .db('directories')
        .where({ id: directoryId })
        .increment('resource_bytes', count * bytes);
      return ids;
    },
    async addDirectory(): Promise<string> {
      const id = newId();
      await directory.db('directories').insert({ id, tenant: 't', product: 'p', name: 'n', type: 'generic-scim-v2' });
      return id;
    },
    /** The users that `setTitle` has changed. */
    readTitled: (): Promise<string[]> =>
      directory.db('users').where({ directory_id: directory.id }).whereRaw(`resource->>'title' = 'new'`).pluck('id'),
  };
}
