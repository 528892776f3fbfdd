import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createMutationStarts, type MutationStartStore } from '../../../src/directory/intake/retry-mutation.ts';
import { newId } from '../../../src/ids.ts';
import { createMutationStartStore } from '../../../src/store/changes/mutation-start-store.ts';
import { createEmitOperatorEvent } from '../../../src/store/operator-events/operator-event-store.ts';
import { cloneDatabase } from '../../support/database.ts';

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

it.each(['countFirstStarts', 'countRetry'] as const)('%s takes a start back if its response was lost', async (count) => {
  const mutation = newMutation();
  let isLost = true;
  const losing: MutationStartStore = {
    ...store,
    async countFirstStarts(mutations) {
      const isFirst = await store.countFirstStarts(mutations);
      if (isLost) throw new Error('Postgres is away.');
      return isFirst;
    },
    async countRetry(retried) {
      const starts = await store.countRetry(retried);
      if (isLost) throw new Error('Postgres is away.');
      return starts;
    },
  };
  const starts = createMutationStarts(losing);
  const begin = () => (count === 'countRetry' ? starts.countRetry(mutation) : starts.countFirstStarts([mutation]));
  await expect(begin()).rejects.toThrow('away');
  const counted = await startsOf(mutation);
  await expect(begin()).rejects.toThrow('away');
  await starts.forgiveOpen();
  expect(await startsOf(mutation)).toBe(counted! - 1);
  isLost = false;
  expect(await starts.countRetry(mutation)).toBe(counted);
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
  await store.countFirstStarts([mutation]);
  const counting = starts.countRetry(mutation);
  const forgiven = starts.forgiveOpen();
  respond();
  await Promise.all([counting, forgiven]);
  expect(await startsOf(mutation)).toBe(1);
});

it('takes back no more starts than are counted', async () => {
  const mutation = newMutation();
  await store.countFirstStarts([mutation]);
  await store.uncount([mutation]);
  await store.uncount([mutation]);
  expect(await startsOf(mutation)).toBe(0);
});
