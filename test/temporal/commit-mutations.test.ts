import { describe, expect, it } from '@jest/globals';
import type { Client } from '@temporalio/client';
import type { Mutation, Outcome } from '../../src/directory/changes/mutation.ts';
import type { SubmittedMutation } from '../../src/directory/ports.ts';
import { AppError } from '../../src/errors.ts';
import { newId } from '../../src/ids.ts';
import { createWorkflowClient } from '../../src/temporal/client.ts';
import { createCommitMutations } from '../../src/temporal/commit-mutations.ts';
import { createHeadStarts } from '../../src/temporal/head-starts.ts';
import { createOutcomeWaiters } from '../../src/temporal/outcome-waiters.ts';

const create = (note: string) => ({
  kind: 'createUser' as const,
  id: newId(),
  directoryId: newId(),
  resourceId: newId(),
  resource: { userName: 'ada', note },
});
const large = create('x'.repeat(70_000));

/** A Temporal in which every start fails. Returns what was staged. */
function start(staging: Mutation[], { cannotStage, isFull }: { cannotStage?: Mutation; isFull?: Mutation } = {}) {
  const rows = new Set<string>();
  const given: SubmittedMutation[] = [];
  const waiters = createOutcomeWaiters();
  const client = {
    withDeadline: (_deadline: number, run: () => Promise<unknown>) => run(),
    workflow: {
      start: (_type: string, { args: [submitted] }: { args: [SubmittedMutation[]] }) => {
        given.push(...submitted);
        return Promise.reject(new Error('no connection'));
      },
    },
  } as unknown as Client;
  const outcomes: unknown[] = [];
  const apply = createCommitMutations({
    workflows: createWorkflowClient(client),
    waiters,
    headStarts: createHeadStarts(),
    outcomeOf: () => Promise.resolve(undefined),
    staged: {
      put: ({ id, directoryId, kind: mutationKind }) => {
        if (id === cannotStage?.id) return Promise.reject(new AppError('unavailable', 'Postgres is away'));
        if (id === isFull?.id) return Promise.resolve({ kind: 'full', message: 'no room' });
        rows.add(id);
        return Promise.resolve({ kind: 'staged', mutationKind, bytes: 1, id, directoryId });
      },
      // The workflow runs after all, and finds no row.
      delete: ({ id }) => {
        rows.delete(id);
        waiters.settle([{ mutationId: id, resourceId: id }]);
        return Promise.resolve();
      },
    },
  });
  return { rows, given, outcomes, applied: apply(staging, (outcome) => outcomes.push(outcome)) };
}

describe('a failed start', () => {
  it('leaves nothing staged, and a later outcome does not reach the caller', async () => {
    const { rows, outcomes, applied } = start([large]);
    await expect(applied).rejects.toThrow('no connection');
    expect([rows.size, outcomes]).toEqual([0, []]);
  });

  it('leaves nothing staged if one mutation of the group cannot be staged', async () => {
    const another = { ...large, id: newId() };
    const { rows, given, applied } = start([large, another], { cannotStage: another });
    await expect(applied).rejects.toThrow('Postgres is away');
    expect([rows.size, given]).toEqual([0, []]);
  });
});

it('reads an outcome that is not in workflow history', async () => {
  const { id, directoryId, resourceId } = create('ada');
  const stored: Outcome = { mutationId: id, resourceId, version: 1 };
  const handle = { eagerlyStarted: false, result: () => Promise.resolve([{ kind: 'stored', mutationId: id, directoryId }]) };
  const apply = createCommitMutations({
    workflows: createWorkflowClient({
      withDeadline: (_deadline: number, run: () => Promise<unknown>) => run(),
      workflow: { start: () => Promise.resolve(handle) },
    } as unknown as Client),
    waiters: createOutcomeWaiters(),
    headStarts: createHeadStarts(),
    outcomeOf: (...key) => Promise.resolve(key.join() === [directoryId, id].join() ? stored : undefined),
    staged: { put: () => Promise.reject(new Error('small')), delete: () => Promise.resolve() },
  });
  const outcomes: Outcome[] = [];
  await apply([{ ...create('ada'), id, directoryId }], (outcome) => outcomes.push(outcome));
  expect(outcomes).toEqual([stored]);
});

it('passes small mutations to Temporal, and only references to others', async () => {
  const small = create('ada');
  const middle = create('x'.repeat(5_000));
  const { given, applied } = start([small, middle, large]);
  await expect(applied).rejects.toThrow('no connection');
  expect(given).toEqual([
    small,
    { kind: 'staged', mutationKind: 'createUser', bytes: 1, id: middle.id, directoryId: middle.directoryId },
    expect.objectContaining({ kind: 'staged', id: large.id }),
  ]);
});

it('passes a mutation to Temporal if its directory has no room to stage it, unless it is large', async () => {
  const middle = create('x'.repeat(5_000));
  const full = start([middle, large], { isFull: middle });
  await expect(full.applied).rejects.toThrow('no connection');
  expect(full.given[0]).toEqual(middle);
  await expect(start([large], { isFull: large }).applied).rejects.toThrow('no room');
});

it('gives the next change a head start only if the last workflow was started eagerly', async () => {
  const begun: string[] = [];
  const [eager, other] = [{ eagerlyStarted: true }, { eagerlyStarted: false }];
  const starts = [new Error('no connection'), eager, other, eager, eager];
  const waiters = createOutcomeWaiters();
  const commit = createCommitMutations({
    workflows: createWorkflowClient({
      withDeadline: (_deadline: number, run: () => Promise<unknown>) => run(),
      workflow: {
        start: (_type: string, { args: [[mutation]] }: { args: [SubmittedMutation[]] }) => {
          const next = starts.shift()!;
          if (next instanceof Error) return Promise.reject(next);
          waiters.settle([{ mutationId: mutation!.id, resourceId: mutation!.id }]);
          return Promise.resolve(next);
        },
      },
    } as unknown as Client),
    waiters,
    headStarts: {
      begin([mutation], accepted) {
        begun.push(mutation!.id);
        accepted.catch(() => undefined);
      },
    },
    outcomeOf: () => Promise.resolve(undefined),
    staged: { put: () => Promise.reject(new Error('small')), delete: () => Promise.resolve() },
  });
  const changes = starts.map((_, index) => create(`user-${index}`));
  for (const change of changes) await commit([change], () => undefined).catch(() => undefined);
  expect(begun).toEqual([0, 2, 4].map((index) => changes[index]!.id));
});
