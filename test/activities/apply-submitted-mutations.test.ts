import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createApplySubmittedMutations, type StartOptions } from '../../activities/apply-submitted-mutations.ts';
import { createMutationStarts, type MutationStarts } from '../../src/directory/intake/mutation-starts.ts';
import type { Outcome } from '../../src/directory/changes/mutation.ts';
import type { ChangeStore, SubmittedMutation } from '../../src/directory/ports.ts';
import { AppError } from '../../src/errors.ts';
import { newId } from '../../src/ids.ts';
import { createLogger } from '../../src/logger.ts';
import { createChangeStore } from '../../src/store/changes/change-store.ts';
import { createMutationStartStore } from '../../src/store/changes/mutation-start-store.ts';
import { createEmitOperatorEvent } from '../../src/store/operator-events/operator-event-store.ts';
import { translateOutages } from '../../src/store/sql/outages.ts';
import { createHeadStarts } from '../../src/temporal/head-starts.ts';
import { createOutcomeWaiters } from '../../src/temporal/outcome-waiters.ts';
import { cloneDatabase } from '../support/database.ts';

let database: Awaited<ReturnType<typeof cloneDatabase>>;
let starts: MutationStarts;
const directoryId = newId();
beforeAll(async () => {
  database = await cloneDatabase();
  starts = createMutationStarts(createMutationStartStore(database.db, createEmitOperatorEvent({ isHeard: false })));
  await database.db('directories').insert({ id: directoryId, tenant: 't', product: 'p', name: 'n', type: 'generic-scim-v2' });
  await database.db('webhook_endpoints').insert({ id: newId(), directory_id: directoryId });
});
afterAll(async () => {
  await starts.forgiveOpen();
  await database.drop();
});

const newMutation = (): SubmittedMutation => {
  const resourceId = newId();
  return { kind: 'createUser', id: newId(), directoryId, resourceId, resource: { userName: resourceId } };
};

/** The count of a mutation's starts in Postgres. */
async function startsOf({ id }: SubmittedMutation): Promise<number> {
  const [counted] = await database.db('mutation_starts').where({ directory_id: directoryId, id }).pluck<number[]>('starts');
  return counted ?? (await database.db('first_mutation_starts').whereRaw('? = any(mutation_ids)', [id])).length;
}

/** A store that calls `onChange` before it reads. */
function watched(onChange: () => Promise<void>): ChangeStore {
  const changes = createChangeStore(database.db);
  return {
    ...changes,
    async change(...given) {
      await onChange();
      return changes.change(...given);
    },
  };
}

async function startsDuring(mutation: SubmittedMutation, options: StartOptions, headStarts = createHeadStarts()) {
  let counted = 0;
  const apply = createApply(
    watched(async () => {
      counted = await startsOf(mutation);
    }),
    headStarts,
  );
  if (options.isFirst) headStarts.begin([mutation], Promise.resolve());
  await apply([mutation], options);
  return counted;
}
const createApply = (changes: ChangeStore, headStarts = createHeadStarts(), waiters = createOutcomeWaiters()) =>
  createApplySubmittedMutations({
    changes,
    staged: { put: never, fetch: never, delete: never, deleteAbandoned: never },
    starts,
    waiters,
    headStarts,
    watch: { hint: () => undefined },
    metrics: { quotaReached: () => undefined },
    wakeOperatorSoon: () => undefined,
    log: createLogger('silent'),
  });
const never = () => Promise.reject(new Error('Nothing is staged.'));

it.each([
  ['before a head start reads', { isFirst: true }, 1],
  ['before a first start without a head start reads', {}, 1],
  ['as two after a worker died, if Postgres has lost the first one', { isRetry: true }, 2],
])('counts a start %s', async (_title, options, expected) => {
  expect(await startsDuring(newMutation(), options)).toBe(expected);
});

it('counts each further start after a worker died with a counted one', async () => {
  const mutation = newMutation();
  await starts.beginFirst([mutation], { isNew: true });
  expect(await startsDuring(mutation, {})).toBe(2);
});

it('wakes the delivery again if a process applied a change and died too often before it woke it', async () => {
  const mutation = newMutation();
  const apply = createApply(createChangeStore(database.db));
  await database.db('webhook_endpoints').update({ wake: false });
  expect((await apply([mutation])).wake).toEqual([directoryId]);
  for (let start = 2; start <= 4; start += 1) await starts.countRetry(mutation);
  expect(await apply([mutation], { isRetry: true })).toMatchObject({ results: [{ mutationId: mutation.id }], wake: [directoryId] });
});

it('tells who joined a group to the request that waits, and stores it nowhere', async () => {
  const [userId, resourceId, id] = [newId(), newId(), newId()];
  const waiters = createOutcomeWaiters();
  const outcomes: Outcome[] = [];
  waiters.add([id], (outcome) => outcomes.push(outcome));
  const apply = createApply(createChangeStore(database.db), createHeadStarts(), waiters);
  await apply([{ kind: 'createUser', id: newId(), directoryId, resourceId: userId, resource: { userName: userId } }]);
  const resource = { displayName: resourceId };
  const { results } = await apply([{ kind: 'createGroup', id, directoryId, resourceId, resource, members: [{ value: userId }] }]);
  expect(outcomes).toMatchObject([{ mutationId: id, moved: [userId] }]);
  const stored = await database.db('mutations').where({ directory_id: directoryId, id }).pluck('outcome');
  for (const kept of [results, stored]) {
    expect(kept).toMatchObject([{ resourceId }]);
    expect(JSON.stringify(kept)).not.toContain(userId);
  }
});

it('does not count a start that ended with an error', async () => {
  const mutation = newMutation();
  const failing = createApply(watched(() => Promise.reject(new AppError('unavailable', 'Postgres is away'))));
  await expect(failing([mutation])).rejects.toThrow('away');
  expect(await startsDuring(mutation, {})).toBe(1);
});

it('rejects a change whose statement takes too long three times, and applies the next one of its directory', async () => {
  const [slow, other] = [newMutation(), newMutation()];
  const changes = createChangeStore(database.db);
  const tooSlow = Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' });
  const apply = createApply(
    translateOutages({
      ...changes,
      change: (request, decide) => (request.mutationIds.includes(slow.id) ? Promise.reject(tooSlow) : changes.change(request, decide)),
    }),
  );
  for (let start = 1; start <= 3; start += 1) await expect(apply([slow, other])).rejects.toThrow('does not respond');
  expect((await apply([slow, other])).results).toMatchObject([
    { mutationId: slow.id, error: { code: 'internal' } },
    { mutationId: other.id, version: 1 },
  ]);
});

describe('a head start', () => {
  it('writes nothing before Temporal has accepted the workflow, and then passes its result to the activity once', async () => {
    const mutation = newMutation();
    const read = createEvent();
    const { headStarts, apply } = createWithHeadStarts(() => read.resolve());
    const accepting = createEvent();
    headStarts.begin([mutation], accepting.promise);
    await read.promise;
    expect(await isApplied(mutation)).toBe(false);
    accepting.resolve();
    const { results } = await apply([mutation], { isFirst: true });
    expect(results).toMatchObject([{ mutationId: mutation.id, version: 1 }]);
    // A second run finds the outcome of the first one.
    expect((await apply([mutation], { isFirst: true })).results).toEqual(results);
  });

  it('writes nothing if Temporal does not accept the workflow', async () => {
    const mutation = newMutation();
    const decided = createEvent();
    const { headStarts } = createWithHeadStarts(() => undefined, decided.resolve);
    headStarts.begin([mutation], Promise.reject(new AppError('unavailable', 'Temporal is away')));
    await decided.promise;
    expect([await isApplied(mutation), headStarts.take([mutation])]).toEqual([false, undefined]);
  });

  it('applies nothing itself when a worker has died with the mutation', async () => {
    const mutation = newMutation();
    const { headStarts, apply } = createWithHeadStarts(() => undefined);
    headStarts.begin([mutation], Promise.resolve());
    const { results } = await apply([mutation], { isRetry: true });
    expect(results).toMatchObject([{ mutationId: mutation.id, version: 1 }]);
    expect((await headStarts.take([mutation]))?.results).toEqual(results);
  });
});

/** Calls `onRead` when a change has been read, and `onEnd` when it has ended. */
function createWithHeadStarts(onRead: () => void, onEnd: () => void = () => undefined) {
  const headStarts = createHeadStarts();
  const changes = createChangeStore(database.db);
  const apply = createApply(
    {
      ...changes,
      change: (request, decide) =>
        changes
          .change(request, (snapshot) => {
            onRead();
            return decide(snapshot);
          })
          .finally(onEnd),
    },
    headStarts,
  );
  return { headStarts, apply };
}

function createEvent() {
  let resolve!: () => void;
  return { promise: new Promise<void>((happened) => (resolve = happened)), resolve: () => resolve() };
}

const isApplied = async ({ id }: SubmittedMutation) =>
  (await database.db('mutations').where({ directory_id: directoryId, id }).first('id')) !== undefined;
