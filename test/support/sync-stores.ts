import { randomBytes } from 'node:crypto';
import { newId } from '../../src/ids.ts';
import { createKeyring } from '../../src/keyring.ts';
import { createChangeStore } from '../../src/store/changes/change-store.ts';
import { createEmitOperatorEvent } from '../../src/store/operator-events/operator-event-store.ts';
import { createSecretColumns } from '../../src/store/encryption/secret-columns.ts';
import { createAuthorizationStore } from '../../src/store/syncs/authorization-store.ts';
import { createSyncRunStore } from '../../src/store/syncs/sync-run-store.ts';
import { createSyncStore } from '../../src/store/syncs/sync-store.ts';
import { cloneDatabase } from './database.ts';

/** The stores of pulled directories on a new database. */
export async function openSyncStores() {
  const { db, drop } = await cloneDatabase();
  const secrets = createSecretColumns(createKeyring([randomBytes(32)]));
  const emitOperatorEvent = createEmitOperatorEvent({ isHeard: true });
  const store = createSyncStore(db, secrets, emitOperatorEvent);
  const runs = createSyncRunStore(db);

  return {
    db,
    drop,
    syncs: store,
    runs,
    changes: createChangeStore(db),
    authorizations: createAuthorizationStore(db, secrets, emitOperatorEvent),

    async addDirectory(fields: Record<string, unknown> = {}): Promise<string> {
      const id = newId();
      await db('directories').insert({
        id,
        tenant: 't',
        product: 'p',
        name: 'n',
        type: 'google',
        google_admin_email: 'a@b.example',
        ...fields,
      });
      return id;
    },
    /** A run that a workflow has begun. */
    async begin(directoryId: string, workflowRun: string = newId()): Promise<string> {
      await runs.request({ id: newId(), directoryId, trigger: 'request' });
      return (await store.begin({ directoryId, workflowRun }))!;
    },
    run: async (directoryId: string, runId: string) => (await runs.get(directoryId, runId))!,
    events: (directoryId: string) => db('events').where({ directory_id: directoryId }).orderBy('sequence').pluck<string[]>('type'),
  };
}

export const user = (externalId: string, userName = `${externalId}@acme.example`, more: Record<string, string> = {}) => ({
  externalId,
  resource: { userName, externalId, active: true, ...more },
});
export const group = (externalId: string, displayName = externalId) => ({ externalId, resource: { displayName, externalId } });
export const page = <Item>(...items: Item[]) => ({ items, listed: items.length });
