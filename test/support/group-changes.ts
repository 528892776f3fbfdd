import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import type { Knex } from 'knex';
import { applyInTransaction } from '../../src/directory/changes/apply-to-directory.ts';
import type { Change, Mutation, Result } from '../../src/directory/changes/mutation.ts';
import { newId } from '../../src/ids.ts';
import { createChangeStore, type ChangeStoreOptions } from '../../src/store/changes/change-store.ts';
import { createGroupStore } from '../../src/store/groups/group-store.ts';
import { cloneDatabase } from './database.ts';
import { unlimitedReads } from './unlimited-reads.ts';
import { statusOf } from './status-of.ts';

/** A directory for each test, in a database for each file, with functions that change its users and groups. */
export function setUpGroupChanges(options: ChangeStoreOptions = {}) {
  const directory = {} as { db: Knex; id: string };
  let dropDatabase: () => Promise<void>;
  beforeAll(async () => {
    const database = await cloneDatabase();
    directory.db = database.db;
    dropDatabase = database.drop;
  });
  afterAll(() => dropDatabase());
  beforeEach(async () => {
    directory.id = newId();
    await directory.db('directories').insert({ id: directory.id, tenant: 't', product: 'p', name: 'n', type: 'generic-scim-v2' });
    await directory.db('webhook_endpoints').insert({ id: newId(), directory_id: directory.id, url: 'http://127.0.0.1:1/' });
  });

  const mutate = (change: Change): Mutation => ({ id: newId(), directoryId: directory.id, ...change });
  return {
    directory,
    mutate,
    apply: async (...mutations: Mutation[]) =>
      (await applyInTransaction(createChangeStore(directory.db, options), directory.id, mutations)).outcomes,
    newUser: (userName: string, more: object = {}) => mutate({ kind: 'createUser', resourceId: newId(), resource: { userName, ...more } }),
    newGroup: (displayName: string, members: string[] = [], more: object = {}) =>
      mutate({
        kind: 'createGroup',
        resourceId: newId(),
        resource: { displayName, ...more },
        members: members.map((value) => ({ value })),
      }),
    add: (resourceId: string, ...values: string[]) =>
      mutate({ kind: 'patchGroup', resourceId, operations: [], members: [{ kind: 'add', members: values.map((value) => ({ value })) }] }),
    remove: (resourceId: string, ...values: string[]) =>
      mutate({ kind: 'patchGroup', resourceId, operations: [], members: [{ kind: 'remove', values }] }),
    rename: (resourceId: string, userName: string) => mutate({ kind: 'replaceUser', resourceId, resource: { userName } }),
    drop: (kind: 'deleteUser' | 'deleteGroup', resourceId: string) => mutate({ kind, resourceId }),
    /** The emitted events: the type, and the names of the resources. */
    async emitted() {
      const rows = await directory.db('events').where({ directory_id: directory.id }).orderBy('sequence').select('type', 'data');
      return rows.map(({ type, data }) =>
        [type, data.raw.userName ?? data.raw.displayName, ...(data.group ? [data.group.name] : [])].join(' '),
      );
    },
    membersOf: async (id: string) =>
      (await createGroupStore(unlimitedReads(directory.db)).get(directory.id, id, { withMembers: true }))?.members?.map(
        ({ value }) => value,
      ),
  };
}

export const idOf = (mutation: Mutation) => (mutation as Change).resourceId;
export const versions = (results: Result[]) => results.map((result) => result.version ?? statusOf(result));
