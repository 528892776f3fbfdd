import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { commandActor } from '../../src/audit/act.ts';
import { actAs } from '../../src/audit/audit-scope.ts';
import { newId } from '../../src/ids.ts';
import { createAuditStore } from '../../src/store/audit/audit-store.ts';
import { createEmitOperatorEvent } from '../../src/store/operator-events/operator-event-store.ts';
import { openSyncStores } from '../support/sync-stores.ts';
import { unlimitedReads } from '../support/unlimited-reads.ts';

let stores: Awaited<ReturnType<typeof openSyncStores>>;
beforeAll(async () => {
  stores = await openSyncStores();
});
afterAll(() => stores.drop());

const find = async (directoryId: string) =>
  (await createAuditStore(unlimitedReads(stores.db)).list({ directoryId }, {}, { order: 'asc', limit: 10 })).map(({ entry }) => entry);

const id = newId();
it.each([
  ['dsync.webhook_disabled', 'delivery.disabled', {}, []],
  ['dsync.sync_failed', 'sync.failed', { run_id: id }, [{ type: 'sync_run', id }]],
  ['dsync.confirmation_needed', 'sync.confirmation_needed', { run_id: id }, [{ type: 'sync_run', id }]],
  ['dsync.authorization_needed', 'directory.authorization_lost', {}, []],
  ['dsync.mutation_rejected', 'mutation.rejected', { mutation_id: id }, [{ type: 'mutation', id }]],
] as const)('records %s as %s of the service, whoever caused it and without an operator webhook', async (event, action, more, targets) => {
  const directoryId = await stores.addDirectory({ tenant: newId() });
  const emit = createEmitOperatorEvent({ isHeard: false });
  await actAs({ actor: commandActor('test'), context: { location: '203.0.113.9', user_agent: 'curl', request_id: 'r' } }, () =>
    stores.db.transaction((trx) => emit(trx, event, directoryId, { ...more, reason: 'It failed.' })),
  );
  expect(await find(directoryId)).toMatchObject([
    {
      action,
      actor: { type: 'service', id: 'rollcall' },
      targets: [{ type: 'directory', id: directoryId }, ...targets],
      context: { location: null, user_agent: null, request_id: null },
      changes: { reason: 'It failed.' },
    },
  ]);
});

it('records that a sync run was requested or confirmed, and not what schedules start', async () => {
  const directoryId = await stores.addDirectory();
  const end = async (state: 'canceled' | 'needs_confirmation' = 'canceled') => {
    const {
      resources: [run],
    } = await stores.runs.list(directoryId, { offset: 0, limit: 1 });
    await stores.runs.end(directoryId, run!.id, { state });
    return run!.id;
  };
  await stores.runs.requestScheduled(directoryId);
  await end();
  const [first, second] = [newId(), newId()];
  await stores.runs.request({ id: first, directoryId, trigger: 'request' });
  await end('needs_confirmation');
  await stores.runs.request({ id: second, directoryId, trigger: 'request', confirms: first });
  expect(await find(directoryId)).toMatchObject([
    { action: 'sync.started', targets: [{}, { type: 'sync_run', id: first }], changes: null },
    { action: 'sync.confirmed', targets: [{}, { type: 'sync_run', id: second }], changes: { confirms: first } },
  ]);
});
