import { expect, it } from '@jest/globals';
import type { DeliveryStore } from '../../../src/directory/delivery/ports.ts';
import { shareTurns } from '../../../src/directory/delivery/share-turns.ts';
import { createSequenceWatch } from '../../../src/store/deliveries/sequence-watch.ts';
import { newId } from '../../../src/ids.ts';
import { setUpDrain } from '../../support/drain.ts';

const drained = setUpDrain();
const { push, drain } = drained;

const lanes = 8;

async function createDirectories(): Promise<string[]> {
  const ids = Array.from({ length: lanes }, newId);
  for (const id of ids) {
    await drained.db('directories').insert({ id, tenant: 't', product: 'p', name: 'n', type: 'generic-scim-v2' });
    await drained.db('webhook_endpoints').insert({ id: newId(), directory_id: id, url: 'http://127.0.0.1:1/' });
  }
  return ids;
}

async function pushTo(ids: string[], count: number) {
  for (const id of ids) {
    drained.directoryId = id;
    await push(count);
  }
}

/** Drains all of them at once, and pushes 2 more events to each when all of them watch. Returns the numbers of lanes in shared turns. */
async function drainTogether(ids: string[], takeTurns: DeliveryStore['takeTurns'] = drained.store.takeTurns) {
  const shared: { asked: number; taken: number }[] = [];
  const store: DeliveryStore = {
    ...drained.store,
    async takeTurns(turns) {
      const taken = await takeTurns(turns);
      shared.push({ asked: turns.length, taken: taken.size });
      return taken;
    },
  };
  const concludeAndBeginAttempt = shareTurns(store);
  const stopping = new AbortController();
  const watch = createSequenceWatch(drained.db, stopping.signal);
  const watching = new Set<string>();
  let pushed: Promise<void> | undefined;
  const draining = ids.map((id) => {
    drained.directoryId = id;
    return drain({
      store: { ...store, concludeAndBeginAttempt },
      watch: {
        ...watch,
        waitFor(directoryId, ...rest) {
          watching.add(directoryId);
          if (drained.sent.length === ids.length * 5) stopping.abort();
          if (watching.size === ids.length) pushed ??= pushTo(ids, 2);
          return watch.waitFor(directoryId, ...rest);
        },
      },
      lingerMs: 20_000,
    });
  });
  expect(await Promise.all(draining)).toEqual(ids.map(() => ({ kind: 'drained' })));
  await pushed;
  return shared;
}

async function expectDelivered(ids: string[], count: number) {
  for (const id of ids) {
    const sequences = drained.sent
      .map(({ body }) => JSON.parse(body) as { directory_id: string; sequence: number })
      .filter((event) => event.directory_id === id)
      .map(({ sequence }) => sequence);
    expect(sequences).toEqual(Array.from({ length: count }, (_, index) => index + 1));
    const attempts = await drained.db('webhook_attempts').where({ directory_id: id });
    expect(attempts.map(({ outcome, status_code: status }) => [outcome, status])).toEqual(sequences.map(() => ['success', 200]));
    expect(await drained.db('webhook_batches').where({ directory_id: id, status: 'delivered' }).whereNull('body')).toHaveLength(count);
    expect(await drained.db('webhook_endpoints').where({ directory_id: id }).first()).toMatchObject({
      acked_sequence: count,
      wake: false,
      starts: 0,
    });
  }
}

it('delivers the events of many directories in order', async () => {
  const ids = await createDirectories();
  await pushTo(ids, 3);
  const shared = await drainTogether(ids);
  await expectDelivered(ids, 5);
  expect(shared.reduce((sum, { taken }) => sum + taken, 0)).toBeGreaterThan(lanes);
  expect(shared.every(({ asked, taken }) => asked === taken)).toBe(true);
}, 30_000);

it('lets no directory wait for one whose row is locked', async () => {
  const [locked, ...others] = await createDirectories();
  await pushTo([locked!, ...others], 3);
  const trx = await drained.db.transaction();
  let lock!: (locking: PromiseLike<unknown>) => void;
  const isLocked = new Promise<unknown>((resolve) => (lock = resolve));
  drained.respond = async (_, count) => {
    // All of them have begun their first attempt.
    if (count === lanes) lock(trx('webhook_endpoints').where({ directory_id: locked! }).forUpdate().first());
    await isLocked;
    const ofOthers = drained.sent.filter(({ body }) => !body.includes(locked!)).length;
    if (ofOthers === others.length * 3 && !trx.isCompleted()) await trx.rollback();
    return 200;
  };
  const shared = await drainTogether([locked!, ...others]);
  await expectDelivered([locked!, ...others], 5);
  expect(shared.some(({ asked, taken }) => asked > taken)).toBe(true);
}, 30_000);

it('delivers each alone if a shared turn fails', async () => {
  const ids = await createDirectories();
  await pushTo(ids, 3);
  expect(await drainTogether(ids, () => Promise.reject(new Error('poison')))).toEqual([]);
  await expectDelivered(ids, 5);
}, 30_000);
