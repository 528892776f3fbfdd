import { setTimeout as sleep } from 'node:timers/promises';
import type { CommitMutations } from '../directory/intake/intake.ts';
import type { Mutation, Outcome } from '../directory/changes/mutation.ts';
import type { ChangeStore, SubmittedMutation, StagedMutationStore } from '../directory/ports.ts';
import { largeMutationBytes } from '../directory/intake/waiting-mutations.ts';
import { AppError } from '../errors.ts';
import { createYieldToEventLoop } from '../shared/yield-to-event-loop.ts';
import { waitAtMost } from '../shared/timeout.ts';
import type { MutationsHandle, WorkflowClient } from './client.ts';
import type { HeadStarts } from './head-starts.ts';
import type { OutcomeWaiters } from './outcome-waiters.ts';
import { isOutage, toUnavailableError } from './connect.ts';

/** Temporal keeps a workflow's input for an hour or more, so a larger mutation waits in Postgres until it is applied. */
const smallMutationBytes = 4_096;

interface CommitMutationsDeps {
  workflows: Pick<WorkflowClient, 'startMutations' | 'readResults'>;
  waiters: OutcomeWaiters;
  headStarts: Pick<HeadStarts, 'begin'>;
  staged: Pick<StagedMutationStore, 'put' | 'delete'>;
  outcomeOf: ChangeStore['outcomeOf'];
  onApplied?: (mutations: number, seconds: number) => void;
}

/** How long to rely on a workflow that was started eagerly, and therefore runs in this process. */
const eagerTimeoutMs = 1_000;
/** How long to ask the workflow for its outcomes. */
const resultTimeoutMs = 60_000;

/** Commits a group of mutations by one workflow. */
export function createCommitMutations(deps: CommitMutationsDeps): CommitMutations {
  const { workflows, waiters, headStarts, staged, outcomeOf, onApplied } = deps;
  /** Whether Temporal started the last workflow eagerly. It may be set up not to, or be away. */
  let isEager = true;

  return async function commitMutations(mutations, settle) {
    const ids = mutations.map(({ id }) => id);
    const open = new Set(ids);
    const startedMs = performance.now();
    let finish!: () => void;
    const finished = new Promise<void>((resolve) => (finish = resolve));
    const settleOnce = (outcome: Outcome) => {
      if (!open.delete(outcome.mutationId)) return;
      settle(outcome);
      if (open.size > 0) return;
      onApplied?.(ids.length, (performance.now() - startedMs) / 1000);
      finish();
    };
    waiters.add(ids, settleOnce);
    try {
      const submitted = await stage(mutations);
      const handle = await start(submitted).catch((error: unknown) => {
        withdraw(submitted);
        throw error;
      });
      if (handle.eagerlyStarted && (await waitAtMost(eagerTimeoutMs, finished))) return;
      await Promise.race([finished, readOutcomes(handle, settleOnce)]);
    } finally {
      waiters.remove(ids);
    }
  };

  /** An eagerly started workflow runs in this process, so its activity gets a head start. */
  async function start(submitted: SubmittedMutation[]): Promise<MutationsHandle> {
    const starting = workflows.startMutations(submitted);
    if (isEager) headStarts.begin(submitted, starting.then(assertEager, failToAccept));
    const handle = await starting.catch((error: unknown) => {
      isEager = false;
      throw error;
    });
    isEager = handle.eagerlyStarted;
    return handle;
  }

  /**
   * The caller gets an error, so what was staged is dropped; otherwise rows would accumulate while Temporal is down. A start whose response
   * was lost may have succeeded: its workflow finds no row and changes nothing. That outcome must not reach the caller.
   */
  function withdraw(submitted: SubmittedMutation[]) {
    waiters.remove(submitted.map(({ id }) => id));
    // The sweep drops what can't be dropped here.
    for (const mutation of submitted) if (mutation.kind === 'staged') void staged.delete(mutation).catch(() => undefined);
  }

  async function stage(mutations: Mutation[]): Promise<SubmittedMutation[]> {
    const results = await Promise.allSettled(mutations.map((mutation) => stageOne(mutation, { isAlone: mutations.length === 1 })));
    const failed = results.find((result) => result.status === 'rejected');
    const submitted = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    if (!failed) return submitted;
    withdraw(submitted);
    throw failed.reason;
  }

  async function stageOne(mutation: Mutation, { isAlone }: { isAlone: boolean }): Promise<SubmittedMutation> {
    const pause = createYieldToEventLoop();
    const json = JSON.stringify(mutation);
    const bytes = Buffer.byteLength(json);
    if (bytes <= smallMutationBytes) return mutation;
    await pause();
    const put = await staged.put(mutation, json);
    if (put.kind === 'staged') return put;
    // A directory without room for staged mutations must not hold up those of other directories in the same group.
    if (!isAlone || bytes <= largeMutationBytes) return mutation;
    throw new AppError('unavailable', put.message);
  }

  async function readOutcomes(handle: MutationsHandle, settle: (outcome: Outcome) => void) {
    const deadlineMs = Date.now() + resultTimeoutMs;
    for (;;) {
      try {
        const results = await workflows.readResults(handle, deadlineMs);
        for (const { kind, ...outcome } of results) if (kind === 'outcome') settle(outcome as Outcome);
        for (const { directoryId, mutationId } of results.filter((result) => result.kind === 'stored')) {
          const outcome = await outcomeOf(directoryId, mutationId);
          // There is none if the directory has been deleted since.
          if (outcome) settle(outcome);
        }
        return;
      } catch (error) {
        const isTemporary = isOutage(error) || (error instanceof AppError && error.code === 'unavailable');
        if (!isTemporary || Date.now() > deadlineMs) throw toUnavailableError(error);
        await sleep(500);
      }
    }
  }
}

function assertEager({ eagerlyStarted }: MutationsHandle) {
  if (!eagerlyStarted) throw new AppError('unavailable', 'The workflow runs in another process.');
}

/** The caller gets the error of the start itself. */
function failToAccept(cause: unknown): never {
  throw new AppError('unavailable', 'Temporal did not accept the workflow.', { cause });
}
