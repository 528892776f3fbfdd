import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { FileKind, FileStore } from '../../../src/directory/files/ports.ts';
import { newId } from '../../../src/ids.ts';
import { createFileStore } from '../../../src/store/files/file-store.ts';
import { discardSets } from '../../../src/store/files/discard-sets.ts';
import { openSyncStores } from '../../support/sync-stores.ts';
import { until } from '../../support/until.ts';

let stores: Awaited<ReturnType<typeof openSyncStores>>;
let store: FileStore;
beforeAll(async () => {
  stores = await openSyncStores();
  store = createFileStore(stores.db);
});
afterAll(() => stores.drop());

const createDirectory = () => stores.addDirectory({ type: 'csv', google_admin_email: null });

async function receive(directoryId: string, kind: FileKind = 'users', count = 3): Promise<string> {
  const id = newId();
  await store.begin(directoryId, { id, kind });
  await store.addRows(
    directoryId,
    id,
    Array.from({ length: count }, (_, index) => ({
      externalId: `${kind}${index}`,
      line: index + 2,
      nameKey: undefined,
      cells: { idp_id: `${index}` },
    })),
  );
  await store.end(directoryId, id, count);
  return id;
}

const complete = (directoryId: string, files: Partial<Record<FileKind, string>>, isDryRun = false) =>
  store.complete(directoryId, { id: newId(), runId: newId(), files, isDryRun });

const fileOf = (id: string) => stores.db('uploaded_files').where({ id }).first<{ state: string; set_id: string | null } | undefined>();
const countRows = async (id: string) => (await stores.db('uploaded_rows').where({ file_id: id })).length;
const runsOf = (directoryId: string) =>
  stores
    .db('sync_runs')
    .where({ directory_id: directoryId })
    .orderBy('requested_at')
    .select<{ id: string; state: string }[]>('id', 'state');
const age = (table: string, id: string, by: string) =>
  stores
    .db(table)
    .where({ id })
    .update({ created_at: stores.db.raw(`created_at - cast(? as interval)`, [by]) });

/** Does something while another transaction holds the row of the directory, and commits that one once `blocked` waits for it. */
async function whileLocked<T>(
  directoryId: string,
  blocked: () => Promise<T>,
  change: (trx: typeof stores.db) => Promise<unknown>,
): Promise<T> {
  const trx = await stores.db.transaction();
  await trx('directories').where({ id: directoryId }).forNoKeyUpdate().first('id');
  const result = blocked();
  await until(async () => {
    const { rows } = await stores.db.raw<{ rows: object[] }>(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return rows.length > 0;
  });
  await change(trx);
  await trx.commit();
  return result;
}

describe('a file', () => {
  it('of a set that is complete belongs to no other set', async () => {
    const directoryId = await createDirectory();
    const users = await receive(directoryId);
    await complete(directoryId, { users });
    const { set_id: setId } = (await fileOf(users))!;
    await expect(complete(directoryId, { users })).rejects.toMatchObject({ code: 'invalid_request' });
    expect((await fileOf(users))!.set_id).toBe(setId);
  });

  it('whose rows are being deleted belongs to no set', async () => {
    const directoryId = await createDirectory();
    const users = await receive(directoryId);
    await age('uploaded_files', users, '2 hours');
    await store.deleteSome(2, directoryId);
    expect([await countRows(users), (await fileOf(users))!.state]).toEqual([1, 'void']);
    await expect(store.keepOpen(directoryId, { users })).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(complete(directoryId, { users })).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('keeps its rows if a set takes it before the deletion has the lock', async () => {
    const directoryId = await createDirectory();
    const users = await receive(directoryId);
    await age('uploaded_files', users, '2 hours');
    const setId = newId();
    const deleted = await whileLocked(
      directoryId,
      () => store.deleteSome(2, directoryId),
      async (trx) => {
        await trx('file_sets').insert({ directory_id: directoryId, id: setId, state: 'waiting' });
        await trx('uploaded_files').where({ id: users }).update({ set_id: setId });
      },
    );
    expect([deleted, await countRows(users), await fileOf(users)]).toEqual([
      0,
      3,
      expect.objectContaining({ state: 'received', set_id: setId }),
    ]);
  });

  it('that was discarded while it arrived is not received', async () => {
    const directoryId = await createDirectory();
    const id = newId();
    await store.begin(directoryId, { id, kind: 'users' });
    await store.discard(directoryId, [id]);
    await store.end(directoryId, id, 1);
    expect((await fileOf(id))!.state).toBe('void');
  });

  it('counts among the files that arrive, also if its process has died, but not for long', async () => {
    const directoryId = await createDirectory();
    const begin = () => store.begin(directoryId, { id: newId(), kind: 'users' });
    for (let count = 0; count < 60; count += 1) await begin();
    await expect(begin()).rejects.toMatchObject({ code: 'rate_limited', retryAfterSeconds: 30 });
    await stores
      .db('uploaded_files')
      .where({ directory_id: directoryId })
      .update({ created_at: new Date(Date.now() - 16 * 60_000) });
    await begin();
  });

  it('counts against the limit of the directory until its rows are deleted', async () => {
    const directoryId = await createDirectory();
    const users = await receive(directoryId, 'users', 10);
    const limited = createFileStore(stores.db, { maxStoredBytes: 300 });
    await store.discard(directoryId, [users]);
    await expect(limited.begin(directoryId, { id: newId(), kind: 'users' })).rejects.toMatchObject({ code: 'rate_limited' });
    while ((await store.deleteSome(100, directoryId)) > 0);
    await limited.begin(directoryId, { id: newId(), kind: 'users' });
  });
});

describe('a set', () => {
  it('that is completed while a run ends is read by another run', async () => {
    const directoryId = await createDirectory();
    await complete(directoryId, { users: await receive(directoryId) });
    const run = (await stores.syncs.begin({ directoryId, workflowRun: newId() }))!;
    await whileLocked(
      directoryId,
      () => stores.syncs.end(directoryId, run, { state: 'failed', error: { code: 'internal', message: 'x' } }),
      (trx) => trx('directories').where({ id: directoryId }).increment('google_authorization_version', 1),
    );
    expect((await runsOf(directoryId)).map(({ state }) => state)).toEqual(['failed', 'queued']);
  });

  it('that came while a run was in progress is read, although the run was canceled', async () => {
    const directoryId = await createDirectory();
    await complete(directoryId, { users: await receive(directoryId) });
    const run = (await stores.syncs.begin({ directoryId, workflowRun: newId() }))!;
    expect((await complete(directoryId, { users: await receive(directoryId) })).runId).toBeUndefined();
    await stores.runs.end(directoryId, run, { state: 'canceled', error: { code: 'canceled', message: 'x' } });
    expect((await runsOf(directoryId)).map(({ state }) => state)).toEqual(['canceled', 'queued']);
  });

  it('that came while a run was in progress is read, although processes abandoned the run', async () => {
    const directoryId = await createDirectory();
    await complete(directoryId, { users: await receive(directoryId) });
    const run = (await stores.syncs.begin({ directoryId, workflowRun: newId() }))!;
    await complete(directoryId, { users: await receive(directoryId) });
    await stores.db('sync_runs').where({ id: run }).update({ left_behind: 3 });
    expect(await stores.syncs.begin({ directoryId, workflowRun: newId() })).toBeUndefined();
    expect((await runsOf(directoryId)).map(({ state }) => state)).toEqual(['failed', 'queued']);
  });

  it('is read by a run that somebody requested at the same moment', async () => {
    const directoryId = await createDirectory();
    const users = await receive(directoryId);
    const requested = newId();
    const trx = await stores.db.transaction();
    await trx('sync_runs').insert({ directory_id: directoryId, id: requested, state: 'queued', trigger: 'request' });
    const completing = complete(directoryId, { users });
    await until(async () => {
      const { rows } = await stores.db.raw<{ rows: object[] }>(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return rows.length > 0;
    });
    await trx.commit();
    expect((await completing).runId).toBe(requested);
  });

  it('without groups does not replace one with groups that no run has applied', async () => {
    const directoryId = await createDirectory();
    const files = {
      users: await receive(directoryId),
      groups: await receive(directoryId, 'groups'),
      members: await receive(directoryId, 'members'),
    };
    await complete(directoryId, files);
    await expect(complete(directoryId, { users: await receive(directoryId) })).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('that began before the newest one does not replace it', async () => {
    const directoryId = await createDirectory();
    const [slow, fast] = [await receive(directoryId), await receive(directoryId)];
    await complete(directoryId, { users: fast });
    await expect(complete(directoryId, { users: slow })).rejects.toMatchObject({ code: 'invalid_request' });
    expect((await fileOf(slow))!.set_id).toBeNull();
  });

  it('with a file from before an erasure is discarded by it, and so is a file without a set', async () => {
    const directoryId = await createDirectory();
    const [users, left, arriving] = [await receive(directoryId), await receive(directoryId), await receive(directoryId)];
    await age('uploaded_files', left, '40 minutes');
    const { rows } = await stores.db.raw<{ rows: [{ at: Date }] }>('select clock_timestamp() as at');
    await store.keepOpen(directoryId, { users });
    await stores.db.transaction((trx) => discardSets(trx, directoryId, rows[0].at));
    while ((await store.deleteSome(100, directoryId)) > 0);
    expect([await fileOf(users), await fileOf(left), (await fileOf(arriving))!.state]).toEqual([undefined, undefined, 'received']);
  });
});

describe('a confirmation', () => {
  it('holds for the files that the confirmed run has read, and for no later ones', async () => {
    const directoryId = await createDirectory();
    await complete(directoryId, { users: await receive(directoryId) });
    const guarded = (await stores.syncs.begin({ directoryId, workflowRun: newId() }))!;
    await stores.syncs.plan(directoryId, guarded, 1);
    await stores.syncs.end(directoryId, guarded, { state: 'needs_confirmation', error: { code: 'needs_confirmation', message: 'x' } });
    const confirm = async () => {
      await stores.runs.request({ id: newId(), directoryId, trigger: 'request', confirms: guarded });
      return (await stores.syncs.begin({ directoryId, workflowRun: newId() }))!;
    };
    const same = await confirm();
    expect(await stores.syncs.plan(directoryId, same, 1)).toMatchObject({ confirmed: { users: 0 } });
    await stores.syncs.end(directoryId, same, { state: 'canceled', error: { code: 'canceled', message: 'x' } });
    await complete(directoryId, { users: await receive(directoryId) });
    const queued = (await runsOf(directoryId)).find(({ state }) => state === 'queued')!;
    await stores.db('sync_runs').where({ id: queued.id }).update({ confirms: guarded });
    const other = (await stores.syncs.begin({ directoryId, workflowRun: newId() }))!;
    expect(await stores.syncs.plan(directoryId, other, 1)).toMatchObject({ confirmed: undefined });
  });
});
