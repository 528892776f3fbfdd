import type { Logger } from '../logger.ts';
import type { createApplyIsolating } from './apply-isolating.ts';
import type { Applied } from './apply-mutations.ts';
import type { MutationStartStore } from './mutation-starts.ts';
import { createOneAtATime } from './one-at-a-time.ts';
import type { HandedIn, StagedMutationStore } from './ports.ts';

/** A mutation whose process died so often while it was applied is rejected instead of started again. */
const maxStarts = 3;

/** A lock in Postgres ends sooner. */
const holdMs = 10_000;

export interface RetryMutationDeps {
  applyIsolating: ReturnType<typeof createApplyIsolating>;
  staged: Pick<StagedMutationStore, 'fetch'>;
  starts: MutationStartStore;
  tellOperatorSoon(): void;
  log: Logger;
}

/**
 * Applies a mutation whose process died before it was heard of again. Each start is counted before anything else is done with it, and one
 * is tried at a time: should the process die again, it is known over which of them.
 */
export function createRetryMutation({ applyIsolating, staged, starts, tellOperatorSoon, log }: RetryMutationDeps) {
  const oneAtATime = createOneAtATime(holdMs);
  const running = new Map<string, Promise<Applied>>();

  return (given: HandedIn): Promise<Applied> => {
    // Temporal may lose patience with a slow database: what goes on here already is not started again.
    const known = running.get(given.id);
    if (known) return known;
    const retried = oneAtATime(() => retry(given)).finally(() => running.delete(given.id));
    running.set(given.id, retried);
    return retried;
  };

  async function retry(given: HandedIn): Promise<Applied> {
    const { directoryId } = given;
    if ((await starts.beginAgain(given)) > maxStarts) return reject(given);
    try {
      const applied = await applyIsolating(directoryId, [given.kind === 'staged' ? await staged.fetch(given) : given]);
      await starts.conclude([given]);
      return applied;
    } catch (error) {
      await starts.forgive([given]);
      throw error;
    }
  }

  async function reject({ directoryId, id, kind, ...rest }: HandedIn): Promise<Applied> {
    const reason = `The process ended unexpectedly each of the ${maxStarts} times that this change was started.`;
    const resourceId = ('resourceId' in rest ? rest.resourceId : undefined) ?? id;
    const refusal = { status: 500, detail: `${reason} It was not applied and is not tried again.` };
    const outcome = await starts.reject(directoryId, { mutationId: id, resourceId, refusal }, reason);
    if (outcome.refusal?.detail === refusal.detail) {
      log.error({ directoryId, mutationId: id, kind: 'of' in rest ? rest.of : kind, reason }, 'a mutation was rejected');
      tellOperatorSoon();
    }
    return { outcomes: [outcome], wake: false };
  }
}
