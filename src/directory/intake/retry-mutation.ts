import { StatementTimeoutError } from '../../errors.ts';
import type { Logger } from '../../logger.ts';
import type { Applied, ApplyToDirectory } from '../changes/apply-to-directory.ts';
import type { SubmittedMutation, StagedMutationStore } from '../ports.ts';
import { createOneAtATime } from '../../shared/semaphore.ts';
import type { ChangeError } from '../changes/change-errors.ts';
import type { MutationStarts } from './mutation-starts.ts';

/** A mutation that crashed its process, or took longer than a statement may, so often is rejected instead of started again. */
const maxStarts = 3;

/** It must be longer than a lock timeout in Postgres. */
const holdMs = 10_000;

export interface RetryMutationDeps {
  applyToDirectory: ApplyToDirectory;
  staged: Pick<StagedMutationStore, 'fetch'>;
  starts: MutationStarts;
  wakeOperatorSoon(): void;
  log: Logger;
}

/**
 * Retries a mutation after its process ended before there was an outcome. Each start is counted first, and one mutation is tried at a time,
 * so that another crash shows which mutation caused it.
 */
export function createRetryMutation({ applyToDirectory, staged, starts, wakeOperatorSoon, log }: RetryMutationDeps) {
  const oneAtATime = createOneAtATime(holdMs);
  const running = new Map<string, Promise<Applied>>();

  return (submitted: SubmittedMutation): Promise<Applied> => {
    // With a slow database, Temporal may start an activity again whose first attempt is still running here.
    const known = running.get(submitted.id);
    if (known) return known;
    const retried = oneAtATime(() => retry(submitted)).finally(() => running.delete(submitted.id));
    running.set(submitted.id, retried);
    return retried;
  };

  async function retry(submitted: SubmittedMutation): Promise<Applied> {
    const { directoryId } = submitted;
    if ((await starts.countRetry(submitted)) > maxStarts) return reject(submitted);
    try {
      const applied = await applyToDirectory(directoryId, [submitted.kind === 'staged' ? await staged.fetch(submitted) : submitted]);
      await starts.conclude([submitted]);
      return applied;
    } catch (error) {
      if (!(error instanceof StatementTimeoutError)) await starts.uncount([submitted]);
      throw error;
    }
  }

  async function reject({ directoryId, id, kind, ...rest }: SubmittedMutation): Promise<Applied> {
    const reason = `The process ended unexpectedly, or a statement took too long, each of the ${maxStarts} times that this change was started.`;
    const resourceId = ('resourceId' in rest ? rest.resourceId : undefined) ?? id;
    const error: ChangeError = { code: 'internal', detail: `${reason} It was not applied, and will not be retried.` };
    const outcome = await starts.reject(directoryId, { mutationId: id, resourceId, error }, reason);
    const isRejected = outcome.error?.detail === error.detail;
    if (isRejected) {
      log.error(
        { directoryId, mutationId: id, kind: 'mutationKind' in rest ? rest.mutationKind : kind, reason },
        'a mutation was rejected',
      );
      wakeOperatorSoon();
    }
    // An earlier start may have applied it and died before it woke the delivery.
    return { outcomes: [outcome], wake: !isRejected };
  }
}
