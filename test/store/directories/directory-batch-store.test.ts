import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Knex } from 'knex';
import { defaultQuotas } from '../../../src/directory/quotas.ts';
import { createKeyring } from '../../../src/keyring.ts';
import { createDirectoryBatchStore } from '../../../src/store/directories/directory-batch-store.ts';
import { createDirectoryStore } from '../../../src/store/directories/directory-store.ts';
import { createSecretColumns } from '../../../src/store/encryption/secret-columns.ts';
import { cloneDatabase } from '../../support/database.ts';
import { fillInactive } from '../../support/inactive-users.ts';

let database: Awaited<ReturnType<typeof cloneDatabase>>;
let db: Knex;
beforeAll(async () => {
  database = await cloneDatabase();
  ({ db } = database);
});
afterAll(() => database.drop());

const emitOperatorEvent = () => Promise.resolve();
const createStore = (undeliveredBytes = defaultQuotas.undeliveredBytes) =>
  createDirectoryBatchStore(db, { emitOperatorEvent, quotas: { ...defaultQuotas, undeliveredBytes } });

async function createRemoved({ directory = {}, endpoint = {} }: { directory?: object; endpoint?: object } = {}): Promise<string> {
  const id = randomUUID();
  const removing = { deactivated: true, on_directory_delete: 'events', removing_at: new Date(), batches_at: new Date() };
  await db('all_directories').insert({ id, tenant: 'acme', product: id, name: 'Acme', type: 'okta-scim-v2', ...removing, ...directory });
  await db('webhook_endpoints').insert({ id: randomUUID(), directory_id: id, url: 'http://127.0.0.1:9/', ...endpoint });
  return id;
}

/** Users whose documents have about so many bytes. Returns their keys in order. */
async function addUsers(directoryId: string, bytes: number[]): Promise<string[]> {
  const { rows } = await db.raw<{ rows: { id: string }[] }>(
    `insert into users (directory_id, id, user_name, user_name_key, active, first_name, last_name, email, resource, created_at, updated_at)
     select :directoryId, cast(lpad(to_hex(n), 8, '0') || '-0000-7000-8000-000000000000' as uuid), 'u' || n, 'u' || n, true, '', '', '',
       jsonb_build_object('userName', 'u' || n, 'note', repeat('a', bytes)), now(), now()
     from unnest(cast(:bytes as integer[])) with ordinality as of_user (bytes, n) returning id`,
    { directoryId, bytes },
  );
  return rows.map(({ id }) => id);
}

/** A group with so many pending members. */
async function addGroup(directoryId: string, name: string, pending: number): Promise<string> {
  const id = randomUUID();
  await db('groups').insert({
    directory_id: directoryId,
    id,
    display_name: name,
    display_name_key: name,
    resource: JSON.stringify({ displayName: name }),
    created_at: new Date(),
    updated_at: new Date(),
  });
  await db.raw(
    `insert into pending_members (directory_id, group_id, value, value_key)
     select :directoryId, :id, 'm' || n, 'm' || n from generate_series(1, :pending) n`,
    { directoryId, id, pending },
  );
  return id;
}

/** So many hours ago. */
const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000);
/** An event of 100 bytes, which was not delivered. */
const addEvent = (directoryId: string, occurredAt: Date) =>
  db('stored_events').insert({
    directory_id: directoryId,
    sequence: 1,
    id: randomUUID(),
    type: 'user.created',
    data: '{}',
    occurred_at: occurredAt,
    bytes: 100,
    total_bytes: 100,
  });

it('removes no more documents together than one transaction may read, and at least one', async () => {
  const id = await createRemoved();
  const mebibyte = 1_048_576;
  const users = await addUsers(id, [9 * mebibyte, ...Array.from({ length: 12 }, () => mebibyte)]);
  const store = createStore();
  expect(await store.nextRemoval(id, undefined)).toEqual({ kind: 'delete', resource: 'user', ids: users.slice(0, 1) });
  expect(await store.nextRemoval(id, { resource: 'user', id: users[0]! })).toEqual({
    kind: 'delete',
    resource: 'user',
    ids: users.slice(1, 9),
  });
});

it('counts pending members of groups', async () => {
  const id = await createRemoved();
  const groups = [await addGroup(id, 'one', 1_000), await addGroup(id, 'two', 1_000)].toSorted();
  expect(await createStore().nextRemoval(id, undefined)).toEqual({ kind: 'delete', resource: 'group', ids: groups.slice(0, 1) });
});

it('goes on to the groups where users are left, and from the beginning at the end', async () => {
  const id = await createRemoved();
  const [user] = await addUsers(id, [10]);
  const group = await addGroup(id, 'one', 1);
  const store = createStore();
  expect(await store.nextRemoval(id, { resource: 'user', id: user! })).toEqual({ kind: 'delete', resource: 'group', ids: [group] });
  expect(await store.nextRemoval(id, { resource: 'group', id: group })).toEqual({ kind: 'delete', resource: 'user', ids: [user] });
});

it('does not wait longer than a day for room in the backlog of a webhook that was given up', async () => {
  const id = await createRemoved({
    directory: { removing_at: ago(30), last_sequence: 1 },
    endpoint: { status: 'disabled', updated_at: ago(30) },
  });
  await addUsers(id, [10]);
  await addEvent(id, ago(23));
  const store = createStore(50);
  expect(await store.nextRemoval(id, undefined)).toEqual({ kind: 'wait' });
  expect(await store.endRemoval(id)).toBe(false);
  await db('stored_events')
    .where({ directory_id: id })
    .update({ occurred_at: ago(25) });
  expect((await createStore().nextRemoval(id, undefined)).kind).toBe('delete');
  expect(await createStore().endRemoval(id)).toBe(false);
  expect(await store.nextRemoval(id, undefined)).toEqual({ kind: 'end' });
  expect(await store.endRemoval(id)).toBe(true);
  expect(await db('directories').where({ id })).toEqual([]);
  const [entry] = await db('audit_log').whereRaw(`targets -> 0 ->> 'product' = ?`, [id]).select<{ body: string }[]>('body');
  expect(JSON.parse(entry!.body)).toMatchObject({
    action: 'directory.deleted',
    actor: { type: 'service' },
    changes: { undelivered_events: 1 },
  });
});

it.each([
  ['the deletion', 20, 30, 30],
  ['the last change of the webhook', 30, 20, 30],
  ['the last event', 30, 30, 20],
])('keeps undelivered events for a day after %s', async (_, removing, changed, last) => {
  const id = await createRemoved({
    directory: { removing_at: ago(removing), last_sequence: 1 },
    endpoint: { status: 'misconfigured', updated_at: ago(changed) },
  });
  await addEvent(id, ago(last));
  const store = createStore();
  expect([await store.nextRemoval(id, undefined), await store.endRemoval(id)]).toEqual([{ kind: 'wait' }, false]);
  await db('all_directories')
    .where({ id })
    .update({ removing_at: ago(25) });
  await db('webhook_endpoints')
    .where({ directory_id: id })
    .update({ updated_at: ago(25) });
  await db('stored_events')
    .where({ directory_id: id })
    .update({ occurred_at: ago(25) });
  expect([await store.nextRemoval(id, undefined), await store.endRemoval(id)]).toEqual([{ kind: 'end' }, true]);
});

it('does not write at each poll that it waits', async () => {
  const id = await createRemoved({ directory: { last_sequence: 1 } });
  await addEvent(id, ago(1));
  const notedAt = async () => (await db('all_directories').where({ id }).first('batches_at')).batches_at as Date;
  for (const [seconds, isNoted] of [
    [5, false],
    [15, true],
  ] as const) {
    await db('all_directories')
      .where({ id })
      .update({ batches_at: ago(seconds / 3_600) });
    const before = await notedAt();
    expect(await createStore().nextRemoval(id, undefined)).toEqual({ kind: 'wait' });
    expect((await notedAt()) > before).toBe(isNoted);
  }
});

it('counts the events that have to be confirmed while changes of the directory go on', async () => {
  const id = await createRemoved({ directory: { removing_at: null, user_count: 4 } });
  await fillInactive({ db }, id, 4);
  const directories = createDirectoryStore(db, createSecretColumns(createKeyring([randomBytes(32)])), emitOperatorEvent);
  const holder = await db.transaction();
  await holder('directories').where({ id }).forNoKeyUpdate().first('id');
  const refused = { code: 'confirmation_required' };
  await expect(directories.remove(id)).rejects.toMatchObject(refused);
  await expect(directories.update(id, { inactiveUsers: 'delete' })).rejects.toMatchObject(refused);
  await holder.rollback();
  expect(await directories.remove(id, { confirmed: 4 })).toBe('removing');
});
