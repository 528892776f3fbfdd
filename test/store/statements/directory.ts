import { afterAll, beforeAll, beforeEach, expect } from '@jest/globals';
import type { Knex } from 'knex';
import { applyInTransaction } from '../../../src/directory/changes/apply-to-directory.ts';
import type { Change } from '../../../src/directory/changes/mutation.ts';
import { newId } from '../../../src/ids.ts';
import { createChangeStore, type ChangeStoreOptions } from '../../../src/store/changes/change-store.ts';
import { cloneDatabase } from '../../support/database.ts';

interface OneDirectory {
  db: Knex;
  directoryId: string;
}

/** A database for the file, with a new directory for each test. */
export function useDirectory(use: (found: OneDirectory) => void): void {
  let database: Awaited<ReturnType<typeof cloneDatabase>>;
  beforeAll(async () => {
    database = await cloneDatabase();
  });
  afterAll(() => database.drop());
  beforeEach(async () => {
    const { db } = database;
    const directoryId = newId();
    await db('directories').insert({ id: directoryId, tenant: 't', product: 'p', name: 'n', type: 'generic-scim-v2' });
    await db('webhook_endpoints').insert({ id: newId(), directory_id: directoryId, url: 'http://127.0.0.1:1/' });
    use({ db, directoryId });
  });
}

export const createUser = (id: string, userName: string): Change => ({
  kind: 'createUser',
  resourceId: id,
  resource: { userName, externalId: `external-${userName}`, emails: [{ value: `${userName}@example.com` }] },
});
export const createGroup = (id: string, displayName: string, members: string[]): Change => ({
  kind: 'createGroup',
  resourceId: id,
  resource: { displayName },
  members: members.map((value) => ({ value })),
});

export async function applyChanges({ db, directoryId }: OneDirectory, changes: Change[], options: ChangeStoreOptions = {}): Promise<void> {
  const mutations = changes.map((change) => ({ id: newId(), directoryId, ...change }));
  const { outcomes } = await applyInTransaction(createChangeStore(db, options), directoryId, mutations);
  expect(outcomes.map(({ error }) => error)).toEqual(changes.map(() => undefined));
}
