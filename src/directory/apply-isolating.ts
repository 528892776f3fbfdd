import { AppError } from '../errors.ts';
import type { Logger } from '../logger.ts';
import { applyMutations, startOutcome, type Applied } from './apply-mutations.ts';
import type { Mutation } from './mutation.ts';
import type { ChangeStore } from './ports.ts';

/** A mutation that fails for a reason nobody thought of is refused alone; it holds up neither its neighbours nor its lane. */
export function createApplyIsolating({ changes, log }: { changes: ChangeStore; log: Logger }) {
  return async function applyIsolating(directoryId: string, mutations: Mutation[]): Promise<Applied> {
    try {
      return await applyMutations(changes, directoryId, mutations);
    } catch (error) {
      if (error instanceof AppError) throw error;
      const [only, ...others] = mutations;
      if (only && others.length === 0) {
        log.error({ err: error, directoryId, mutationId: only.id, kind: only.kind }, 'a mutation failed unexpectedly');
        return { outcomes: [{ ...startOutcome(only), refusal: unexpected }], wake: false };
      }
    }
    const applied: Applied = { outcomes: [], wake: false };
    for (const mutation of mutations) {
      const { outcomes, wake, told } = await applyIsolating(directoryId, [mutation]);
      applied.outcomes.push(...outcomes);
      applied.wake ||= wake;
      if (told) applied.told = { ...told, events: [...(applied.told?.events ?? []), ...told.events] };
    }
    return applied;
  };
}

const unexpected = { status: 500, detail: 'Something went wrong here; the log of the service says what.' };
