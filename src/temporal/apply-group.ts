import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, WorkflowHandle } from '@temporalio/client';
import type { applyMutations } from '../../workflows/apply-mutations.ts';
import type { Mutation, Outcome } from '../directory/mutation.ts';
import type { ChangeStore, HandedIn, StagedMutationStore } from '../directory/ports.ts';
import { isPassing, tellAbsence } from './absence.ts';
import type { Handover } from './handover.ts';
import { createPause } from '../shared/pause.ts';
import type { ApplyGroup } from '../directory/intake.ts';
import { largeMutationBytes } from '../directory/waiting-mutations.ts';
import { AppError } from '../errors.ts';
import { applyWorkflowId, mutationQueue } from './names.ts';
import { workflowTaskTimeoutMs } from './timeouts.ts';

/** Temporal keeps the input of every workflow for an hour or more: what is larger is left to Postgres, until it was applied. */
const smallMutationBytes = 4_096;

export interface ApplyGroupOptions {
  client: Client;
  handover: Handover;
  staged: Pick<StagedMutationStore, 'put' | 'drop'>;
  outcomeOf: ChangeStore['outcomeOf'];
  taskQueue?: string;
  startTimeoutMs?: number;
  /** How long to trust that a workflow started eagerly runs here. */
  eagerPatienceMs?: number;
  /** How long to ask for an outcome that nobody waits for any more. */
  giveUpMs?: number;
  onApplied?: (mutations: number, seconds: number) => void;
}

/** Starts one workflow for the mutations, eagerly: its first task comes back with the start call, to this process. */
export function createApplyGroup(options: ApplyGroupOptions): ApplyGroup {
  const {
    client,
    handover,
    staged,
    outcomeOf,
    taskQueue = mutationQueue,
    startTimeoutMs = 5_000,
    eagerPatienceMs = 1_000,
    giveUpMs = 60_000,
    onApplied,
  } = options;

  return async function applyGroup(mutations, settle) {
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
    handover.expect(ids, settleOnce);
    try {
      const handedIn = await stage(mutations);
      const handle = await start(handedIn).catch((error: unknown) => {
        giveUp(handedIn);
        throw error;
      });
      const mayBeHere = handle.eagerlyStarted;
      if (mayBeHere && (await within(finished, eagerPatienceMs))) return;
      await Promise.race([finished, askWorkflow(handle, settleOnce)]);
    } finally {
      handover.forget(ids);
    }
  };

  /**
   * The caller learns that nothing was committed, so what it staged is dropped, or rows would pile up while Temporal is away. A start whose
   * response was lost may have happened: its workflow finds no row and changes nothing. That outcome must not reach the caller.
   */
  function giveUp(handedIn: HandedIn[]) {
    handover.forget(handedIn.map(({ id }) => id));
    // What cannot be dropped is left to the sweep.
    for (const given of handedIn) if (given.kind === 'staged') void staged.drop(given).catch(() => undefined);
  }

  /** Temporal gets what is small. */
  async function stage(mutations: Mutation[]): Promise<HandedIn[]> {
    const results = await Promise.allSettled(mutations.map((mutation) => stageOne(mutation, { isAlone: mutations.length === 1 })));
    const failed = results.find(({ status }) => status === 'rejected');
    const handedIn = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    if (!failed) return handedIn;
    giveUp(handedIn);
    throw (failed as PromiseRejectedResult).reason;
  }

  async function stageOne(mutation: Mutation, { isAlone }: { isAlone: boolean }): Promise<HandedIn> {
    const pause = createPause();
    const written = JSON.stringify(mutation);
    const bytes = Buffer.byteLength(written);
    if (bytes <= smallMutationBytes) return mutation;
    await pause();
    const given = await staged.put(mutation, written);
    if (given.kind === 'staged') return given;
    // That its directory has no room for more is not to keep the changes of others that travel with it.
    if (!isAlone || bytes <= largeMutationBytes) return mutation;
    throw new AppError('unavailable', given.message);
  }

  async function start(mutations: HandedIn[]) {
    try {
      return await client.withDeadline(Date.now() + startTimeoutMs, () =>
        client.workflow.start<typeof applyMutations>('applyMutations', {
          workflowId: applyWorkflowId(mutations[0]!.id),
          taskQueue,
          requestEagerStart: true,
          workflowTaskTimeout: workflowTaskTimeoutMs,
          args: [mutations],
          searchAttributes: { DirectoryIds: [...new Set(mutations.map(({ directoryId }) => directoryId))] },
        }),
      );
    } catch (error) {
      throw tellAbsence(error);
    }
  }

  async function askWorkflow(handle: WorkflowHandle<typeof applyMutations>, settle: (outcome: Outcome) => void) {
    const deadlineMs = Date.now() + giveUpMs;
    for (;;) {
      try {
        const outcomes = await client.withDeadline(deadlineMs, () => handle.result());
        for (const outcome of outcomes) if (!('isStored' in outcome)) settle(outcome);
        for (const { directoryId, mutationId } of outcomes.filter((outcome) => 'isStored' in outcome)) {
          const outcome = await outcomeOf(directoryId, mutationId);
          // Of a directory that was deleted since there is none.
          if (outcome) settle(outcome);
        }
        return;
      } catch (error) {
        const mayPass = isPassing(error) || (error instanceof AppError && error.code === 'unavailable');
        if (!mayPass || Date.now() > deadlineMs) throw tellAbsence(error);
        await sleep(500);
      }
    }
  }
}

async function within(promise: Promise<void>, timeoutMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<false>((resolve) => (timer = setTimeout(resolve, timeoutMs, false)));
  return Promise.race([promise.then(() => true as const), timeout]).finally(() => clearTimeout(timer));
}
