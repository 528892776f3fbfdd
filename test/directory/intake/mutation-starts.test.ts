import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createMutationStarts, type MutationStartStore } from '../../../src/directory/intake/retry-mutation.ts';
import { newId } from '../../../src/ids.ts';
import { createMutationStartStore } from '../../../src/store/changes/mutation-start-store.ts';
import { createEmitOperatorEvent } from '../../../src/store/operator-events/operator-event-store.ts';
import { cloneDatabase } from '../../support/database.ts';
import { until } from '../../support/until.ts';

let database: Awaited<ReturnType<typeof cloneDatabase>>;
let store: MutationStartStore;
beforeAll(async () => {
  database = await cloneDatabase();
  store = createMutationStartStore(database.db, createEmitOperatorEvent({ isHeard: true }));
});
afterAll(() => database.drop());

const newMutation = () => ({ directoryId: newId(), id: newId() });
type Mutation = ReturnType<typeof newMutation>;
const startsOf = async ({ directoryId, id }: Mutation) =>
  (await database.db('mutation_starts').where({ directory_id: directoryId, id }).pluck<number[]>('starts'))[0];

const isCounted = async ({ id }: Mutation) =>
  (await database.db('first_mutation_starts').whereRaw('? = any(mutation_ids)', [id])).length === 1;

it('takes a retry back if its response was lost', async () => {
  const mutation = newMutation();
  let isLost = true;
  const starts = createMutationStarts({
    ...store,
    async countRetry(retried) {
      const counted = await store.countRetry(retried);
      if (isLost) throw new Error('Postgres is away.');
      return counted;
    },
  });
  for (let tried = 0; tried < 2; tried += 1) await expect(starts.countRetry(mutation)).rejects.toThrow('away');
  await starts.forgiveOpen();
  expect(await startsOf(mutation)).toBe(1);
  isLost = false;
  expect(await starts.countRetry(mutation)).toBe(2);
});

it('counts a first start once, also if the response of Postgres was lost, until it ends', async () => {
  const mutation = newMutation();
  let isLost = true;
  const starts = createMutationStarts({
    ...store,
    async countFirstStart(...given) {
      const isFirst = await store.countFirstStart(...given);
      if (isLost) throw new Error('Postgres is away.');
      return isFirst;
    },
  });
  await expect(starts.beginFirst([mutation], { isNew: true })).rejects.toThrow('away');
  isLost = false;
  const first = await starts.beginFirst([mutation], { isNew: false });
  expect(await isCounted(mutation)).toBe(true);
  expect(await starts.beginFirst([newMutation(), mutation], { isNew: false })).toBeUndefined();
  first!.end();
  await until(async () => !(await isCounted(mutation)));
});

it('deletes the row of a first start that has ended with the next start, and at the latest when the process stops', async () => {
  const [one, other] = [newMutation(), newMutation()];
  const starts = createMutationStarts({ ...store, endFirstStarts: () => Promise.reject(new Error('Not yet.')) });
  (await starts.beginFirst([one], { isNew: true }))!.end();
  expect(await isCounted(one)).toBe(true);
  await starts.beginFirst([other], { isNew: true });
  expect([await isCounted(one), await isCounted(other)]).toEqual([false, true]);
  const stopping = createMutationStarts(store);
  const open = newMutation();
  await stopping.beginFirst([open], { isNew: true });
  await stopping.forgiveOpen();
  expect(await isCounted(open)).toBe(false);
  // A mutation whose process died remains counted.
  expect(await createMutationStarts(store).beginFirst([other], { isNew: false })).toBeUndefined();
});

it('takes back a start that is being counted when the process stops', async () => {
  const mutation = newMutation();
  let respond!: () => void;
  const responded = new Promise<void>((resolve) => (respond = resolve));
  const starts = createMutationStarts({
    ...store,
    async countRetry(retried) {
      await responded;
      return store.countRetry(retried);
    },
  });
  await store.countTimeouts([mutation]);
  const counting = starts.countRetry(mutation);
  const forgiven = starts.forgiveOpen();
  respond();
  await Promise.all([counting, forgiven]);
  expect(await startsOf(mutation)).toBe(1);
});

it('takes back no more starts than are counted', async () => {
  const mutation = newMutation();
  await store.countTimeouts([mutation]);
  await store.uncount([mutation]);
  await store.uncount([mutation]);
  expect(await startsOf(mutation)).toBe(0);
});
