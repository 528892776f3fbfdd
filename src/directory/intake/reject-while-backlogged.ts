import { AppError } from '../../errors.ts';
import type { Intake } from '../ports.ts';
import { isBacklogFull } from '../quotas.ts';

export interface RejectWhileBackloggedOptions {
  onQuotaReached(quota: string): void;
  forMs?: number;
}

/**
 * Responds with 503 to changes of a directory that has too many bytes of undelivered events. The result is cached for a second, so that an
 * identity provider that keeps pushing costs neither a workflow nor a statement.
 */
export function rejectWhileBacklogged(intake: Intake, { onQuotaReached, forMs = 1_000 }: RejectWhileBackloggedOptions): Intake {
  const rejected = new Map<string, { quota: string; detail: string }>();
  return {
    async submit(mutation, caller) {
      const { directoryId } = mutation;
      const known = rejected.get(directoryId);
      if (known) {
        onQuotaReached(known.quota);
        throw new AppError('unavailable', known.detail);
      }
      const outcome = await intake.submit(mutation, caller);
      if (!isBacklogFull(outcome.error)) return outcome;
      const { quota, detail } = outcome.error;
      rejected.set(directoryId, { quota, detail });
      setTimeout(() => rejected.delete(directoryId), forMs).unref();
      throw new AppError('unavailable', detail);
    },
  };
}
