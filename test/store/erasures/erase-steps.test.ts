import { expect, it } from '@jest/globals';
import type { Knex } from 'knex';
import type { RecordedRequest } from '../../../src/directory/recorded-requests/recorded-request.ts';
import { newId } from '../../../src/ids.ts';
import { createErasureStore } from '../../../src/store/erasures/erasure-store.ts';
import { createRecordedRequestStore } from '../../../src/store/recorded-requests/recorded-request-store.ts';
import { unlimitedReads } from '../../support/unlimited-reads.ts';
import { until } from '../../support/until.ts';
import { useDirectory } from '../statements/directory.ts';

let db: Knex;
let directoryId: string;
useDirectory((found) => ({ db, directoryId } = found));

const requestedBy = { type: 'root_key', id: 'root_1', name: 'root' } as const;

/** An erasure whose user is deleted. */
async function startErasure(id = newId()) {
  const store = createErasureStore(db);
  const userId = newId();
  await store.request({ id, directoryId, userId, publicId: userId, valueKeys: [], requestedBy });
  await store.markDeleted(directoryId, userId, {});
  const of = { directory_id: directoryId, user_id: userId };
  return {
    userId,
    eraseNextPart: () => store.eraseNextPart(directoryId, userId),
    set: (columns: object) => db('user_erasures').where(of).update(columns),
    row: () => db('user_erasures').where(of).first(),
    /** Runs the steps before this one. */
    async eraseUntil(step: string) {
      while ((await db('user_erasures').where(of).first('step')).step !== step)
        expect(await store.eraseNextPart(directoryId, userId)).toBe('more');
    },
  };
}

it('reads what a directory keeps for one erasure at a time', async () => {
  const nowMs = Date.now();
  const first = await startErasure(newId(nowMs));
  const second = await startErasure(newId(nowMs + 1));
  expect(await second.eraseNextPart()).toBe('wait');
  await first.eraseUntil('staged');
  expect(await second.eraseNextPart()).toBe('more');
  await first.set({ step: 'events' });
  expect(await second.eraseNextPart()).toBe('wait');
  // One that is stuck keeps no others waiting.
  await first.set({ progressed_at: db.raw(`now() - interval '11 minutes'`) });
  expect(await second.eraseNextPart()).toBe('more');
});

it('leaves out erasures of a directory that is being deleted when it looks for what to continue', async () => {
  const { set } = await startErasure();
  await set({ progressed_at: db.raw(`now() - interval '1 day'`) });
  const ofDirectory = async () =>
    (await createErasureStore(db).findUnfinished(100)).filter((user) => user.directoryId === directoryId).length;
  expect(await ofDirectory()).toBe(1);
  await db('all_directories').where({ id: directoryId }).update({ deleting_at: db.fn.now() });
  expect(await ofDirectory()).toBe(0);
});

it.each(['pending', 'requests'])('locks the directory before the erasure in the step %s, as requests for erasures do', async (step) => {
  const { eraseNextPart, set, userId } = await startErasure();
  await set({ step });
  const holder = await db.transaction();
  await holder('directories').where({ id: directoryId }).forNoKeyUpdate().first('id');
  const erasing = eraseNextPart();
  await until(
    async () =>
      (await db.raw(`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)).rows.length > 0,
  );
  expect(await holder('user_erasures').where({ user_id: userId }).forUpdate().noWait().first('step')).toEqual({ step });
  await holder.commit();
  expect(await erasing).toBe('more');
});

it('deletes requests that arrived while it ran, and writes none that waited, whatever the clock of their process says', async () => {
  const requests = createRecordedRequestStore(unlimitedReads(db));
  const kept = () => db('scim_requests').where({ directory_id: directoryId }).pluck<string[]>('request_id');
  const lastError = async () => (await db('directory_pushes').where({ directory_id: directoryId }).first('last_error')).last_error;
  const { eraseUntil } = await startErasure();
  await requests.add([toRequest('arrived', 30_000)]);
  expect([await kept(), (await lastError()).path]).toEqual([['arrived'], '/Users?arrived']);
  await eraseUntil('staged');
  expect([await kept(), await lastError()]).toEqual([[], null]);
  await requests.add([toRequest('waited', 30_000)]);
  expect([await kept(), await lastError()]).toEqual([[], null]);
  await requests.add([toRequest('later', 90_000)]);
  expect([await kept(), (await lastError()).path]).toEqual([['later'], '/Users?later']);
});

const toRequest = (name: string, inMs: number): RecordedRequest => ({
  directoryId,
  id: newId(Date.now() + inMs),
  at: new Date(Date.now() + inMs),
  method: 'GET',
  path: `/Users?${name}`,
  status: 400,
  scimType: undefined,
  detail: undefined,
  durationMs: 1,
  requestId: name,
  userAgent: '',
  contentType: '',
  body: undefined,
  bodyState: 'none',
  bodyBytes: undefined,
});

const marker = 'Quillwort';

async function insertDelivery(userId: string, columns: object) {
  const { id: endpointId } = await db('webhook_endpoints').where({ directory_id: directoryId }).first('id');
  const id = `msg_${newId()}`;
  const event = {
    event: 'user.updated',
    data: { id: userId, first_name: marker, raw: {} },
    changes: ['email'],
    previous_attributes: { a: marker },
  };
  const body = JSON.stringify([event, { event: 'user.created', data: { id: 'other', first_name: 'Bob' } }]);
  await db('webhook_batches').insert({
    id,
    directory_id: directoryId,
    endpoint_id: endpointId,
    from_sequence: 1,
    to_sequence: 2,
    event_count: 2,
    body,
    bytes: 1,
    sha256: '',
    ...columns,
  });
  await db('webhook_attempts').insert({
    directory_id: directoryId,
    batch_id: id,
    number: 1,
    url: 'http://127.0.0.1',
    outcome: 'http_error',
    response_body: marker,
  });
  return {
    row: () => db('webhook_batches').where({ id }).first(),
    response: async () => (await db('webhook_attempts').where({ batch_id: id }).first()).response_body,
  };
}
const endpoint = () => db('webhook_endpoints').where({ directory_id: directoryId }).first('epoch', 'starts');

it('keeps the retry schedule of a receiver that fails, and what the delivery has of others', async () => {
  const { userId, eraseUntil } = await startErasure();
  const at = new Date(Date.now() + 3_600_000);
  const { row, response } = await insertDelivery(userId, {
    status: 'pending',
    failures: 3,
    client_errors: 1,
    attempts: 4,
    next_attempt_at: at,
  });
  await eraseUntil('deliveries');
  const { body, bytes, sha256, ...kept } = await row();
  expect(kept).toMatchObject({ status: 'pending', failures: 3, client_errors: 1, attempts: 4, next_attempt_at: at });
  expect(JSON.parse(body)).toEqual([
    {
      event: 'user.updated',
      data: { id: userId, first_name: '', last_name: '', email: '', active: false, raw: { id: userId } },
      changes: null,
      previous_attributes: null,
    },
    { event: 'user.created', data: { id: 'other', first_name: 'Bob' } },
  ]);
  expect([bytes, sha256.length, await response()]).toEqual([body.length, 64, null]);
});

it('counts starts of a delivery as before if it contains nothing of the person', async () => {
  const { eraseUntil } = await startErasure();
  const { row } = await insertDelivery(newId(), { status: 'pending' });
  const before = await row();
  await db('webhook_endpoints').where({ directory_id: directoryId }).update({ starts: 1, epoch: 5 });
  await eraseUntil('deliveries');
  expect(await endpoint()).toEqual({ starts: 1, epoch: 6 });
  expect(await row()).toEqual(before);
});

it('cancels a replayed delivery that was given up before anybody can retry it', async () => {
  const { userId, eraseUntil } = await startErasure();
  const { row, response } = await insertDelivery(userId, { status: 'exhausted', kind: 'replay' });
  await eraseUntil('deliveries');
  expect(await row()).toMatchObject({ status: 'canceled', body: null });
  expect(await response()).toBeNull();
});
